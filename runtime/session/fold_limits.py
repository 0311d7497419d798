"""The fold of limits, quiet notes, and waiting for a model that is away. All pure; see `fold.py`."""

from runtime.session.folding import current, moved, replace, with_entry, with_run
from runtime.session.limit_events import LimitExtended, LimitReached, ModelAway, ModelTried, RunNoted, SessionParked
from runtime.session.limit_state import AwayState, LimitState, NoteState
from runtime.session.run_limits import RunLimits
from runtime.session.state import AgentState, RunState, SessionState

FIELDS = {"steps": "steps", "wall": "wall_ms", "tokens": "tokens", "usd": "micros"}


def on_limit_reached(state: SessionState, event: LimitReached) -> SessionState:
    """The run waits for more."""
    run = moved(current(state, event.run_id), AgentState.WAITING)
    reached = LimitState(reached=event, seq=state.seq, at_ms=state.at_ms)
    known = with_entry(run.limits_reached, event.limit_id, reached)
    run = replace(run, limits_reached=known, open_limit=event.limit_id)
    return with_run(state, run)


def on_limit_extended(state: SessionState, event: LimitExtended) -> SessionState:
    """The run goes on; a limit of its own is raised here, any other in the ledger."""
    run = moved(current(state, event.run_id), AgentState.RUNNING)
    known = run.limits_reached[event.limit_id]
    run = replace(
        run,
        limits_reached=with_entry(run.limits_reached, event.limit_id, replace(known, extended=event)),
        open_limit="",
    )
    if known.reached.scope == "run":
        run = replace(run, limits=raised(run.limits, known.reached.what, event.added))
    return with_run(state, run)


def raised(limits: RunLimits, what: str, added: int) -> RunLimits:
    """The limits with one of them higher."""
    name = FIELDS[what]
    return limits.model_copy(update={name: getattr(limits, name) + added})


def on_noted(state: SessionState, event: RunNoted) -> SessionState:
    """A note is to be seen in the thread, once, whichever request of a step brought it."""
    run = current(state, event.run_id)
    if any(note.noted.note_id == event.note_id for note in run.notes):
        return state
    return with_run(state, replace(run, notes=(*run.notes, NoteState(noted=event, seq=state.seq))))


def on_away(state: SessionState, event: ModelAway) -> SessionState:
    """The run waits for the model."""
    run = moved(current(state, event.run_id), AgentState.WAITING)
    known = run.outages.get(event.away_id)
    seq = known.seq if known else state.seq
    away = AwayState(away=event, seq=seq, is_waiting=True)
    return with_run(state, replace(run, outages=with_entry(run.outages, event.away_id, away)))


def on_tried(state: SessionState, event: ModelTried) -> SessionState:
    """The model is asked again."""
    run = moved(current(state, event.run_id), AgentState.RUNNING)
    away = replace(run.outages[event.away_id], is_waiting=False)
    return with_run(state, replace(run, outages=with_entry(run.outages, event.away_id, away)))


def with_model_back(run: RunState) -> RunState:
    """The run after a reply of the model: no outage is open any more."""
    if not run.away:
        return run
    return replace(run, outages={key: replace(away, is_over=True) for key, away in run.outages.items()})


def on_parked(state: SessionState, _event: SessionParked) -> SessionState:
    """Replies need a mention until the next one comes."""
    return replace(state, parked=True)
