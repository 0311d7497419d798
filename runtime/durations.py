"""Durations as people write them in settings: "90s", "30m", "1h30m", "24h", "30d"."""

import re
from datetime import timedelta

UNITS = {"ms": "milliseconds", "s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
DURATION_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d|w)")
DURATION = re.compile(rf"(?:{DURATION_PART.pattern})+")


def read_duration(value: object) -> timedelta:
    """A duration as people write it: "90s", "30m", "1h30m", "24h", "30d".

    Raises:
        ValueError: it is not one, or not longer than nothing.
    """
    if isinstance(value, timedelta):
        return value
    text = value.strip().lower() if isinstance(value, str) else ""
    if not DURATION.fullmatch(text):
        raise ValueError('must be a duration such as "90s", "30m" or "24h"')
    parts = DURATION_PART.findall(text)
    whole = sum((timedelta(**{UNITS[unit]: float(amount)}) for amount, unit in parts), timedelta())
    if not whole:
        raise ValueError('must be longer than nothing, such as "30m"')
    return whole
