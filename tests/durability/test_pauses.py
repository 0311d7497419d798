"""A bot that is frozen for longer than its lease wakes up beside the one that took over."""

import asyncio
import signal
from datetime import timedelta

import pytest

from runtime.session.state import IllegalMove
from runtime.session.writer import load_state
from tests.durability.bots import Bot
from tests.durability.conftest import MakeJourney
from tests.durability.journey import Journey
from tests.durability.plan import Ablation
from tests.waiting import wait_until

LEASE = timedelta(seconds=3)
"""Real time has to pass here: the frozen process must see that its lease may have lapsed."""


async def overtaken(journey: Journey, at: int, without: tuple[Ablation, ...] = ()) -> Bot:
    """A bot that froze before a commit, and whose run a second one has brought to its end."""
    # What Slack gives to the frozen one comes to nothing after its own 3 seconds, and is given to the other.
    await journey.slack.configure(ack_seconds=3.0)
    frozen = await journey.start(journey.plan("commit", at, "freezes before", without=without))
    await journey.begin()
    await wait_until("the bot freezes", lambda: act_until_frozen(journey), within=120)
    await journey.start(journey.plan(without=without))
    await wait_until("the other bot ends the run", lambda: act_until_ended(journey), within=120)
    return frozen


async def woken(journey: Journey, frozen: Bot, without: tuple[Ablation, ...] = ()) -> None:
    """It wakes, and the thread comes to rest."""
    frozen.signal(signal.SIGCONT)
    # Asked to end as well, it does what it still had in hand and is then gone.
    frozen.signal(signal.SIGTERM)
    async with asyncio.timeout(120):
        await frozen.ended.wait()
    await journey.until_done(without)


async def act_until_frozen(journey: Journey) -> bool:
    """Do what people do while the bot still answers."""
    if await journey.bots[0].is_frozen():
        return True
    await journey.act(await journey.slack.messages("C0DATA", journey.thread, user="U0ANA"))
    return False


async def act_until_ended(journey: Journey) -> bool:
    """Do what people do until the run has ended."""
    await journey.act(await journey.slack.messages("C0DATA", journey.thread, user="U0ANA"))
    run = (await load_state(journey.store, journey.sid)).run
    return run is not None and not run.is_active


@pytest.mark.timeout(400)
@pytest.mark.parametrize("at", [3, 15, 27])
async def test_a_bot_that_wakes_after_a_takeover_changes_nothing(new_journey: MakeJourney, at: int) -> None:
    """What it had in hand is refused by the server; every invariant holds."""
    journey = new_journey("frozen", lease=LEASE)
    await woken(journey, await overtaken(journey, at))
    await journey.check()


@pytest.mark.timeout(400)
async def test_without_the_fence_it_does_harm(new_journey: MakeJourney) -> None:
    """The journal gets what two runners wrote: something twice, or something that cannot be folded."""
    journey = new_journey("unfenced", lease=LEASE)
    frozen = await overtaken(journey, 9, ("fence",))
    with pytest.raises((AssertionError, IllegalMove)):
        await woken(journey, frozen, ("fence",))
        await journey.check()
