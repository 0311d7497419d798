"""The web tools against servers of this machine."""
