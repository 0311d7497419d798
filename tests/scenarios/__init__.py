"""Scenarios on real parts: Slack's libraries, Redis, the sandbox and processes; only the model plays a script."""
