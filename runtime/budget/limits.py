"""Limits of one run: taken from the settings when it starts, checked before each step."""

from datetime import timedelta

from runtime.session.events import RunLimits
from runtime.session.state import RunState
from runtime.settings import RunBudget


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


def exceeded(run: RunState) -> str:
    """The limit that ends the run before its next step: steps, wall, tokens or usd; empty while it may go on.

    Calls that the model already made still run, since only a further model request costs steps, tokens and money.
    """
    used = shares(run)
    names = ("wall",) if run.unresolved else ("steps", "wall", "tokens", "usd")
    return next((name for name in names if used[name] >= 1), "")


def share_used(run: RunState) -> float:
    """The greatest share of any limit, for a note before the end comes."""
    return max(shares(run).values())
