"""Days of the ledger: where one begins and ends in the configured time zone."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo


def day_of(at_ms: int, zone: str) -> str:
    """The date of a moment, 2026-01-31."""
    return datetime.fromtimestamp(at_ms / 1000, ZoneInfo(zone)).date().isoformat()


def next_day_ms(at_ms: int, zone: str) -> int:
    """When the next day begins, in Unix milliseconds; a day of 23 or 25 hours ends when its clock says so."""
    tz = ZoneInfo(zone)
    tomorrow = datetime.fromtimestamp(at_ms / 1000, tz).date() + timedelta(days=1)
    midnight = datetime(tomorrow.year, tomorrow.month, tomorrow.day, tzinfo=tz)
    return int(midnight.astimezone(UTC).timestamp() * 1000)
