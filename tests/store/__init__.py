"""The store of sessions, always against a real server."""
