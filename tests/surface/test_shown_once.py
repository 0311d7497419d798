"""What is shown is shown economically and in Slack's own forms: few updates, native tables, a status by each state."""

import asyncio

import pytest

from bot.delivery import poster
from bot.delivery.status import status_of
from runtime.session.events import AnyEvent, SessionParked
from tests.session.story import asked, finished, replied, requested, said, started, told
from tests.support.model import call, calls, held, say
from tests.support.stage import BOT, DATA
from tests.surface.conftest import StageMaker

TABLE = "Two orders are late:\n\n| order | days |\n|---|--:|\n| **17** | 3 |\n| 18 | 12 |\n\nAsk Ben."


async def test_progress_is_coalesced_and_the_end_is_shown_at_once(
    on_stage: StageMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two updates of a message lie three seconds, as Slack advises; here an hour, so only the end shows."""
    assert poster.UPDATE_EVERY == 3.0
    monkeypatch.setattr(poster, "UPDATE_EVERY", 3_600.0)
    steps = [call("planning", command="mark", step_index=n, step_status="completed") for n in range(3)]
    plan = call("planning", command="create", title="Three", steps=["One", "Two", "Three"])
    async with on_stage(calls(plan), *(calls(step) for step in steps), say("Done.")) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} go")
        await stage.answer(sent)
        await stage.slack.wait_idle()
        updates = await stage.slack.calls("chat.update")
        assert updates
        assert all("Done" in str(update["args"]["blocks"]) for update in updates)


async def test_a_table_of_the_answer_is_slacks_own_and_survives_a_refusal(on_stage: StageMaker) -> None:
    """As a table block; where Slack refuses the blocks, every cell is there in words."""
    gate = asyncio.Event()
    async with on_stage(say(TABLE), held(gate, say(TABLE))) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} which are late?")
        answer = await stage.answer(sent)
        assert [block["type"] for block in answer.blocks] == ["markdown", "table", "markdown", "context"]
        other = await stage.ana.send(DATA, f"{BOT} and elsewhere?")
        await stage.button(other, "Stop")
        await stage.slack.fault("chat.postMessage", "error", error="invalid_blocks")
        gate.set()
        plain = await stage.slack.wait_message(DATA, other.ts, lambda m: "18 | 12" in m.words, "the table in words")
        assert not any(block["type"] == "table" for block in plain.blocks)


@pytest.mark.parametrize(
    ("events", "status"),
    [
        ((), None),
        ((started(),), "processing"),
        ((started(), replied("ask_human"), asked()), "suspended"),
        ((started(), replied("publish"), requested("requester")), "suspended"),
        ((started(), finished()), "active"),
        ((started(), finished(), SessionParked()), "closed"),
    ],
)
def test_each_state_has_its_status(events: tuple[AnyEvent, ...], status: str | None) -> None:
    """Running, waiting for a person (so that the composer is free), idle, and done."""
    assert status_of(told(said("go"), *events)) == status
