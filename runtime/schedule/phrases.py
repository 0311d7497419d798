"""When work is wanted, read from a sentence: "every weekday at 9:00 look at the imports", "in two hours …"."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from runtime.schedule.records import BadTimes, Kind

NUMBERS: Final = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
SMALL: Final = {**{word: place + 1 for place, word in enumerate(NUMBERS)}, "a": 1, "an": 1}
DAYS: Final = ("sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday")
SETS: Final = {"day": "*", "weekday": "1-5", "workday": "1-5", "weekend": "0,6"}
COUNT: Final = rf"(?P<count>\d+|{'|'.join(SMALL)})"
UNIT: Final = r"(?P<unit>minute|hour|day|week)s?"
AT: Final = r"(?P<at>noon|midnight|\d{1,2}(?:[:.]\d{2})?\s*(?:am|pm)?)"
NAMES: Final = "|".join(f"{day}s?|{day[:3]}" for day in DAYS)
DAY_LIST: Final = rf"(?P<days>(?:{NAMES})(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+)(?:{NAMES}))*)"
CLOCK: Final = re.compile(r"(?P<hour>\d{1,2})(?:[:.](?P<minute>\d{2}))?\s*(?P<half>am|pm)?")
END: Final = r"(?=\W|$)[\s,:;.–—-]*(?P<prompt>.*)"


class Phrase(NamedTuple):
    """When, in the terms of a record, and what is to be done then."""

    kind: Kind
    spec: str
    prompt: str


Found = re.Match[str]


def time_of_day(text: str) -> tuple[int, int]:
    """Hour and minute.

    Raises:
        BadTimes: there is no such time.
    """
    if text in {"noon", "midnight"}:
        return (12 if text == "noon" else 0), 0
    found = CLOCK.fullmatch(text.strip())
    hour, minute = (int(found["hour"]), int(found["minute"] or 0)) if found else (99, 0)
    half = found["half"] if found else None
    if half:
        hour = hour % 12 + (12 if half == "pm" else 0) if 1 <= hour <= 12 else 99
    if hour > 23 or minute > 59:
        raise BadTimes(f"{text!r} is no time of day; write one such as 9:00 or 5pm.")
    return hour, minute


def daily(found: Found, _now: datetime) -> tuple[Kind, str]:
    """Every day, every weekday, every weekend."""
    hour, minute = time_of_day(found["at"])
    return "cron", f"{minute} {hour} * * {SETS[found['set']]}"


def weekly(found: Found, _now: datetime) -> tuple[Kind, str]:
    """On days of the week by name."""
    hour, minute = time_of_day(found["at"])
    names = re.findall(r"[a-z]{3}[a-z]*", found["days"].replace("and", " "))
    numbers = sorted({next(n for n, day in enumerate(DAYS) if day.startswith(name[:3])) for name in names})
    return "cron", f"{minute} {hour} * * {','.join(map(str, numbers))}"


def amount(found: Found) -> tuple[int, str]:
    """How many of what."""
    count = found["count"] or "one"
    return SMALL.get(count) or int(count), found["unit"]


def repeatedly(found: Found, _now: datetime) -> tuple[Kind, str]:
    """Every so long."""
    count, unit = amount(found)
    return "interval", f"{count}{unit[0]}"


def later(found: Found, now: datetime) -> tuple[Kind, str]:
    """In so long. With its distance to UTC, since the clock on the wall may stand twice at one time."""
    count, unit = (30, "minute") if found["some"] else amount(found)
    try:
        at = datetime.fromtimestamp(now.timestamp() + timedelta(**{f"{unit}s": count}).total_seconds(), now.tzinfo)
    except (OverflowError, ValueError, OSError) as error:
        raise BadTimes("That is too far away.") from error
    return "date", at.isoformat(timespec="seconds")


def once(found: Found, now: datetime) -> tuple[Kind, str]:
    """Today, tomorrow, or on a date; without a day the next time the clock stands there."""
    hour, minute = time_of_day(found["at"])
    day = found["day"]
    if day and day not in {"today", "tomorrow"}:
        return "date", f"{day}T{hour:02}:{minute:02}"
    at = now.replace(hour=hour, minute=minute, second=0, microsecond=0, fold=0)
    if day == "tomorrow" or (not day and at <= now):
        at += timedelta(days=1)
    return "date", f"{at:%Y-%m-%dT%H:%M}"


def as_crontab(found: Found, _now: datetime) -> tuple[Kind, str]:
    """Five fields, for those who know them."""
    return "cron", " ".join(found["fields"].split())


FORMS: Final[tuple[tuple[str, Callable[[Found, datetime], tuple[Kind, str]]], ...]] = (
    (rf"(?:every|each)\s+(?P<set>{'|'.join(SETS)})s?\s+at\s+{AT}", daily),
    (rf"(?:every|each|on)\s+{DAY_LIST}\s+at\s+{AT}", weekly),
    (rf"(?:every|each)\s+(?:{COUNT}\s+)?{UNIT}", repeatedly),
    (rf"in\s+(?:(?P<some>half\s+an\s+hour)|{COUNT}\s+{UNIT})", later),
    (rf"(?:(?:on\s+)?(?P<day>today|tomorrow|\d{{4}}-\d\d-\d\d)\s+)?at\s+{AT}", once),
    (r"cron\s+(?P<fields>\S+(?:\s+\S+){4})", as_crontab),
)
READERS: Final = tuple((re.compile(form + END, re.IGNORECASE | re.DOTALL), read) for form, read in FORMS)


def read_phrase(words: str, now: datetime) -> Phrase:
    """What a sentence asks for.

    Args:
        words: begins with when, then says what.
        now: in the person's time zone.

    Raises:
        BadTimes: it cannot be read; the text says what can.
    """
    text = words.strip()
    for form, read in READERS:
        found = form.match(text)
        if found is None:
            continue
        kind, spec = read(lowered(found), now)
        if not found["prompt"].strip():
            raise BadTimes("Say what I should do then, after the time.")
        return Phrase(kind, spec, found["prompt"].strip())
    raise BadTimes("I can't tell from this when it should be.")


def lowered(found: Found) -> Found:
    """The same match in small letters, so that each reader knows one spelling."""
    small = found.re.match(found.string.lower())
    return found if small is None else small
