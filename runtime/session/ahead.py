"""What a commit comes to, folded before it is made: so that it can be refused, added to and reckoned with."""

from collections.abc import Sequence
from dataclasses import dataclass

from runtime.session.events import AnyEvent
from runtime.session.fold import fold
from runtime.session.folding import replace
from runtime.session.state import SessionState

STAMPED = frozenset(
    {"run_started", "call_started", "run_finished", "question_asked", "approval_requested", "limit_reached"}
)
"""Events whose fold keeps the time of the append; the others only move the state's own clock."""


def folded(state: SessionState, events: Sequence[AnyEvent], at_ms: int) -> tuple[SessionState, ...]:
    """The states before, between and after the events of one commit."""
    states = [state]
    for event in events:
        states.append(fold(states[-1], event, at_ms=at_ms))
    return tuple(states)


def folded_at(planned: Sequence[SessionState], events: Sequence[AnyEvent], at_ms: int) -> SessionState:
    """What was folded ahead of a commit, as of the time that the server gave it.

    Only from the first event on that keeps the time is it folded again.
    """
    if not events or planned[-1].at_ms == at_ms:
        return planned[-1]
    kept = next((place for place, event in enumerate(events) if event.kind in STAMPED), len(events))
    return folded(replace(planned[kept], at_ms=at_ms), events[kept:], at_ms)[-1]


class RunOver(Exception):
    """The run ended (stopped, timed out) while this step was under way; the step gives up quietly."""


OF_STEPS = frozenset({"model_replied", "call_started", "call_finished", "question_asked", "approval_requested"})
"""What a step writes; a run that waits at a limit takes none of it."""


def is_too_late(state: SessionState, event: AnyEvent) -> bool:
    """Whether a run has ended, or was halted at a limit, while the step that writes this was under way."""
    run, run_id = state.run, getattr(event, "run_id", "")
    if run is None or run.run_id != run_id:
        return event.kind in OF_STEPS and any(earlier.run_id == run_id for earlier in state.runs)
    return not run.is_active or (bool(run.open_limit) and event.kind in OF_STEPS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """What a commit comes to, folded before it is made."""

    events: tuple[AnyEvent, ...]
    states: tuple[SessionState, ...]
    """Before, between and after the events."""
    now_ms: int
    """The time that was folded with, milliseconds of the epoch."""


def planned(state: SessionState, events: Sequence[AnyEvent], now_ms: int) -> Planned:
    """Fold a commit ahead.

    Raises:
        RunOver: the run the events belong to has ended meanwhile.
    """
    for event in events:
        if is_too_late(state, event):
            raise RunOver(f"{event.kind} comes after the end of its run or of its time; it is not written")
    return Planned(events=tuple(events), states=folded(state, events, now_ms), now_ms=now_ms)


def as_of(plan: Planned, state: SessionState) -> Planned:
    """The same commit on top of what the journal has become meanwhile; raises as `planned` does."""
    return plan if plan.states[0] is state else planned(state, plan.events, plan.now_ms)


def longer(plan: Planned, events: Sequence[AnyEvent]) -> Planned:
    """The same commit with further events; raises as `planned` does."""
    more = planned(plan.states[-1], events, plan.now_ms)
    return Planned(events=(*plan.events, *more.events), states=(*plan.states, *more.states[1:]), now_ms=plan.now_ms)
