"""The local Slack is driven with Slack's own libraries over real sockets."""
