"""The gate: ordered rules, verdicts, and what an approval is bound to."""
