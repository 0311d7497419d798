"""Work on a schedule as a record: what is asked, when, in whose name, and where the answer goes."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Literal, Protocol, cast
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from apscheduler.triggers.cron import CronTrigger  # pyright: ignore[reportMissingTypeStubs] # it has none
from apscheduler.triggers.date import DateTrigger  # pyright: ignore[reportMissingTypeStubs]
from apscheduler.triggers.interval import IntervalTrigger  # pyright: ignore[reportMissingTypeStubs]
from pydantic import BaseModel, ConfigDict

from runtime.durations import read_duration

Kind = Literal["cron", "interval", "date"]
Target = Literal["thread", "channel", "dm"]
SHORTEST = timedelta(minutes=5)
DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
NUMBER = re.compile(r"(?<!/)\b[0-7]\b")


class BadTimes(Exception):
    """What was asked for is no time that will come; the text says why, for the model and the person."""


class Trigger(Protocol):
    """What is used of APScheduler's triggers, which have no annotations."""

    def get_next_fire_time(self, previous: datetime | None, now: datetime, /) -> datetime | None:
        """The first time after `previous` that is not before `now`."""
        ...


class Schedule(BaseModel):
    """One record, kept as JSON."""

    model_config = ConfigDict(frozen=True, extra="allow")

    v: int = 1
    id: str
    owner: str
    """Whose authority it runs with, checked each time."""
    team: str
    channel: str
    thread_ts: str = ""
    target: Target
    prompt: str
    kind: Kind
    spec: str
    """cron: five fields; interval: a duration such as "2h"; date: 2026-01-31T09:00, in `zone` where it names none."""
    zone: str
    created_ms: int
    paused: bool = False
    why_paused: str = ""
    """Empty where its owner paused it; else why the runtime did."""
    fired_ms: int = 0
    """When it was last due and begun."""

    def trigger(self) -> Trigger:
        """APScheduler's trigger, which knows what daylight saving does.

        Raises:
            BadTimes: the times cannot be read.
        """
        try:
            zone = ZoneInfo(self.zone)
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            raise BadTimes(f"{self.zone!r} is no time zone; write one such as Europe/Berlin.") from error
        try:
            return made(self, zone)
        except (ValueError, KeyError, TypeError) as error:
            raise BadTimes(f"{self.spec!r} cannot be read as {self.kind}: {error}.") from error

    @property
    def has_fixed_hours(self) -> bool:
        """Whether it names hours: then the hour that comes twice when the clocks go back counts once."""
        return self.kind == "cron" and "*" not in self.spec.split()[1]

    def times(self, after: datetime) -> Iterator[datetime]:
        """Every time that is still to come, in order, in the schedule's zone."""
        trigger, now = self.trigger(), after
        while (found := trigger.get_next_fire_time(None, now)) is not None:
            if found < after:
                return  # A date that is over: its trigger names it all the same.
            if not (found.fold and self.has_fixed_hours):
                yield found
            if self.kind == "date":
                return
            # In UTC, since the clock on the wall may stand twice at one time.
            now = found.astimezone(UTC) + timedelta(microseconds=1)

    def next_ms(self, after_ms: int) -> int:
        """The next time in Unix milliseconds; 0 when there is none any more."""
        after = datetime.fromtimestamp(after_ms / 1000, UTC) + timedelta(microseconds=1)
        found = next(self.times(after), None)
        return 0 if found is None else round(found.timestamp() * 1000)


def made(schedule: Schedule, zone: ZoneInfo) -> Trigger:
    """The trigger of a kind."""
    if schedule.kind == "cron":
        minute, hour, day, month, weekday = schedule.spec.split()
        fields: Mapping[str, object] = {
            "minute": minute,
            "hour": hour,
            "day": day,
            "month": month,
            "day_of_week": named_days(weekday),
            "timezone": zone,
        }
        return cast("Trigger", CronTrigger(**fields))
    if schedule.kind == "interval":
        every = read_duration(schedule.spec)
        if every < SHORTEST:
            raise ValueError(f"shorter than {SHORTEST // timedelta(minutes=1)} minutes")
        start = datetime.fromtimestamp(schedule.created_ms / 1000, UTC) + every
        return cast("Trigger", IntervalTrigger(seconds=round(every.total_seconds()), start_date=start, timezone=zone))
    run_date = datetime.fromisoformat(schedule.spec)
    if run_date.tzinfo is not None:
        run_date = run_date.astimezone(zone)
    return cast("Trigger", DateTrigger(run_date=run_date, timezone=zone))


def named_days(weekday: str) -> str:
    """Weekdays by name: crontab counts from Sunday, APScheduler from Monday."""
    return NUMBER.sub(lambda found: DAYS[int(found[0]) % 7], weekday)


def next_three(schedule: Schedule, after_ms: int) -> tuple[datetime, ...]:
    """The next three times, for the person who confirms.

    Raises:
        BadTimes: there is none, they come too often, or they cannot be read.
    """
    times = schedule.times(datetime.fromtimestamp(after_ms / 1000, UTC))
    found = tuple(time for time, _ in zip(times, range(3), strict=False))
    if not found:
        raise BadTimes(f"{schedule.spec} in {schedule.zone} is already over.")
    if any(later - earlier < SHORTEST for earlier, later in pairwise(time.astimezone(UTC) for time in found)):
        raise BadTimes(f"{schedule.spec!r} comes more often than every {SHORTEST // timedelta(minutes=1)} minutes.")
    return found
