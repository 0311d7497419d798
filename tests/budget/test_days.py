"""A day of the ledger begins and ends by the clock of the configured time zone, also when the clocks change."""

from datetime import UTC, datetime

import pytest

from runtime.budget.days import day_of, next_day_ms


def at(text: str) -> int:
    """A moment in UTC, in Unix milliseconds."""
    return round(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


@pytest.mark.parametrize(
    ("moment", "zone", "day", "next_begins"),
    [
        ("2026-01-31T22:59:59", "Europe/Berlin", "2026-01-31", "2026-01-31T23:00"),
        ("2026-01-31T23:00:00", "Europe/Berlin", "2026-02-01", "2026-02-01T23:00"),
        ("2026-01-31T23:00:00", "UTC", "2026-01-31", "2026-02-01T00:00"),
        ("2026-03-28T23:30:00", "Europe/Berlin", "2026-03-29", "2026-03-29T22:00"),
        ("2026-10-24T22:30:00", "Europe/Berlin", "2026-10-25", "2026-10-25T23:00"),
        ("2026-06-01T10:00:00", "Pacific/Kiritimati", "2026-06-02", "2026-06-02T10:00"),
    ],
)
def test_a_day_ends_at_midnight_of_its_zone(moment: str, zone: str, day: str, next_begins: str) -> None:
    """Days of 23 and 25 hours included."""
    assert day_of(at(moment), zone) == day
    assert next_day_ms(at(moment), zone) == at(next_begins)
    assert day_of(next_day_ms(at(moment), zone), zone) > day
