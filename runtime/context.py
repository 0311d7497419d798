"""Which session and run the code at hand works for, so that each log line can say it."""

from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final


@dataclass(slots=True)
class Work:
    """One session at work. The tasks beside the agent hold the same one, so they know of a run that begins later."""

    session: str = ""
    run: str = ""


WORK: Final[ContextVar[Work | None]] = ContextVar("work", default=None)


def at_work_on(run_id: str) -> None:
    """Take note of the run."""
    work = WORK.get()
    if work is not None:
        work.run = run_id
