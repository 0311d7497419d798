"""When a schedule is due: time zones, daylight saving, and what is refused."""

from datetime import UTC, datetime

import pytest

from runtime.schedule.records import BadTimes, Kind, Schedule, next_three


def at(text: str) -> int:
    """A moment in UTC, in Unix milliseconds."""
    return round(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


def schedule(kind: Kind, spec: str, zone: str = "Europe/Berlin") -> Schedule:
    """A schedule made on a Thursday."""
    return Schedule(
        id="s1",
        owner="U1",
        team="T",
        channel="C1",
        target="dm",
        prompt="look",
        kind=kind,
        spec=spec,
        zone=zone,
        created_ms=at("2026-03-26T12:00"),
    )


def shown(kind: Kind, spec: str, zone: str = "Europe/Berlin") -> list[str]:
    """The next three times in the schedule's zone, with their distance to UTC."""
    return [
        found.strftime("%a %d %H:%M %z") for found in next_three(schedule(kind, spec, zone), at("2026-03-26T12:00"))
    ]


def test_every_weekday_at_nine_stays_nine_when_the_clocks_change() -> None:
    """Crontab's 1-5 is Monday to Friday; the hour in UTC moves, the hour on the wall does not."""
    assert shown("cron", "0 9 * * 1-5") == ["Fri 27 09:00 +0100", "Mon 30 09:00 +0200", "Tue 31 09:00 +0200"]


def test_sunday_is_both_zero_and_seven() -> None:
    """As crontab has it; a step is not a day."""
    assert shown("cron", "0 9 * * 0")[0] == shown("cron", "0 9 * * 7")[0] == "Sun 29 09:00 +0200"
    assert shown("cron", "0 9 * * */2")[0] == "Fri 27 09:00 +0100"


def test_an_hour_that_does_not_exist_is_not_lost() -> None:
    """02:30 on the night the clocks go forward comes once, within that night."""
    found = next_three(schedule("cron", "30 2 * * *"), at("2026-03-28T12:00"))
    assert [time.astimezone(UTC).date().isoformat() for time in found] == ["2026-03-29", "2026-03-30", "2026-03-31"]


def test_an_hour_that_comes_twice_fires_once() -> None:
    """02:30 on the night the clocks go back."""
    found = next_three(schedule("cron", "30 2 * * *"), at("2026-10-24T12:00"))
    assert [time.date().isoformat() for time in found] == ["2026-10-25", "2026-10-26", "2026-10-27"]


def test_an_interval_counts_from_when_it_was_made() -> None:
    """Every two hours."""
    assert shown("interval", "2h", "UTC") == ["Thu 26 14:00 +0000", "Thu 26 16:00 +0000", "Thu 26 18:00 +0000"]


def test_a_date_comes_once_on_the_wall_clock_of_its_zone() -> None:
    """And then never again."""
    assert shown("date", "2026-03-30T09:00") == ["Mon 30 09:00 +0200"]
    assert schedule("date", "2026-03-30T09:00").next_ms(at("2026-03-30T07:00")) == 0


@pytest.mark.parametrize(
    ("kind", "spec", "zone"),
    [
        ("cron", "every day", "UTC"),
        ("cron", "0 25 * * *", "UTC"),
        ("interval", "10s", "UTC"),
        ("cron", "* * * * *", "UTC"),
        ("cron", "0,2 9 * * *", "UTC"),
        ("interval", "soon", "UTC"),
        ("date", "tomorrow", "UTC"),
        ("date", "2020-01-01T09:00", "UTC"),
        ("cron", "0 9 * * *", "Mars/Olympus"),
    ],
)
def test_what_will_never_come_is_refused_in_words(kind: Kind, spec: str, zone: str) -> None:
    """Too often, over, or unreadable."""
    with pytest.raises(BadTimes, match=r"\.$"):
        next_three(schedule(kind, spec, zone), at("2026-03-26T12:00"))
