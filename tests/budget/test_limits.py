"""Limits of one run: which one ends it, and when."""

from dataclasses import replace

import pytest

from runtime.budget.limits import exceeded, run_limits, share_used
from runtime.session.events import Usage
from runtime.session.state import RunState, Spent
from runtime.settings import RunBudget

RUN = RunState(
    run_id="r1",
    requester="U1",
    request_ts="1.0",
    agent="manus",
    model="m",
    scripted=False,
    limits=run_limits(RunBudget()),
    started_at_ms=0,
)


@pytest.mark.parametrize(
    ("spent", "limit"),
    [
        (Spent(), ""),
        (Spent(steps=49, working_ms=1_799_999, usage=Usage(input=1_999_999), micros=2_499_999), ""),
        (Spent(steps=50), "steps"),
        (Spent(working_ms=1_800_000), "wall"),
        (Spent(usage=Usage(input=1_500_000, cached=1_000_000, output=500_000)), "tokens"),
        (Spent(micros=2_500_000), "usd"),
    ],
)
def test_a_limit_ends_a_run_when_it_is_used_up(spent: Spent, limit: str) -> None:
    """Each of the four limits has its name; cached tokens are not counted twice."""
    assert (exceeded(replace(RUN, spent=spent)) or "") == limit


def test_calls_already_made_still_run_unless_time_is_up() -> None:
    """The last reply's calls are finished: only a further request would cost steps, tokens and money."""
    used = replace(RUN, spent=Spent(steps=50, micros=9_000_000), unresolved=("r1.50.0",))
    assert exceeded(used) is None
    assert exceeded(replace(used, spent=Spent(working_ms=1_800_000))) == "wall"


def test_the_share_used_is_that_of_the_nearest_limit() -> None:
    """80 % of the steps and 10 % of the money make 80 %."""
    assert share_used(replace(RUN, spent=Spent(steps=40, micros=250_000))) == 0.8


def test_a_money_limit_of_nothing_lets_a_free_model_run() -> None:
    """With `usd = 0` the first micro-dollar ends the run, and a model without a price does not."""
    free = replace(RUN, limits=RUN.limits.model_copy(update={"micros": 0}))
    assert exceeded(free) is None
    assert exceeded(replace(free, spent=Spent(micros=1))) == "usd"
