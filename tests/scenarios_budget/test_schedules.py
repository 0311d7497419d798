"""Work on a schedule through the wire: confirmed, begun once on any replica, delivered, paused without authority."""

from datetime import timedelta

from runtime.schedule.store import Schedules
from runtime.session.writer import load_state
from tests.scenarios_budget.conftest import StageMaker
from tests.support.model import call, calls, say
from tests.support.redis import MoveClock
from tests.support.slack import LocalSlack, SlackMessage
from tests.support.stage import BOT, DATA, Stage, passable_folder, staged
from tests.waiting import wait_until

ALWAYS = '[engine]\npark_after = "90d"\n'
DUE = timedelta(hours=2, minutes=1)


async def arrange(stage: Stage, deliver: str = "thread") -> SlackMessage:
    """Let Ana ask for something every two hours, and confirm it; her message."""
    create = call("schedule", command="create", prompt="Look.", kind="interval", when="2h", deliver=deliver)
    stage.model.add(calls(create), say("Arranged."))
    sent = await stage.ana.send(DATA, f"{BOT} look every two hours")
    card = await stage.button(sent, "Approve")
    assert "Look." in card.words
    assert card.words.count("day 20") == 3
    await stage.ana.click(card, "Approve")
    assert "Arranged." in (await stage.answer(sent)).words
    return sent


async def test_it_is_confirmed_with_its_next_times_and_runs_in_its_thread(
    on_stage: StageMaker, move_clock: MoveClock
) -> None:
    """The thread says whose schedule it is and gets a new answer; the run knows what asked for it, and its owner."""
    async with on_stage(settings=ALWAYS) as stage:
        sent = await arrange(stage)
        stage.model.add(say("All is well."))
        await move_clock(DUE)
        await stage.slack.wait_message(DATA, sent.ts, lambda m: "All is well." in m.words, "the scheduled answer")
        said = [m.words for m in await stage.thread(sent) if "Scheduled for <@U0ANA>: Look." in m.words]
        assert len(said) == 1
        run = (await load_state(stage.core.store, f"T0LOCAL:{DATA}:{sent.ts}")).run
        assert run is not None
        (kept,) = await Schedules.beside(stage.core.store).of("U0ANA")
        assert (run.schedule_id, run.requester) == (kept.id, "U0ANA")


async def test_after_a_downtime_it_begins_once_on_other_replicas(
    slack: LocalSlack, redis_url: str, move_clock: MoveClock
) -> None:
    """Made on one process, due three times while none ran, begun once by two others that start together."""
    async with passable_folder() as folder:
        async with staged(slack, redis_url, settings=ALWAYS, folder=folder) as first:
            await arrange(first, "channel")
        await move_clock(DUE * 3)
        async with (
            staged(slack, redis_url, [say("All is well.")], settings=ALWAYS, folder=folder) as second,
            staged(slack, redis_url, [say("All is well.")], settings=ALWAYS, folder=folder) as third,
        ):
            schedules = Schedules.beside(second.core.store)

            async def begun() -> bool:
                return all(one.fired_ms for one in await schedules.of("U0ANA"))

            await wait_until("it has begun", begun)
            opened = await slack.wait_message(DATA, None, lambda m: "Scheduled for" in m.words, "its first message")
            await slack.wait_message(DATA, opened.ts, lambda m: "All is well." in m.words, "the answer")
            assert len([m for m in await slack.messages(DATA, None) if "Scheduled for" in m.words]) == 1
            assert len(second.model.bodies) + len(third.model.bodies) == 1
            for unused in (second, third):
                unused.model.turns.clear()


async def test_an_owner_without_authority_is_told_and_it_is_paused(
    on_stage: StageMaker, slack: LocalSlack, move_clock: MoveClock
) -> None:
    """Slack is asked anew each time, whatever was known a minute ago; the owner reads in a direct message why."""
    async with on_stage(settings=ALWAYS) as stage:
        await arrange(stage)
        await slack.change_person("U0ANA", is_restricted=True)
        await move_clock(DUE)
        told = await slack.wait_message(
            stage.ana.direct, None, lambda m: "I paused your scheduled task" in m.words + m.text, "the message"
        )
        assert "you may not start tasks any more" in told.words + told.text
        (kept,) = await Schedules.beside(stage.core.store).of("U0ANA")
        assert kept.paused
        assert len(stage.model.bodies) == 2


async def test_a_channel_without_the_bot_pauses_it(
    on_stage: StageMaker, slack: LocalSlack, move_clock: MoveClock
) -> None:
    """It is not tried for ever; the owner is told what to do."""
    async with on_stage(settings=ALWAYS) as stage:
        await arrange(stage, "channel")
        await slack.set_member(DATA, "U0HANDRAIL", member=False)
        await move_clock(DUE)
        told = await slack.wait_message(
            stage.ana.direct, None, lambda m: "invite me there again" in m.words + m.text, "the message"
        )
        assert "/handrail schedule resume" in told.words + told.text
