"""The plan of a direct message as a stream: opened once, followed by an update whatever happens to it."""

import asyncio
from dataclasses import replace

from tests.support.model import Turn, call, calls, held, say
from tests.support.slack import SlackMessage
from tests.support.stage import BOT, DATA, Stage
from tests.surface.conftest import StageMaker, called
from tests.waiting import wait_until

PLAN = calls(call("planning", command="create", title="Orders", steps=["Count", "Say"]))


def tick(number: int, status: str = "completed") -> Turn:
    """One step changes."""
    return calls(call("planning", command="mark", step_index=number, step_status=status))


async def plan_message(stage: Stage, sent: SlackMessage) -> SlackMessage:
    """The run's first message, in its last form: everything of the plan in it, once."""
    messages = [m for m in await stage.thread(sent) if any(block["type"] == "plan" for block in m.blocks)]
    assert len(messages) == 1
    return messages[0]


async def test_the_plan_of_a_direct_message_streams(on_stage: StageMaker) -> None:
    """Started with the operation's id in its first task, appended to, stopped, and brought to its last form."""
    gate = asyncio.Event()
    async with on_stage(PLAN, tick(0), held(gate, tick(1)), say("Two.")) as stage:
        sent = await stage.ana.send(stage.ana.direct, "count the orders")
        started = await called(stage.slack, "chat.startStream")
        ids = [chunk["id"] for chunk in started[0]["args"]["chunks"] if chunk["type"] == "task_update"]
        assert ids[0] == "plan:r1"
        await called(stage.slack, "chat.appendStream")
        gate.set()
        await stage.answer(sent)
        assert (await stage.slack.calls("chat.stopStream"))[-1]["ok"]
        tasks = next(block for block in (await plan_message(stage, sent)).blocks if block["type"] == "plan")["tasks"]
        assert [(task["title"], task["status"]) for task in tasks] == [("Count", "complete"), ("Say", "complete")]


async def test_row_61_a_sealed_stream_goes_on_in_the_same_message(on_stage: StageMaker) -> None:
    """Slack seals it after some minutes; the next change comes as an update, with no loss and no second message."""
    gate = asyncio.Event()
    async with on_stage(PLAN, held(gate, tick(0)), tick(1), say("Two.")) as stage:
        sent = await stage.ana.send(stage.ana.direct, "count the orders")
        await called(stage.slack, "chat.startStream")
        await stage.model.wait_for_requests(2)
        await stage.slack.seal_streams()
        gate.set()
        await stage.answer(sent)
        assert "Say" in (await plan_message(stage, sent)).words
        assert len(await stage.slack.calls("chat.startStream")) == 1


async def test_a_stream_that_is_refused_is_a_plain_message(on_stage: StageMaker) -> None:
    """Nobody notices."""
    async with on_stage(PLAN, tick(0), tick(1), say("Two.")) as stage:
        await stage.slack.fault("chat.startStream", "error", error="not_allowed_token_type")
        sent = await stage.ana.send(stage.ana.direct, "count the orders")
        await stage.answer(sent)
        await plan_message(stage, sent)


async def test_without_a_free_slot_the_next_watcher_sees_updates(on_stage: StageMaker) -> None:
    """Others took what Slack allows a minute: nothing is refused or awaited, and the plan is as complete."""
    async with on_stage(PLAN, tick(0), tick(1), say("Two.")) as stage:
        pace = stage.side.conversation.api.pace
        pace.speed = 1.0
        await stage.slack.configure(rate_limits="slack", rate_speed=pace.speed)
        # Taken so slowly that none comes back before the test has ended, whatever else this machine does.
        others = replace(pace, speed=0.01, alone={})
        while await others.take("chat.startStream", longest=0):
            pass
        sent = await stage.ana.send(stage.ana.direct, "count the orders")
        await stage.answer(sent)
        tasks = next(block for block in (await plan_message(stage, sent)).blocks if block["type"] == "plan")["tasks"]
        assert [(task["title"], task["status"]) for task in tasks] == [("Count", "complete"), ("Say", "complete")]
        made = await stage.slack.calls()
        assert "chat.startStream" not in {item["method"] for item in made}
        assert not [item["method"] for item in made if item["error"] == "ratelimited"]


async def test_a_stream_whose_answer_was_lost_is_found_again(on_stage: StageMaker) -> None:
    """Slack opened it, the reply never came: it is found by its first task, and not opened twice."""
    async with on_stage(PLAN, tick(0), tick(1), say("Two.")) as stage:
        await stage.slack.fault("chat.startStream", "reset_after")
        sent = await stage.ana.send(stage.ana.direct, "count the orders")
        await stage.answer(sent)
        await plan_message(stage, sent)


async def test_slacks_own_stop_ends_run_and_stream(on_stage: StageMaker) -> None:
    """The stream refuses more; the run ends with its last word, and the status is idle."""
    gate = asyncio.Event()
    async with on_stage(PLAN, held(gate, say("Late."))) as stage:
        sent = await stage.ana.send(stage.ana.direct, "count the orders")
        await called(stage.slack, "chat.startStream")
        await stage.model.wait_for_requests(2)
        await stage.ana.stop(stage.ana.direct, sent.ts)
        await stage.answer(sent)

        async def idle() -> bool:
            found = await stage.slack.calls("agents.sessions.setStatus")
            return bool(found) and found[-1]["args"]["status"] == "active"

        await wait_until("idle", idle)
        gate.set()


async def test_in_a_channel_the_plan_is_updated(on_stage: StageMaker) -> None:
    """Streams are few; where nobody is known to watch, none is taken."""
    async with on_stage(PLAN, tick(0), tick(1), say("Two.")) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} count the orders")
        await stage.answer(sent)
        assert not await stage.slack.calls("chat.startStream")


async def test_the_end_of_a_stream_leaves_the_status_of_a_run_that_waits(on_stage: StageMaker) -> None:
    """The stream is ended while a person is asked: the composer stays free, nothing says that it works."""
    ask = calls(call("ask_human", question="Which table?", choices=["orders", "items"]))
    async with on_stage(PLAN, ask, tick(0), tick(1), say("Two.")) as stage:
        sent = await stage.ana.send(stage.ana.direct, "count the orders")
        card = await stage.button(sent, "orders")
        ended = await called(stage.slack, "chat.stopStream")
        assert ended[0]["args"]["session_status"] == "suspended"
        await stage.ana.click(card, "orders")
        await stage.answer(sent)
