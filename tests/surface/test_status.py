"""The status of a thread: working, waiting for a person, idle. It is never wrong for long."""

import asyncio

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
