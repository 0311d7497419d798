"""App Home and what `/handrail` shows: what runs, what waits for a person, usage, settings, data."""
