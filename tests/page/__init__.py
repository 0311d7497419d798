"""The page of the local Slack, driven in a real browser."""
