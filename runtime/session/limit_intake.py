"""What clicks and deadlines mean for a limit that was reached, and for a model that is away. Pure; see `intake.py`."""

from runtime.policy.approvers import may_decide
from runtime.session.entries import DeadlineEntry, DecisionEntry
from runtime.session.events import (
    AnyEvent,
    EntryIgnored,
    LimitExtended,
    LimitReached,
    ModelTried,
    NoticeCode,
    NoticeQueued,
    RunFinished,
    RunOutcome,
    SessionParked,
)
from runtime.session.limit_events import Limited
from runtime.session.limit_state import LimitState
from runtime.session.state import AgentState, RunState, SessionState


def find_limit(state: SessionState, limit_id: str) -> LimitState | None:
    """The limit with this id in any run of the session."""
    return next((run.limits_reached[limit_id] for run in reversed(state.runs) if limit_id in run.limits_reached), None)


def on_limit_decision(
    state: SessionState, entry: DecisionEntry, known: LimitState, now_ms: int
) -> tuple[AnyEvent, ...]:
    """More, or the end: the first click of somebody who may wins."""
    run, reached = state.active_run, known.reached
    if run is None or run.open_limit != entry.approval_id or now_ms >= reached.expires_at_ms:
        by = known.extended.by if known.extended else ""
        return told(entry, NoticeCode.ALREADY_DECIDED, by=by, verdict="extended" if known.extended else "ended")
    if not may_decide(reached.approvers, entry.by, run.requester, entry.groups, standing=entry.standing):
        who = (run.requester if one == "requester" else one for one in reached.approvers)
        return told(entry, NoticeCode.NOT_APPROVER, approvers=",".join(who))
    if entry.verdict == "approved":
        return (LimitExtended(run_id=run.run_id, limit_id=reached.limit_id, added=reached.adds, by=entry.by),)
    return ended_at(run, reached, by=entry.by)


def on_time(state: SessionState, entry: DeadlineEntry, now_ms: int) -> tuple[AnyEvent, ...]:
    """A deadline of working time, of a limit, of a model that is away, or of silence; empty for any other."""
    run, about = state.active_run, entry.about
    if entry.name == "idle":
        return on_idle_deadline(state, entry.entry_id)
    if run is None:
        return ()
    if entry.name == "run" and about == run.run_id and run.state is AgentState.RUNNING:
        return on_wall_deadline(run, now_ms)
    if entry.name == "limit" and about == run.open_limit:
        return on_limit_deadline(run)
    away = run.away
    if entry.name == "model" and away is not None and away.is_waiting and about == away.away.away_id:
        return (ModelTried(run_id=run.run_id, away_id=about),)
    return ()


def on_limit_deadline(run: RunState) -> tuple[AnyEvent, ...]:
    """Nobody added in time; or the day is over, and with it the day's limit."""
    reached = run.limits_reached[run.open_limit].reached
    if reached.new_day:
        return (LimitExtended(run_id=run.run_id, limit_id=reached.limit_id, added=0),)
    return ended_at(run, reached)


def on_wall_deadline(run: RunState, now_ms: int) -> tuple[AnyEvent, ...]:
    """The working time is used up, in the middle of a step."""
    reached = own_limit(run, "wall", now_ms)
    if reached is not None:
        return (reached,)
    return (RunFinished(run_id=run.run_id, outcome=RunOutcome.LIMIT, detail="wall"),)


def on_idle_deadline(state: SessionState, entry_id: str) -> tuple[AnyEvent, ...]:
    """A silent thread is parked; one that was spoken in meanwhile is not."""
    if state.active_run is not None or state.untaken:
        return (EntryIgnored(entry=entry_id, reason="idle deadline of a thread at work"),)
    return (SessionParked(),)


def own_limit(run: RunState, what: Limited, now_ms: int) -> LimitReached | None:
    """The card of one of the run's own limits; None where nobody may add to it."""
    if run.more is None or not run.more.approvers:
        return None
    more, limits, spent = run.more, run.limits, run.spent
    used, limit, adds = {
        "steps": (spent.steps, limits.steps, more.steps),
        "wall": (spent.working_ms, limits.wall_ms, more.wall_ms),
        "tokens": (spent.usage.total, limits.tokens, more.tokens),
        "usd": (spent.micros, limits.micros, more.micros),
    }[what]
    if not adds:
        return None
    return LimitReached(
        run_id=run.run_id,
        limit_id=f"{run.run_id}.limit{len(run.limits_reached) + 1}",
        what=what,
        used=used,
        limit=limit,
        adds=adds,
        approvers=more.approvers,
        expires_at_ms=now_ms + more.wait_ms,
        remind_at_ms=now_ms + more.remind_ms,
    )


def ended_at(run: RunState, reached: LimitReached, *, by: str = "") -> tuple[AnyEvent, ...]:
    """The run's end at a limit, with what it has."""
    detail = limit_detail(reached.scope, reached.what, reached.limit)
    return (RunFinished(run_id=run.run_id, outcome=RunOutcome.LIMIT, detail=detail, by=by),)


def limit_detail(scope: str, what: str, limit: int) -> str:
    """How a run's end names a limit; the run's own ones by their name alone, since the run knows them."""
    return what if scope == "run" else f"{scope}:{what}:{limit}"


def told(entry: DecisionEntry, code: NoticeCode, **about: str) -> tuple[AnyEvent, ...]:
    """The person is told privately why nothing happened."""
    return (NoticeQueued(notice_id=f"notice:{entry.entry_id}", code=code, to=entry.by, about=about),)
