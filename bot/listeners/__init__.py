"""Slack in: each event becomes one command, a dozen lines each."""
