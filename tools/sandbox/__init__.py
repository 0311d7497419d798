"""Containing foreign code: one port, several back-ends, one self-check."""
