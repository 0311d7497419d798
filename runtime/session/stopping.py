"""Which stop ends what: decided by the moments that Slack gave, never by what arrived first. Pure."""

from collections.abc import Iterable
from typing import Final

from runtime.session.entries import AnswerEntry, AnyEntry, MessageEntry, StopEntry
from runtime.session.events import AnyEvent, RunFinished, RunOutcome, RunStarted
from runtime.session.folding import replace
from runtime.session.state import RunState, SessionState

FAR: Final = "9999999999.999999"
"""The moment of a stop that names none: it ends whatever is going on when it is taken in."""
AHEAD_SECONDS: Final = 86_400
"""A moment further ahead of the server's clock is none, `FAR` for one: it would silence the thread."""
UNREAD: Final = "it was stopped while its files were read"


def ends(run: RunState | None, stop: StopEntry) -> bool:
    """Whether a stop ends a run: it is meant, and was asked for before the stop."""
    if run is None or (stop.run_id and stop.run_id != run.run_id):
        return False
    return float(run.request_ts or 0) < float(stop.before_ts)


def is_before(ts: str, moment: str) -> bool:
    """Whether something was said before a moment; no moment, no."""
    return bool(moment) and float(ts) < float(moment)


def was_stopped(state: SessionState, entry: MessageEntry) -> bool:
    """Whether a message that comes in now was said before a stop that was heard already."""
    return entry.is_timed and not entry.schedule_id and is_before(entry.ts, state.stopped_ts)


def makes_vain(stop: StopEntry, entry: AnyEntry, run: RunState | None) -> bool:
    """Whether a stop that waits behind an entry leaves nothing for which its files had to be read."""
    if isinstance(entry, AnswerEntry):
        return ends(run, stop)
    is_other = bool(stop.run_id) and (run is None or run.run_id != stop.run_id)
    return isinstance(entry, MessageEntry) and not is_other and is_before(entry.ts, stop.before_ts)


def is_vain(entry: AnyEntry, waiting: Iterable[AnyEntry | str | None], state: SessionState) -> bool:
    """The same for everything that waits, and for a stop that was heard already because it may overtake."""
    if isinstance(entry, MessageEntry) and was_stopped(state, entry):
        return True
    return any(isinstance(other, StopEntry) and makes_vain(other, entry, state.active_run) for other in waiting)


def unread(entry: AnyEntry) -> AnyEntry:
    """An entry whose files nobody fetched, and which says so."""
    if not isinstance(entry, MessageEntry | AnswerEntry):
        return entry
    files = tuple(file.model_copy(update={"problem": UNREAD}) for file in entry.attachments)
    return entry.model_copy(update={"attachments": files})


def begun(state: SessionState, started: RunStarted) -> tuple[AnyEvent, ...]:
    """A run's first event; its last as well where everything it is for was said before a stop."""
    if not state.untaken or not all(message.is_stopped for message in state.untaken):
        return (started,)
    by, until = state.stopped_by, state.stopped_ts
    return started, RunFinished(run_id=started.run_id, outcome=RunOutcome.STOPPED, by=by, until_ts=until)


def unheld(state: SessionState) -> SessionState:
    """Without messages from before the newest stop that no model has read yet: a newer run is not for them."""
    held = tuple(message for message in state.held if not is_before(message.ts, state.stopped_ts))
    return state if held == state.held else replace(state, held=held)


def noted(state: SessionState, ts: str, by: str) -> SessionState:
    """The newest moment that a stop was heard of, which only rises."""
    if not ts or is_before(ts, state.stopped_ts) or float(ts) > state.at_ms / 1000 + AHEAD_SECONDS:
        return state
    return replace(state, stopped_ts=ts, stopped_by=by)
