"""Slack out: what should be seen is a fold of the journal; this brings Slack there."""
