"""Each safeguard taken away makes a journey fail that holds with it: so the safeguards work, and the tests notice."""

import pytest

from tests.durability.conftest import MakeJourney
from tests.durability.journey import Journey
from tests.durability.plan import Ablation, Fate, Point


async def through(journey: Journey, point: Point, only: str, fate: Fate, without: tuple[Ablation, ...]) -> None:
    """A journey whose first bot meets its fate; nothing of it is left for the next one."""
    await journey.start(journey.plan(point, 1, fate, without=without).model_copy(update={"only": only}))
    await journey.begin()
    try:
        await journey.until_done(without)
        await journey.check()
    finally:
        await journey.zygote.kill_all()


CASES: tuple[tuple[Ablation, Point, str, Fate, str], ...] = (
    ("lookup", "slack", "chat.postMessage", "dies after", "posted twice"),
    ("intent", "tool", "pay", "dies after", "paid"),
    ("dedupe", "push", "", "dies after", "messages"),
)
"""What is taken away, where the first bot dies, and what then goes wrong: the first post, the payment, the mention."""


@pytest.mark.parametrize(("without", "point", "only", "fate", "wrong"), CASES)
async def test_without_it_a_death_does_harm(
    new_journey: MakeJourney, without: Ablation, point: Point, only: str, fate: Fate, wrong: str
) -> None:
    """The same death is survived with the safeguard and breaks an invariant without it."""
    await through(new_journey("with"), point, only, fate, ())
    with pytest.raises(AssertionError, match=wrong):
        await through(new_journey("without"), point, only, fate, (without,))
