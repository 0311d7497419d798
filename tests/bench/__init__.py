"""The figures that the benchmark shows, as far as they are the same on every machine."""
