"""Work on a schedule: when, in whose name, and once."""
