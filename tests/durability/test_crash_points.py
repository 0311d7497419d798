"""The process dies at every point where it touches the outside; after a restart everything holds.

Each journey has tools, a question, two approvals, a payment that must not happen twice, a publication, a message in
the middle, a file and an answer of two parts. Every death is a real one: the process is gone without a last word.
"""

import pytest

from tests.durability.conftest import MakeJourney
from tests.durability.plan import Fate, Point

LEAST = {"commit": 30, "slack": 14, "tool": 5, "push": 5}
"""So many points of each kind a journey has at least, however many updates of one message become one."""


async def test_the_journey_ends_well_without_a_death(new_journey: MakeJourney) -> None:
    """The measure of the others, and proof that each kind of point is really counted."""
    journey = new_journey("alive")
    bot = await journey.start()
    await journey.begin()
    await journey.until_done()
    await journey.check()
    assert {point: bot.passed(point) >= least for point, least in LEAST.items()} == dict.fromkeys(LEAST, True)


@pytest.mark.timeout(1500)
@pytest.mark.parametrize("fate", ["dies before", "dies after"])
@pytest.mark.parametrize("point", ["commit", "slack", "tool", "push"])
async def test_a_death_at_any_point_loses_and_repeats_nothing(
    new_journey: MakeJourney, point: Point, fate: Fate
) -> None:
    """For every k the first bot dies at the k-th point; the second finishes, and every invariant holds."""
    deaths = 0
    while True:
        journey = new_journey(f"{point}{deaths}")
        doomed = await journey.start(journey.plan(point, deaths + 1, fate))
        await journey.begin()
        try:
            await journey.until_done()
            await journey.check()
        except AssertionError as error:
            error.add_note(f"the bot that {fate} {point} {deaths + 1}")
            raise
        await journey.bots[-1].kill()
        if journey.bots[-1] is doomed:
            break
        deaths += 1
    assert deaths >= LEAST[point]
