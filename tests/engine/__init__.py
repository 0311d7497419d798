"""Workers, leases and the ticker, always against a real server."""
