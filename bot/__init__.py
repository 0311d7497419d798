"""The Slack side of Handrail, and its commands."""
