"""Stop and request in whatever order they come, and a stop while a request is still being read."""

import pytest

from tests.people.conftest import StageMaker, asked, seen
from tests.people.test_stops import stop
from tests.support.model import hang, say
from tests.support.slack import SlackMessage
from tests.support.stage import BOT, DATA, Stage
from tests.waiting import wait_until


async def deliver(stage: Stage, message: SlackMessage, text: str, *, kind: str = "message") -> None:
    """Slack's event of a message, at last."""
    about = {"channel": DATA, "user": "U0ANA", "ts": message.ts, "event_ts": message.ts, "text": text}
    event = {"type": kind, **about} if kind == "app_mention" else {"type": kind, "channel_type": "channel", **about}
    if message.thread_ts != message.ts:
        event["thread_ts"] = message.thread_ts
    await stage.slack.deliver(
        {"type": "event_callback", "team_id": "T0LOCAL", "event_id": f"Ev{message.ts}", "event": event}
    )


async def unheard(stage: Stage, text: str) -> SlackMessage:
    """A request whose event has not come: its edit alone tells the bot nothing."""
    sent = await stage.ana.send(DATA, "a note")
    await stage.ana.edit(sent, f"{BOT} {text}")
    await stage.slack.wait_idle()
    return sent


@pytest.mark.parametrize("way", ["native", "reaction", "word"])
async def test_a_stop_that_comes_before_its_request_stops_it(on_stage: StageMaker, way: str) -> None:
    """No model is asked; the thread says who stopped it; what is said next is a request like any other."""
    async with on_stage(say("Now this.")) as stage:
        sent = await unheard(stage, "delete everything")
        await stop(stage, sent, way)
        await stage.slack.wait_idle()
        await deliver(stage, sent, f"{BOT} delete everything", kind="app_mention")
        await seen(stage, sent, "Stopped by <@U0ANA>.")
        assert stage.model.bodies == []
        await stage.ana.send(DATA, "only count them", sent.ts)
        await seen(stage, sent, "Now this.")


async def test_what_was_said_before_a_stop_and_comes_after_it_starts_nothing(on_stage: StageMaker) -> None:
    """Its time says so; what was said after the stop runs, also when it comes first."""
    async with on_stage(hang(), say("Counted.")) as stage:
        sent = await asked(stage)
        await stage.model.wait_for_requests(1)
        older = await stage.ana.send(DATA, "<@U0BEN> a note", sent.ts)
        await stop(stage, sent, "word")
        await seen(stage, sent, "Stopped by <@U0ANA>.")
        await deliver(stage, older, "and delete the rest")
        await wait_until("both have their last word", lambda: last_words(stage, sent, 2))
        assert len(stage.model.bodies) == 1
        await stage.ana.send(DATA, "only count them", sent.ts)
        await seen(stage, sent, "Counted.")


async def last_words(stage: Stage, sent: SlackMessage, number: int) -> bool:
    """Whether so many runs of the thread were stopped."""
    return sum("Stopped by" in message.words for message in await stage.thread(sent)) == number


async def test_a_lone_stop_among_people_is_none(on_stage: StageMaker) -> None:
    """In a thread that nobody called the agent into, the word and the sign are theirs."""
    async with on_stage(say("Hello.")) as stage:
        root = await stage.ana.send(DATA, "shall we?")
        for way in ("word", "reaction"):
            await stop(stage, root, way)
        await stage.slack.wait_idle()
        sent = await asked(stage, "hello")
        await stage.answer(sent)
        assert [m.ts for m in await stage.thread(root) if m.user == "U0HANDRAIL"] == []
        assert await stage.slack.calls("chat.postEphemeral") == []


async def test_a_stop_ends_a_run_whose_files_are_still_being_read(on_stage: StageMaker) -> None:
    """Slack is slow to hand out a file: the stop does not wait for it, and the model is never asked."""
    async with on_stage(say("Without it.")) as stage:
        await stage.slack.fault("download", "slow", delay_ms=120_000)
        file_id = await stage.ana.upload("orders.csv", b"id,day\n")
        sent = await stage.ana.send(DATA, f"{BOT} count these", file_ids=[file_id])

        async def downloading() -> bool:
            return bool(await stage.slack.calls("download"))

        await wait_until("the file is being read", downloading)
        await stop(stage, sent, "word")
        await seen(stage, sent, "Stopped by <@U0ANA>.")
        assert stage.model.bodies == []
        await stage.ana.send(DATA, "go on without it", sent.ts)
        await seen(stage, sent, "Without it.")
        assert "it was stopped while its files were read" in str(stage.model.bodies[0])


async def test_a_stop_ends_a_run_while_a_file_of_a_further_message_is_read(on_stage: StageMaker) -> None:
    """The run is at its model when somebody adds a slow file: its Stop button does not wait for it, nor what comes
    after: the message, which was said before the stop, is taken in without its file.
    """
    async with on_stage(hang()) as stage:
        sent = await asked(stage)
        card = await stage.button(sent, "Stop")
        await stage.model.wait_for_requests(1)
        await stage.slack.fault("download", "slow", delay_ms=120_000)
        file_id = await stage.ana.upload("more.csv", b"id\n")
        await stage.ana.send(DATA, "and this one", sent.ts, file_ids=[file_id])
        await stage.ana.click(card, "Stop")
        await seen(stage, sent, "Stopped by <@U0ANA>.")
        session = f"T0LOCAL:{DATA}:{sent.ts}"

        async def is_taken_in() -> bool:
            return not await stage.core.store.read_inbox(session)

        await wait_until("the message is taken in", is_taken_in)
        assert len(stage.model.bodies) == 1
