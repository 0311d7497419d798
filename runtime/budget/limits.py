"""Limits of one run: taken from the settings when it starts, checked before each step."""

from datetime import timedelta
from typing import Final

from runtime.session.events import NoteCode, RunLimits, RunNoted, Usage
from runtime.session.limit_events import Limited
from runtime.session.state import RunState
from runtime.settings import RunBudget

NEAR: Final = 0.8
"""Of a limit: so much used is said."""
DURING_CALLS: Final[tuple[Limited, ...]] = ("wall",)
BEFORE_A_REQUEST: Final[tuple[Limited, ...]] = ("steps", "wall", "tokens", "usd")


def run_limits(budget: RunBudget) -> RunLimits:
    """The limits a new run gets."""
    return RunLimits(
        steps=budget.steps,
        wall_ms=budget.wall // timedelta(milliseconds=1),
        tokens=budget.tokens,
        micros=budget.micros,
    )


def shares(run: RunState) -> dict[str, float]:
    """How much of each limit is used: 1.0 is all of it."""
    limits, spent = run.limits, run.spent
    return {
        "steps": spent.steps / max(1, limits.steps),
        "wall": spent.working_ms / max(1, limits.wall_ms),
        "tokens": spent.usage.total / max(1, limits.tokens),
        # A limit of nothing is a limit: a model that costs nothing may still run under it.
        "usd": spent.micros / limits.micros if limits.micros else float(spent.micros > 0),
    }


def exceeded(run: RunState) -> Limited | None:
    """The limit that halts the run before its next step; None while it may go on.

    Calls that the model already made still run, since only a further model request costs steps, tokens and money.
    """
    used = shares(run)
    names = DURING_CALLS if run.unresolved else BEFORE_A_REQUEST
    return next((name for name in names if used[name] >= 1), None)


def own_notes(run: RunState, usage: Usage, micros: int, elapsed_ms: int) -> list[RunNoted]:
    """A quiet note for each of the run's limits of which four fifths are used with its next reply.

    Args:
        run: before the reply.
        usage: the reply's tokens.
        micros: its price.
        elapsed_ms: how long it took.
    """
    spent = run.spent
    used = {
        "steps": (spent.steps + 1, run.limits.steps),
        "wall": (spent.working_ms + elapsed_ms, run.limits.wall_ms),
        "tokens": (spent.usage.total + usage.total, run.limits.tokens),
        "usd": (spent.micros + micros, run.limits.micros),
    }
    said = {note.noted.note_id for note in run.notes}
    notes: list[RunNoted] = []
    for what, (amount, limit) in used.items():
        note_id = f"near:{run.run_id}:{what}:{limit}"
        if limit * NEAR <= amount < limit and note_id not in said:
            about = {"scope": "run", "what": what, "used": str(amount), "limit": str(limit)}
            notes.append(RunNoted(run_id=run.run_id, note_id=note_id, code=NoteCode.NEAR, about=about))
    return notes


def share_used(run: RunState) -> float:
    """The greatest share of any limit, for a note before the end comes."""
    return max(shares(run).values())
