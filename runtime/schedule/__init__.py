"""Time: the ticker of each process."""
