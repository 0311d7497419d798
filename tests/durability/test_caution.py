"""Runs that do not simply go on: one that keeps killing its bots, and one that was left alone for days."""

from datetime import timedelta

import pytest

from runtime.session.events import EntryIgnored, QuestionAsked, RunOutcome
from runtime.session.interrupted import GO_ON, STOP_HERE
from runtime.session.writer import load_state
from tests.durability.conftest import MakeJourney
from tests.durability.journey import CHANNEL, Journey
from tests.support.redis import advance
from tests.support.slack import SlackMessage


async def card_with(journey: Journey, button: str) -> SlackMessage:
    """The card with this button, once it is there."""
    what = f"a card with {button}"
    return await journey.slack.wait_message(
        CHANNEL, journey.thread, lambda m: m.has_button(button), what, user="U0ANA", within=90
    )


async def purposes(journey: Journey) -> list[str]:
    """What was asked, by purpose."""
    return [event.purpose for event in await journey.events() if isinstance(event, QuestionAsked)]


@pytest.mark.timeout(400)
async def test_a_run_that_kills_its_bots_is_retried_once_then_asks(new_journey: MakeJourney) -> None:
    """The third bot does not try a third time by itself; a person says that it should, and it ends well."""
    journey = new_journey("deadly")
    await journey.start(journey.plan("tool", 1, "dies before"))
    await journey.begin()
    await journey.bots[0].ended.wait()
    await advance(journey.store.keys, journey.store, journey.lease * 2)
    await journey.start(journey.plan("tool", 1, "dies before"))
    await journey.bots[1].ended.wait()
    await journey.succeed()
    card = await card_with(journey, GO_ON)
    assert not card.has_button("Other…")
    assert (await purposes(journey), journey.bots[2].passed("tool")) == (["keeps_crashing"], 0)
    await journey.until_done()
    await journey.check()


@pytest.mark.timeout(400)
async def test_crashes_with_progress_between_them_are_not_the_runs_fault(new_journey: MakeJourney) -> None:
    """Two bots are killed at different calls before they could give the thread back: the third asks nobody."""
    journey = new_journey("unlucky")
    for at in (1, 2):
        # The second bot runs the first call again, and gets further.
        await journey.start(journey.plan("tool", at, "dies before"))
        if not journey.thread:
            await journey.begin()
        await journey.bots[-1].ended.wait()
        await advance(journey.store.keys, journey.store, journey.lease * 2)
    await journey.start()
    await journey.until_done()
    await journey.check()
    assert not {"keeps_crashing", "long_ago"} & set(await purposes(journey))


@pytest.mark.timeout(400)
async def test_hours_in_which_no_bot_lived_are_no_working_time(new_journey: MakeJourney) -> None:
    """Down for longer than `budget.run.wall` and shorter than `engine.park_after`: the run simply goes on."""
    journey = new_journey("down")
    await journey.start(journey.plan("tool", 2, "dies before"))
    await journey.begin()
    await journey.bots[0].ended.wait()
    await advance(journey.store.keys, journey.store, timedelta(hours=5))
    assert await journey.store.sweep() == 1
    await journey.start()
    await journey.until_done()
    await journey.check()
    ignored = [event.reason for event in await journey.events() if isinstance(event, EntryIgnored)]
    assert "working time is left" in ignored


@pytest.mark.timeout(400)
@pytest.mark.parametrize(("answer", "outcome"), [(GO_ON, RunOutcome.ANSWERED), (STOP_HERE, RunOutcome.STOPPED)])
async def test_a_run_left_alone_for_days_asks_whether_it_is_still_wanted(
    new_journey: MakeJourney, answer: str, outcome: RunOutcome
) -> None:
    """Nothing runs before the answer, not even the deadline of its working time; then the answer counts."""
    journey = new_journey("old")
    await journey.start(journey.plan("tool", 2, "dies before"))
    await journey.begin()
    await journey.bots[0].ended.wait()
    await advance(journey.store.keys, journey.store, timedelta(days=3))
    await journey.start()
    card = await card_with(journey, answer)
    assert (await purposes(journey), journey.bots[1].passed("tool")) == (["long_ago"], 0)
    await journey.ana.click(card, answer)
    if outcome is RunOutcome.STOPPED:
        journey.clicked.add((card.ts, GO_ON))
        journey.sent = journey.sent[:1]
    await journey.until_done()
    run = (await load_state(journey.store, journey.sid)).run
    assert run is not None
    assert run.outcome is outcome
