"""Measures what a step costs: `make bench`."""
