"""The status of a thread: working, waiting for a person, idle. It is never wrong for long."""

import asyncio

import pytest

from runtime.session.ids import SessionKey
from tests.support.model import call, calls, held, say
from tests.support.slack import LocalSlack
from tests.support.stage import BOT, DATA
from tests.surface.conftest import StageMaker, called, statuses
from tests.waiting import wait_until

QUESTION = calls(call("ask_human", question="Which table?", choices=["orders", "items"]))


async def test_the_status_says_working_waiting_and_idle(on_stage: StageMaker) -> None:
    """Processing while it works; suspended while a person has to answer, so that the composer is free; then active."""
    gate = asyncio.Event()
    async with on_stage(held(gate, QUESTION), say("Done.")) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} clean the orders")
        await wait_until("working", lambda: seen(stage.slack, "processing"))
        gate.set()
        card = await stage.button(sent, "orders")
        await wait_until("waiting", lambda: seen(stage.slack, "suspended"))
        await stage.ana.send(DATA, "orders", card.thread_ts)
        await stage.answer(sent)
        await wait_until("idle", lambda: seen(stage.slack, "active"))
        named = [item["args"].get("title") for item in await stage.slack.calls("agents.sessions.setStatus")]
        assert named[0] == "clean the orders"
        assert (await statuses(stage.slack))[-1] == "active"


async def seen(slack: LocalSlack, status: str) -> bool:
    """Whether the newest status is this one."""
    found = await statuses(slack)
    return bool(found) and found[-1] == status


async def test_row_47_a_status_under_way_never_lands_after_the_question(on_stage: StageMaker) -> None:
    """Slack takes a second for "processing"; the question comes meanwhile, and the composer is free in the end."""
    async with on_stage(QUESTION, say("Done.")) as stage:
        await stage.slack.fault("agents.sessions.setStatus", "slow", delay_ms=1_000)
        sent = await stage.ana.send(DATA, f"{BOT} clean the orders")
        await stage.button(sent, "orders")
        await wait_until("waiting", lambda: seen(stage.slack, "suspended"))
        await stage.ana.send(DATA, "orders", sent.ts)
        await stage.answer(sent)


async def test_row_63_the_status_is_set_again_after_a_message_in_the_middle(on_stage: StageMaker) -> None:
    """A message of ours may take it away, though the run goes on."""
    gate = asyncio.Event()
    look = calls(call("bash", command="true"))
    async with on_stage(look, held(gate, say("Done."))) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} look")
        await stage.button(sent, "Show output")

        async def twice() -> bool:
            return (await statuses(stage.slack)).count("processing") >= 2

        await wait_until("the status once more", twice)
        gate.set()
        await stage.answer(sent)


async def test_an_older_installation_gets_the_older_status(on_stage: StageMaker) -> None:
    """Where agent sessions are refused, the line under the thread says it instead, for this and every later thread."""
    gate = asyncio.Event()
    async with on_stage(held(gate, say("Done."))) as stage:
        await stage.slack.fault("agents.sessions.setStatus", "error", error="unknown_method")
        sent = await stage.ana.send(DATA, f"{BOT} look")
        lines = await called(stage.slack, "assistant.threads.setStatus")
        assert lines[0]["args"]["status"] == "is working…"
        gate.set()
        await stage.answer(sent)

        async def cleared() -> bool:
            return (await stage.slack.calls("assistant.threads.setStatus"))[-1]["args"]["status"] == ""

        await wait_until("the line cleared", cleared)
        assert len(await stage.slack.calls("agents.sessions.setStatus")) == 1


@pytest.mark.parametrize("by", ["U0ANA", "U0HANDRAIL"])
async def test_a_title_that_a_person_gave_stays(on_stage: StageMaker, slack: LocalSlack, by: str) -> None:
    """The thread takes the plan's name as its own, unless a person has named it."""
    gate, later = asyncio.Event(), asyncio.Event()
    plan = calls(call("planning", command="create", title="Orders", steps=["Count"]))
    mark = calls(call("planning", command="mark", step_index=0, step_status="completed"))
    async with on_stage(held(gate, plan), held(later, mark), say("Two.")) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} count the orders")
        await wait_until("working", lambda: seen(stage.slack, "processing"))
        event = {
            "type": "agent_session_title_changed",
            "channel": DATA,
            "user": by,
            "team_id": "T0LOCAL",
            "thread_ts": sent.ts,
            "title": "My orders",
            "event_ts": "1.9",
        }
        await stage.slack.deliver(event)
        await stage.slack.wait_idle()
        if by == "U0ANA":
            # Acknowledged before it is kept.
            key = SessionKey(team="T0LOCAL", channel=DATA, thread_ts=sent.ts)
            await wait_until("the name is known", lambda: stage.side.conversation.titles.given(key))
        gate.set()
        await stage.model.wait_for_requests(2)
        later.set()
        await stage.answer(sent)
        await wait_until("idle", lambda: seen(stage.slack, "active"))
        if by == "U0HANDRAIL":
            await called(stage.slack, "agents.sessions.rename")
    # The name is given after the status, so it is looked at when nobody works any more.
    renamed = [item["args"]["title"] for item in await slack.calls("agents.sessions.rename")]
    assert renamed == ([] if by == "U0ANA" else ["Orders"])
