"""Redis as the store of sessions: keys, scripts, the store itself and the embedded server."""
