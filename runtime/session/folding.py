"""What the folds share: a run replaced, a state moved, a mapping with one entry more."""

from collections.abc import Mapping
from typing import TypeVar

from runtime.session.state import MOVES, AgentState, IllegalMove, RunState, SessionState

V = TypeVar("V")


def replace(value: V, **changes: object) -> V:
    """As `dataclasses.replace`, for the state's own classes, at a tenth of its cost: their fields are copied at once.

    Raises:
        TypeError: there is no such field.
    """
    fields: dict[str, object] = value.__dict__
    merged = {**fields, **changes}
    if len(merged) != len(fields):
        raise TypeError(f"{type(value).__name__} has no field {', '.join(sorted(changes.keys() - fields.keys()))}")
    copy = object.__new__(type(value))
    object.__setattr__(copy, "__dict__", merged)
    return copy


def with_entry(mapping: Mapping[str, V], key: str, value: V) -> dict[str, V]:
    """A copy of a small mapping with one entry set."""
    return {**mapping, key: value}


def moved(run: RunState, to: AgentState) -> RunState:
    """The run in another agent state.

    Raises:
        IllegalMove: the table does not allow it.
    """
    if to is run.state:
        return run
    if to not in MOVES[run.state]:
        raise IllegalMove(f"{run.run_id}: {run.state} -> {to}")
    return replace(run, state=to)


def current(state: SessionState, run_id: str) -> RunState:
    """The newest run, which every run event must belong to.

    Raises:
        IllegalMove: the event is of another run.
    """
    run = state.run
    if run is None or run.run_id != run_id:
        raise IllegalMove(f"event of {run_id} while the newest run is {run.run_id if run else 'none'}")
    return run


def with_run(state: SessionState, run: RunState) -> SessionState:
    """The state with its newest run replaced."""
    return replace(state, runs=(*state.runs[:-1], run))
