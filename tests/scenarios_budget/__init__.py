"""Limits, time and schedules through the wire."""
