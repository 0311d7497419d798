"""Work on a schedule through the wire: confirmed, begun, delivered, and paused when its owner may no more."""

from datetime import timedelta

from runtime.schedule.store import Schedules
from tests.scenarios_budget.conftest import StageMaker
from tests.support.model import call, calls, say
from tests.support.redis import MoveClock
from tests.support.stage import BOT, DATA
from tests.waiting import wait_until

ALWAYS = '[engine]\npark_after = "90d"\n'


async def test_a_schedule_is_confirmed_with_its_next_times_and_runs_in_its_thread(
    on_stage: StageMaker, move_clock: MoveClock
) -> None:
    """The card shows the next three times; when it is due the thread gets a new answer, once."""
    create = call("schedule", command="create", prompt="Look at the imports.", kind="interval", when="2h")
    async with on_stage(calls(create), say("Arranged."), settings=ALWAYS) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} look at the imports every two hours")
        card = await stage.button(sent, "Approve")
        assert card.words.count(":00") + card.words.count(":") >= 3
        assert "Look at the imports." in card.words
        await stage.ana.click(card, "Approve")
        assert "Arranged." in (await stage.answer(sent)).words
        stage.model.add(say("All is well."))
        await move_clock(timedelta(hours=2, minutes=1))
        await stage.slack.wait_message(DATA, sent.ts, lambda m: "All is well." in m.words, "the scheduled answer")


async def test_a_schedule_for_a_direct_message_opens_one(on_stage: StageMaker, move_clock: MoveClock) -> None:
    """The answer stands below a message that says whose schedule it is."""
    create = call("schedule", command="create", prompt="Tell me.", kind="interval", when="2h", deliver="dm")
    async with on_stage(calls(create), say("Arranged."), settings=ALWAYS) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} tell me every two hours")
        await stage.ana.click(await stage.button(sent, "Approve"), "Approve")
        await stage.answer(sent)
        stage.model.add(say("Told."))
        await move_clock(timedelta(hours=2, minutes=1))
        await stage.model.wait_for_requests(3)
        assert "Tell me." in str(stage.model.bodies[2]["messages"])


async def test_a_schedule_whose_owner_may_no_more_is_paused_and_told(
    on_stage: StageMaker, move_clock: MoveClock
) -> None:
    """Authority is asked anew each time; nothing runs on the authority of the day it was made."""
    create = call("schedule", command="create", prompt="Look.", kind="interval", when="2h")
    async with on_stage(calls(create), say("Arranged."), settings=ALWAYS) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} look every two hours")
        await stage.ana.click(await stage.button(sent, "Approve"), "Approve")
        await stage.answer(sent)
        schedules = Schedules.beside(stage.core.store)
        stage.side.conversation.incoming.access.known["U0ANA"] = (float("inf"), "guest")
        await move_clock(timedelta(hours=2, minutes=1))

        async def is_paused() -> bool:
            return all(one.paused for one in await schedules.of("U0ANA"))

        await wait_until("the schedule is paused", is_paused)
        assert len(stage.model.requests) == 2
