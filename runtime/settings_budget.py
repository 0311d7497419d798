"""The sections of `handrail.toml` about what may be used, for how long, and how fairly."""

from datetime import timedelta
from decimal import Decimal
from typing import Annotated, Self
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, model_validator

from runtime.settings_base import Count, Duration, Section, Usd, micros_of


def read_zone(name: str) -> str:
    """The name of a time zone.

    Raises:
        ValueError: there is none of this name.
    """
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValueError('must be a time zone such as "UTC" or "Europe/Berlin"') from error
    return name


Zone = Annotated[str, AfterValidator(read_zone)]


class RunBudget(Section):
    """What one run may use before it asks for more, or ends with what it has. One click adds as much again."""

    steps: Count = 50
    wall: Duration = timedelta(minutes=30)
    """Working time; waiting for people does not count."""
    tokens: Count = 2_000_000
    usd: Usd = Decimal("2.50")

    @property
    def micros(self) -> int:
        """Micro-dollars."""
        return micros_of(self.usd)


class ThreadBudget(Section):
    """What all runs of one thread may use together; absent means no bound of its own."""

    tokens: Count | None = None
    usd: Usd | None = None


class DayBudget(Section):
    """What one person, channel or workspace may use per day; absent means no bound of its own."""

    per_day_tokens: Count | None = None
    per_day_usd: Usd | None = None


class PersonBudget(DayBudget):
    """What one person may use per day; a file that names only tokens keeps the bound in money."""

    per_day_usd: Usd | None = Decimal(10)


class WorkspaceBudget(DayBudget):
    """What everybody of a workspace may use together per day."""

    per_day_usd: Usd | None = Decimal(50)


class BudgetSettings(Section):
    """Limits by scope."""

    timezone: Zone = "UTC"
    """Where a day begins and ends for the limits per day."""
    run: RunBudget = RunBudget()
    thread: ThreadBudget = ThreadBudget()
    person: PersonBudget = PersonBudget()
    channel: DayBudget = DayBudget()
    workspace: WorkspaceBudget = WorkspaceBudget()


class FairSettings(Section):
    """How many runs at once, and how many requests an hour, so that nobody takes everything."""

    runs_per_person: Count = 4
    runs_per_channel: Count = 12
    runs_scheduled: Count = 4
    """Of schedules, over all processes; never more than half of what one process runs at once."""
    requests_per_person: Count = 60
    """An hour."""
    requests_per_channel: Count = 300
    """An hour."""


class TimeoutSettings(Section):
    """How long each thing may take."""

    model_silence: Duration = timedelta(seconds=120)
    """No byte from the model for so long."""
    model: Duration = timedelta(seconds=600)
    """One model request in all, retries included."""
    outage: Duration = timedelta(hours=2)
    """How long a run waits for a model that is away, trying again by itself."""
    tool: Duration = timedelta(seconds=120)
    tool_max: Duration = timedelta(seconds=600)
    """What a call may ask for at most."""
    step: Duration = timedelta(minutes=20)
    """One model request with all the calls it makes."""
    question: Duration = timedelta(hours=72)
    approval: Duration = timedelta(hours=24)
    limit: Duration = timedelta(hours=24)
    """How long a run at a limit waits for more."""
    reminder: Duration = timedelta(minutes=30)
    idle: Duration = timedelta(days=7)
    """After so long a silence replies in a thread need a mention again."""

    @model_validator(mode="after")
    def tool_fits(self) -> Self:
        """The usual timeout cannot exceed the greatest."""
        if self.tool > self.tool_max:
            raise ValueError("has tool longer than tool_max; raise tool_max or lower tool")
        return self
