"""Deadlines of a session: derived from how its state moves, so that whoever appends an event sets and clears them."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from runtime.session.state import AgentState, RunState, SessionState

DeadlineName = Literal["run", "question", "approval", "limit", "model", "idle", "escalation", "reminder", "delivery"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Deadline:
    """Something that becomes an inbox entry when it is due, unless it is cleared before. `due_in` None clears it."""

    name: DeadlineName
    about: str
    """The id of what it is about: a run, a question, an approval."""
    due_in: timedelta | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenMatter:
    """What a run waits for: a person, or the model."""

    name: Literal["question", "approval", "limit", "model"]
    about: str
    expires_at_ms: int
    remind_at_ms: int = 0
    escalate_at_ms: int = 0


def open_matters(run: RunState | None) -> dict[str, OpenMatter]:
    """What is waited for, by id."""
    matters: dict[str, OpenMatter] = {}
    if run is not None and run.open_limit:
        reached = run.limits_reached[run.open_limit].reached
        matters[run.open_limit] = OpenMatter(
            name="limit",
            about=run.open_limit,
            expires_at_ms=reached.expires_at_ms,
            remind_at_ms=reached.remind_at_ms,
        )
    if run is not None and run.is_active and run.away is not None and run.away.is_waiting:
        away = run.away.away
        matters[away.away_id] = OpenMatter(name="model", about=away.away_id, expires_at_ms=away.until_ms)
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
            escalate_at_ms=requested.escalate_at_ms,
        )
    return matters


def in_time(at_ms: int, now_ms: int) -> timedelta:
    """From now until then; never negative, so that what is overdue is due at once."""
    return timedelta(milliseconds=max(1, at_ms - now_ms))


def of_matters(before: RunState | None, after: RunState | None, now_ms: int) -> Iterator[Deadline]:
    """Expiry and reminder of what a run began or ceased to wait for."""
    old, new = open_matters(before), open_matters(after)
    for about in old.keys() - new.keys():
        yield Deadline(name=old[about].name, about=about, due_in=None)
        yield Deadline(name="reminder", about=about, due_in=None)
        if old[about].escalate_at_ms:
            yield Deadline(name="escalation", about=about, due_in=None)
    for about in new.keys() - old.keys():
        matter = new[about]
        yield from of_matter(matter, now_ms)


def of_matter(matter: OpenMatter, now_ms: int) -> Iterator[Deadline]:
    """Its expiry, where it has one, and what comes before."""
    about, end = matter.about, matter.expires_at_ms
    if end:
        yield Deadline(name=matter.name, about=about, due_in=in_time(end, now_ms))
    if now_ms < matter.remind_at_ms and (not end or matter.remind_at_ms < end):
        yield Deadline(name="reminder", about=about, due_in=in_time(matter.remind_at_ms, now_ms))
    if matter.escalate_at_ms:
        yield Deadline(name="escalation", about=about, due_in=in_time(matter.escalate_at_ms, now_ms))


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


def of_silence(before: SessionState, after: SessionState) -> Iterator[Deadline]:
    """How long a thread may be silent once nothing runs in it."""
    if before.active_run is not None and after.active_run is None and after.run is not None and after.run.idle_ms:
        yield Deadline(name="idle", about="session", due_in=timedelta(milliseconds=after.run.idle_ms))
    elif before.active_run is None and after.active_run is not None and before.run is not None:
        yield Deadline(name="idle", about="session", due_in=None)


def between(before: SessionState, after: SessionState, now_ms: int) -> tuple[Deadline, ...]:
    """The deadlines to set and clear when a session moves from one state to another."""
    return (
        *of_run(before.run, after.run),
        *of_matters(before.run, after.run, now_ms),
        *of_silence(before, after),
    )
