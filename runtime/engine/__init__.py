"""Which worker runs which session, and when."""
