"""Handrail by example. Read top to bottom: each file is one idea, each test one sentence about it."""
