"""The same runtime in a terminal."""
