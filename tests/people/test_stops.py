"""Stop at each point of a run, what counts as one, and what becomes of messages around it."""

import pytest

from bot.listeners.messages import Heard
from runtime.session.entries import MessageEntry, StopEntry
from runtime.session.events import AnyEvent
from runtime.session.ids import SessionKey
from runtime.session.intake import take_in
from tests.people.conftest import StageMaker, asked, seen, wait_gone
from tests.people.test_steering import heard
from tests.session.story import NOON, replied, said, started, told
from tests.support.model import breaks_off, call, calls, hang, say
from tests.support.slack import SlackMessage
from tests.support.stage import DATA, Stage
from tests.waiting import wait_until

ASK = calls(call("ask_human", question="Which?", choices=["A", "B"]))


async def stop(stage: Stage, sent: SlackMessage, way: str) -> None:
    """Ana stops what she asked for."""
    match way:
        case "native":
            await stage.ana.stop(DATA, sent.thread_ts)
        case "reaction":
            await stage.ana.react(sent, "octagonal_sign")
        case "button":
            await stage.ana.click(await stage.button(sent, "Stop"), "Stop")
        case _:
            await stage.ana.send(DATA, "stop", sent.thread_ts)


@pytest.mark.parametrize("way", ["native", "reaction", "button", "word"])
async def test_a_stop_ends_an_answer_that_is_being_written(on_stage: StageMaker, way: str) -> None:
    """The model has begun to stream and hangs; what it said so far is no answer."""
    async with on_stage(breaks_off("The first half of an answer that is long.", silent=True)) as stage:
        sent = await asked(stage)
        await stage.model.wait_for_requests(1)
        await stop(stage, sent, way)
        await seen(stage, sent, "Stopped by <@U0ANA>.")


@pytest.mark.parametrize("way", ["native", "reaction", "button", "word"])
async def test_a_stop_ends_a_run_that_waits_and_closes_its_question(on_stage: StageMaker, way: str) -> None:
    """The card says so; and nothing starts again by itself."""
    async with on_stage(ASK) as stage:
        sent = await asked(stage)
        card = await stage.button(sent, "A")
        await stop(stage, sent, way)
        await seen(stage, sent, "Stopped by <@U0ANA>.")
        assert "No longer needed" in (await wait_gone(stage, card, "A")).words
        await stage.slack.wait_idle()
        assert len(stage.model.bodies) == 1


async def test_what_was_said_during_a_tool_before_the_stop_starts_nothing(on_stage: StageMaker) -> None:
    """It waits for the tool's result, and is stopped with it; what is said after the stop is a new request."""
    slow = calls(call("bash", command="touch began; while [ ! -f go ]; do sleep 0.1; done"))
    async with on_stage(slow, say("Now this.")) as stage:
        sent = await asked(stage)
        await stage.model.wait_for_requests(1)
        root = (await stage.workspace(sent)).root
        await wait_until("the command runs", (root / "began").exists)
        other = await stage.ana.send(DATA, "and the other file as well", sent.ts)
        await heard(stage, other.ts)
        await stop(stage, sent, "word")
        await seen(stage, sent, "Stopped by <@U0ANA>.")
        await stage.slack.wait_idle()
        assert len(stage.model.bodies) == 1
        await stage.ana.send(DATA, "only this one", sent.ts)
        await seen(stage, sent, "Now this.")
        assert "only this one" in str(stage.model.bodies[1])


async def test_the_word_alone_stops_also_where_replies_need_a_mention(on_stage: StageMaker) -> None:
    """Other replies are left to the people, a stop in the thread of a run is for the run."""
    async with on_stage(hang(), settings="[slack]\nfollow_ups = false\n") as stage:
        sent = await asked(stage)
        await stage.model.wait_for_requests(1)
        other = await stage.ana.send(DATA, "and the other file", sent.ts)
        await stop(stage, sent, "word")
        await seen(stage, sent, "Stopped by <@U0ANA>.")
        assert other.ts not in {c["args"]["timestamp"] for c in await stage.slack.calls("reactions.add")}


@pytest.mark.parametrize("events", [(), (replied("bash"),)], ids=["thinking", "in a tool"])
def test_a_stop_that_waited_with_a_newer_request_ends_only_what_was_before_it(events: tuple[AnyEvent, ...]) -> None:
    """Row 27 of the reports, the other way round: the newer message was delivered before the older stop."""
    story: list[AnyEvent] = [said("go", ts="1.5"), started(ts="1.5"), *events]
    for entry in (
        MessageEntry(entry_id="m2", ts="2.5", user="U0ANA", text="older", mentions_bot=False),
        MessageEntry(entry_id="m4", ts="4.5", user="U0ANA", text="newer", mentions_bot=False),
        StopEntry(entry_id="s", by="U0ANA", before_ts="3.5", how="word"),
    ):
        story += take_in(told(*story), entry, now_ms=NOON)
    state = told(*story)
    assert state.active_run is None
    assert [message.text for message in state.untaken] == ["newer"]


@pytest.mark.parametrize(
    ("text", "is_stop"),
    [
        ("stop", True),
        (" Stop. ", True),
        ("STOP!!", True),
        ("cancel", True),
        ("if it fails, stop and tell me", False),
        ("stop it", False),
        ("don't stop", False),
        ("stop\nand then go on", False),
        ("`stop`", False),
        ("stopp", False),
        ("", False),
    ],
)
def test_only_the_word_alone_is_a_stop(text: str, is_stop: bool) -> None:
    """Case, spaces and full stops aside."""
    heard = Heard(
        key=SessionKey(team="T", channel="C", thread_ts="1.0"), ts="1.0", user="U", channel="C", text=text,
        mentions_bot=False, is_direct=False, in_thread=True, is_addressed=False, files=(),
    )  # fmt: skip
    assert heard.is_stop is is_stop
