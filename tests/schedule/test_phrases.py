"""When work is wanted, read from what people type after `/handrail schedule`."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from runtime.schedule.phrases import read_phrase
from runtime.schedule.records import BadTimes, Schedule, next_three

BERLIN = ZoneInfo("Europe/Berlin")
THURSDAY = datetime(2026, 3, 26, 14, 30, tzinfo=BERLIN)
AUTUMN = datetime(2026, 10, 25, 1, 30, tzinfo=BERLIN)
"""Half an hour before the clocks go back from three to two."""


@pytest.mark.parametrize(
    ("words", "kind", "spec"),
    [
        ("every weekday at 9:00 look", "cron", "0 9 * * 1-5"),
        ("Every Weekday at 9 look", "cron", "0 9 * * 1-5"),
        ("every day at 5:30 pm, look", "cron", "30 17 * * *"),
        ("every weekend at noon: look", "cron", "0 12 * * 0,6"),
        ("every monday and friday at 17.30 look", "cron", "30 17 * * 1,5"),
        ("on mondays, wednesdays and fridays at 12am look", "cron", "0 0 * * 1,3,5"),
        ("every tue at 9 look", "cron", "0 9 * * 2"),
        ("every two hours look", "interval", "2h"),
        ("every 90 minutes look", "interval", "90m"),
        ("every hour look", "interval", "1h"),
        ("every week look", "interval", "1w"),
        ("in two hours look", "date", "2026-03-26T16:30:00+01:00"),
        ("in half an hour look", "date", "2026-03-26T15:00:00+01:00"),
        ("in 4 days look", "date", "2026-03-30T15:30:00+02:00"),
        ("tomorrow at 9:00 look", "date", "2026-03-27T09:00"),
        ("at 9:00 look", "date", "2026-03-27T09:00"),
        ("at 15:00 look", "date", "2026-03-26T15:00"),
        ("on 2026-04-01 at 9:00 look", "date", "2026-04-01T09:00"),
        ("cron 0 9 1 * * look", "cron", "0 9 1 * *"),
    ],
)
def test_a_sentence_names_its_times(words: str, kind: str, spec: str) -> None:
    """What is left of the sentence is what is to be done."""
    found = read_phrase(words, THURSDAY)
    assert (found.kind, found.spec, found.prompt) == (kind, spec, "look")


@pytest.mark.parametrize(
    "words", ["", "look at it", "every weekday at 25:00 look", "every day at 13pm look", "in two hours", "at 9:00"]
)
def test_what_cannot_be_read_is_said(words: str) -> None:
    """Never guessed."""
    with pytest.raises(BadTimes, match=r"\.$"):
        read_phrase(words, THURSDAY)


def test_the_prompt_keeps_its_spelling() -> None:
    """Names, paths and lines survive."""
    found = read_phrase("In 2 hours: read /srv/ETL\nand tell Ben", THURSDAY)
    assert found.prompt == "read /srv/ETL\nand tell Ben"


def test_in_two_hours_is_two_hours_also_when_the_clocks_change() -> None:
    """The wall shows two o'clock twice that night; two hours are two hours."""
    found = read_phrase("in two hours look", AUTUMN)
    schedule = Schedule(
        id="s1",
        owner="U1",
        team="T",
        channel="C1",
        target="dm",
        prompt="look",
        kind=found.kind,
        spec=found.spec,
        zone="Europe/Berlin",
        created_ms=round(AUTUMN.timestamp() * 1000),
    )
    (at,) = next_three(schedule, schedule.created_ms)
    assert at.astimezone(UTC).isoformat() == "2026-10-25T01:30:00+00:00"
    assert f"{at:%H:%M}" == "02:30"
