"""A word or a button ends what is going on, at once and for good."""

import asyncio
import os

import pytest

from tests.leftovers import from_proc
from tests.scenarios.conftest import BEN_DECIDES, StageMaker, click_late
from tests.support.model import call, calls, hang, held, say
from tests.support.slack import SlackMessage
from tests.support.stage import BOT, DATA, Stage
from tests.waiting import wait_until

SLEEP = f"61.{os.getpid()}"
"""Of this process alone: others may run the same tests at the same time."""
SLOW = calls(
    call("bash", command=f"echo began > began.txt; sleep {SLEEP}; echo late > late.txt"),
    call("bash", command="echo later > later.txt"),
)


def sleeping() -> bool:
    """Whether the slow command lives."""
    return any(process.command.endswith(f"sleep {SLEEP}") for process in from_proc())


async def until_it_sleeps() -> None:
    """The tool is at work."""
    await wait_until("the slow command runs", sleeping)


async def ended_by_a_stop(stage: Stage, sent: SlackMessage) -> None:
    """The thread says so, the process is gone, and nothing that came after it has run."""
    answer = await stage.answer(sent)
    assert "Stopped by <@U0ANA>" in answer.words
    await wait_until("the slow command is gone", lambda: not sleeping())
    root = (await stage.workspace(sent)).root
    assert (root / "began.txt").exists()
    assert not (root / "late.txt").exists()
    assert not (root / "later.txt").exists()


async def test_the_stop_button_ends_a_running_tool(on_stage: StageMaker) -> None:
    """Its processes die, and no later call of the same reply runs."""
    async with on_stage(SLOW) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} do it")
        card = await stage.button(sent, "Stop")
        await until_it_sleeps()
        await stage.ana.click(card, "Stop")
        await ended_by_a_stop(stage, sent)
        assert len(stage.model.bodies) == 1


@pytest.mark.parametrize("word", ["stop", "Cancel!", f"{BOT} stop"])
async def test_the_word_alone_ends_a_running_tool(on_stage: StageMaker, word: str) -> None:
    """With or without the mention."""
    async with on_stage(SLOW) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} do it")
        await until_it_sleeps()
        await stage.ana.send(DATA, word, sent.ts)
        await ended_by_a_stop(stage, sent)


async def test_a_sentence_about_stopping_stops_nothing(on_stage: StageMaker) -> None:
    """It is said to the agent like any other."""
    gate = asyncio.Event()
    async with on_stage(held(gate, calls(call("bash", command="true"))), say("It did not fail.")) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} run it")
        await stage.model.wait_for_requests(1)
        await stage.ana.send(DATA, "if it fails, stop and tell me", sent.ts)
        await stage.slack.wait_idle()
        gate.set()
        assert "It did not fail." in (await stage.answer(sent)).words
        assert "stop and tell me" in str(stage.model.bodies[1]["messages"])


async def test_a_stop_ends_a_waiting_model_request(on_stage: StageMaker) -> None:
    """The model may be silent for as long as it likes."""
    async with on_stage(hang(), say("Back again.")) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} think")
        await stage.model.wait_for_requests(1)
        await stage.ana.send(DATA, "stop", sent.ts)
        assert "Stopped by <@U0ANA>" in (await stage.answer(sent)).words
        await stage.ana.send(DATA, "go on", sent.ts)
        await stage.slack.wait_message(DATA, sent.ts, lambda m: "Back again." in m.words, "the next answer")


async def test_a_stop_closes_an_open_approval(on_stage: StageMaker) -> None:
    """The card is disarmed and says that it did not run; a late click is told so."""
    async with on_stage(calls(call("bash", command="echo ran > log.txt")), settings=BEN_DECIDES) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} do it")
        card = await stage.button(sent, "Approve")
        await stage.ana.send(DATA, "stop", sent.ts)
        await stage.answer(sent)
        frozen = next(message for message in await stage.thread(sent) if message.ts == card.ts)
        assert "It did not run" in frozen.words
        await click_late(stage, card, "Approve", "U0BEN")
        await stage.slack.wait_message(
            DATA, sent.ts, lambda m: m.is_ephemeral and "no longer open" in m.text, "a notice", user="U0BEN"
        )
        assert not ((await stage.workspace(sent)).root / "log.txt").exists()


async def test_a_stop_with_nothing_going_on_says_so_privately(on_stage: StageMaker) -> None:
    """Nothing is posted for all."""
    async with on_stage(say("Hello.")) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} hello")
        await stage.answer(sent)
        before = len(await stage.thread(sent, user="U0BEN"))
        await stage.ana.send(DATA, "stop", sent.ts)
        await stage.slack.wait_message(
            DATA, sent.ts, lambda m: m.is_ephemeral and "Nothing is running" in m.text, "a notice", user="U0ANA"
        )
        assert len(await stage.thread(sent, user="U0BEN")) == before + 1
