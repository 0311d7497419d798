"""What a run's limits, notes and outages fold to."""

from dataclasses import dataclass

from runtime.session.limit_events import LimitExtended, LimitReached, ModelAway, RunNoted


@dataclass(frozen=True, kw_only=True)
class LimitState:
    """A limit that was reached and, when it was, raised."""

    reached: LimitReached
    seq: int
    at_ms: int
    extended: LimitExtended | None = None


@dataclass(frozen=True, kw_only=True)
class NoteState:
    """A quiet note and its place in the journal."""

    noted: RunNoted
    seq: int


@dataclass(frozen=True, kw_only=True)
class AwayState:
    """An outage of the model as one run met it."""

    away: ModelAway
    """Its newest try."""
    seq: int
    is_waiting: bool = False
    """Nobody works on the run until the next try."""
    is_over: bool = False
