"""Deadlines of a session: derived from how its state moves, so that whoever appends an event sets and clears them."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from runtime.session.state import AgentState, RunState, SessionState

DeadlineName = Literal["run", "question", "approval", "reminder", "delivery"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Deadline:
    """Something that becomes an inbox entry when it is due, unless it is cleared before. `due_in` None clears it."""

    name: DeadlineName
    about: str
    """The id of what it is about: a run, a question, an approval."""
    due_in: timedelta | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenMatter:
    """A question or an approval that waits for a person."""

    name: Literal["question", "approval"]
    about: str
    expires_at_ms: int
    remind_at_ms: int


def open_matters(run: RunState | None) -> dict[str, OpenMatter]:
    """What waits for a person, by id."""
    matters: dict[str, OpenMatter] = {}
    if run is not None and run.open_question:
        asked = run.questions[run.open_question].asked
        matters[run.open_question] = OpenMatter(
            name="question",
            about=run.open_question,
            expires_at_ms=asked.expires_at_ms,
            remind_at_ms=asked.remind_at_ms,
        )
    if run is not None and run.open_approval:
        requested = run.approvals[run.open_approval].requested
        matters[run.open_approval] = OpenMatter(
            name="approval",
            about=run.open_approval,
            expires_at_ms=requested.expires_at_ms,
            remind_at_ms=requested.remind_at_ms,
        )
    return matters


def in_time(at_ms: int, now_ms: int) -> timedelta:
    """From now until then; never negative, so that what is overdue is due at once."""
    return timedelta(milliseconds=max(1, at_ms - now_ms))


def of_matters(before: RunState | None, after: RunState | None, now_ms: int) -> Iterator[Deadline]:
    """Expiry and reminder of what began or ceased to wait for a person."""
    old, new = open_matters(before), open_matters(after)
    for about in old.keys() - new.keys():
        yield Deadline(name=old[about].name, about=about, due_in=None)
        yield Deadline(name="reminder", about=about, due_in=None)
    for about in new.keys() - old.keys():
        matter = new[about]
        yield Deadline(name=matter.name, about=about, due_in=in_time(matter.expires_at_ms, now_ms))
        if now_ms < matter.remind_at_ms < matter.expires_at_ms:
            yield Deadline(name="reminder", about=about, due_in=in_time(matter.remind_at_ms, now_ms))


def working(run: RunState | None) -> str:
    """The id of a run whose working time passes."""
    return run.run_id if run is not None and run.state is AgentState.RUNNING else ""


def of_run(before: RunState | None, after: RunState | None) -> Iterator[Deadline]:
    """The bound of a run's working time: stands while it works, is lifted while it waits for a person."""
    old, new = working(before), working(after)
    if old == new:
        return
    if old:
        yield Deadline(name="run", about=old, due_in=None)
    if new and after is not None:
        left = max(1, after.limits.wall_ms - after.spent.working_ms)
        yield Deadline(name="run", about=new, due_in=timedelta(milliseconds=left))


def between(before: SessionState, after: SessionState, now_ms: int) -> tuple[Deadline, ...]:
    """The deadlines to set and clear when a session moves from one state to another."""
    return (*of_run(before.run, after.run), *of_matters(before.run, after.run, now_ms))
