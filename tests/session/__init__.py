"""The journal's fold, the meaning of inbox entries, deadlines, and the runner."""
