"""What the folds share: a run replaced, a state moved, a mapping with one entry more."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from operator import attrgetter
from typing import TypeVar, cast

from runtime.session.state import MOVES, AgentState, IllegalMove, RunState, SessionState

V = TypeVar("V")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """How the fields of one class are read and set."""

    read: Callable[[object], Sequence[object]]
    places: Mapping[str, int]
    writers: Sequence[Callable[[object, object], None]]


@cache
def shape_of(kind: type) -> Shape:
    """The shape of a dataclass with slots and without defaults that are made after the fact."""
    names = tuple(field.name for field in fields(kind))
    return Shape(
        read=cast("Callable[[object], Sequence[object]]", attrgetter(*names)),
        places={name: place for place, name in enumerate(names)},
        writers=tuple(getattr(kind, name).__set__ for name in names),
    )


def replace(value: V, **changes: object) -> V:
    """As `dataclasses.replace`, for the state's own classes (several fields, slots), at a quarter of its cost.

    Raises:
        TypeError: there is no such field.
    """
    shape = shape_of(type(value))
    parts = list(shape.read(value))
    for name, part in changes.items():
        if name not in shape.places:
            raise TypeError(f"{type(value).__name__} has no field {name}")
        parts[shape.places[name]] = part
    copy = object.__new__(type(value))
    for write, part in zip(shape.writers, parts, strict=True):
        write(copy, part)
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
