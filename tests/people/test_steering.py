"""Steering and stop: what is said during a run, edits and deletions, every way to stop, and taking it up again."""

import asyncio

import pytest

from bot import texts_people
from tests.people.conftest import StageMaker, asked, bash_asks, click_late, once, seen, wait_gone, whispered
from tests.support.model import call, calls, fail, hang, held, say
from tests.support.slack import SlackMessage
from tests.support.stage import BOT, DATA, Stage
from tests.waiting import wait_until


async def heard(stage: Stage, ts: str) -> None:
    """The message has the sign that it was recorded."""

    async def reacted() -> bool:
        made = await stage.slack.calls("reactions.add")
        return any(c["args"]["timestamp"] == ts for c in made)

    await wait_until("the message is seen", reacted)


async def stopped(stage: Stage, sent: SlackMessage) -> SlackMessage:
    """The last word of a run that Ana stopped."""
    return await seen(stage, sent, "Stopped by <@U0ANA>.")


async def test_what_is_said_during_a_run_is_read_before_the_next_request_in_order(on_stage: StageMaker) -> None:
    """Nothing is lost, and nothing starts a second run beside the first."""
    gate = asyncio.Event()
    async with on_stage(held(gate, calls(call("bash", command="true"))), say("Both.")) as stage:
        sent = await asked(stage)
        await stage.model.wait_for_requests(1)
        for number, words in enumerate(("use the hourly log", "and skip Sunday")):
            said = await stage.ana.send(DATA, words, sent.ts)
            await heard(stage, said.ts)
            assert number < 2
        gate.set()
        await stage.answer(sent)
        texts = [message.text for message in stage.model.requests[1].messages]
        first = next(i for i, text in enumerate(texts) if "use the hourly log" in text)
        second = next(i for i, text in enumerate(texts) if "and skip Sunday" in text)
        assert first < second
        assert len(stage.model.requests) == 2


async def test_words_to_somebody_else_are_left_alone(on_stage: StageMaker) -> None:
    """A message that begins with another person's name is neither read nor marked."""
    gate = asyncio.Event()
    async with on_stage(held(gate, calls(call("bash", command="true"))), say("Done.")) as stage:
        sent = await asked(stage)
        await stage.model.wait_for_requests(1)
        aside = await stage.ana.send(DATA, "<@U0BEN> are you coming to lunch?", sent.ts)
        said = await stage.ana.send(DATA, "use the other file", sent.ts)
        await heard(stage, said.ts)
        gate.set()
        await stage.answer(sent)
        assert "lunch" not in str(stage.model.bodies[1])
        assert aside.ts not in {c["args"]["timestamp"] for c in await stage.slack.calls("reactions.add")}


async def test_an_edit_of_a_message_that_is_not_read_yet_replaces_it(on_stage: StageMaker) -> None:
    """The model reads only what it says in the end; of a deleted one nothing."""
    gate = asyncio.Event()
    slow = calls(call("bash", command="while [ ! -f go ]; do sleep 0.1; done"))
    async with on_stage(slow, say("Done.")) as stage:
        sent = await asked(stage)
        await stage.model.wait_for_requests(1)
        first = await stage.ana.send(DATA, "take the red one", sent.ts)
        second = await stage.ana.send(DATA, "and the green one", sent.ts)
        await heard(stage, second.ts)
        await stage.ana.edit(first, "take the blue one")
        await stage.ana.delete(second)
        await stage.slack.wait_idle()
        (await stage.workspace(sent)).write_bytes("go", b"")
        gate.set()
        await stage.answer(sent)
        read = str(stage.model.bodies[1])
        assert "take the blue one" in read
        assert "red one" not in read
        assert "green one" not in read


async def test_an_edit_after_the_run_starts_nothing(on_stage: StageMaker) -> None:
    """Row 7 of the reports, and its neighbour: neither a preview nor new words of an old message start a run."""
    async with on_stage(say("Hello."), say("Again.")) as stage:
        sent = await asked(stage, "hello")
        await stage.answer(sent)
        await stage.ana.edit(sent, f"{BOT} hello there")
        await stage.slack.wait_idle()
        assert len(stage.model.bodies) == 1
        await stage.ana.send(DATA, "and now?", sent.ts)
        await seen(stage, sent, "Again.")
        assert "It says now" in str(stage.model.bodies[1])


@pytest.mark.parametrize("way", ["native", "reaction on the request", "reaction on the plan", "word", "button"])
async def test_every_way_to_stop_ends_a_waiting_model_request(on_stage: StageMaker, way: str) -> None:
    """The native event, the stop sign on any message of the thread, the word and the button."""
    async with on_stage(hang()) as stage:
        sent = await asked(stage)
        card = await stage.button(sent, "Stop")
        await stage.model.wait_for_requests(1)
        match way:
            case "native":
                await stage.ana.stop(DATA, sent.ts)
            case "reaction on the request":
                await stage.ana.react(sent, "octagonal_sign")
            case "reaction on the plan":
                await stage.ana.react(card, "octagonal_sign")
            case "word":
                await stage.ana.send(DATA, "stop", sent.ts)
            case _:
                await stage.ana.click(card, "Stop")
        await stopped(stage, sent)


async def test_an_older_stop_never_hits_a_newer_request(on_stage: StageMaker) -> None:
    """Row 27 of the reports: a stop that arrives late ends only what was asked for before it."""
    async with on_stage(say("First."), *once(answer="Second.")) as stage:
        sent = await asked(stage)
        await stage.answer(sent)
        older = f"{float(sent.ts) + 0.000001:.6f}"
        newer = await stage.ana.send(DATA, "and now this", sent.ts)
        event: dict[str, object] = {
            "type": "agent_session_stopped",
            "channel": DATA,
            "user": "U0ANA",
            "thread_ts": sent.ts,
            "streaming_message_ts": [],
            "event_ts": older,
        }
        assert float(older) < float(newer.ts)
        await stage.slack.deliver({"type": "event_callback", "team_id": "T0LOCAL", "event_id": "EvOld", "event": event})
        await seen(stage, sent, "Second.")


async def test_another_reaction_stops_nothing(on_stage: StageMaker) -> None:
    """Only the stop sign does."""
    gate = asyncio.Event()
    async with on_stage(held(gate, say("Done."))) as stage:
        sent = await asked(stage)
        await stage.model.wait_for_requests(1)
        await stage.ana.react(sent, "thumbsup")
        await stage.slack.wait_idle()
        gate.set()
        assert "Done." in (await stage.answer(sent)).words


async def test_a_stop_closes_open_cards_and_an_answer_to_one_does_nothing(on_stage: StageMaker) -> None:
    """The card says that it is no longer needed; a click on it as it was is told so."""
    async with on_stage(*once()[:1], settings=bash_asks()) as stage:
        sent = await asked(stage)
        card = await stage.button(sent, "Approve")
        await stage.ana.react(card, "octagonal_sign")
        await stopped(stage, sent)
        assert "No longer needed" in (await wait_gone(stage, card, "Approve")).words
        await click_late(stage, card, "Approve", "U0ANA")
        await whispered(stage, "U0ANA", "no longer open")


async def test_after_a_stop_a_click_takes_it_up_again(on_stage: StageMaker) -> None:
    """What was done and what was not stands there; the new run knows all of it."""
    plan = call("planning", command="create", title="Two", steps=["Read it", "Write it"])
    marked = call("planning", command="mark", step_index=0, step_status="completed")
    skipped = call("planning", command="mark", step_index=1, step_status="completed")
    async with on_stage(calls(plan, marked), hang(), calls(skipped), say("Written.")) as stage:
        sent = await asked(stage)
        await stage.model.wait_for_requests(2)
        await stage.ana.send(DATA, "stop", sent.ts)
        end = await stopped(stage, sent)
        assert "Done: Read it." in end.words
        assert "Not done: Write it." in end.words
        await stage.ben.click(await stage.button(sent, texts_people.RESUME), texts_people.RESUME)
        await seen(stage, sent, "Written.")
        assert "Go on with the task from where it stopped" in str(stage.model.bodies[2])
        await wait_gone(stage, end, texts_people.RESUME)
        await click_late(stage, end, texts_people.RESUME, "U0ANA")
        await whispered(stage, "U0ANA", "cannot be resumed any more")


async def test_after_a_failure_a_click_takes_it_up_again(on_stage: StageMaker) -> None:
    """The model refused the second request: what was done stands there, and the new run knows of it."""
    plan = call("planning", command="create", title="Two", steps=["Read it", "Write it"])
    done = call("planning", command="mark", step_index=0, step_status="completed")
    again = call("planning", command="mark", step_index=1, step_status="completed")
    async with on_stage(calls(plan, done), fail(400), calls(again), say("Written.")) as stage:
        sent = await asked(stage)
        end = await stage.button(sent, texts_people.RESUME)
        assert "Done: Read it." in end.words
        assert "Not done: Write it." in end.words
        await stage.ana.click(end, texts_people.RESUME)
        await seen(stage, sent, "Written.")
        assert "Go on with the task from where it stopped" in str(stage.model.bodies[2])
        await wait_gone(stage, end, texts_people.RESUME)


async def test_what_was_cut_off_after_an_approval_is_named_and_not_resumed(on_stage: StageMaker) -> None:
    """Whether it took effect is not known, so going on is not offered."""
    turns = once("echo began > began.txt; sleep 60.5")[:1]
    async with on_stage(*turns, settings=bash_asks()) as stage:
        sent = await asked(stage)
        await stage.ana.click(await stage.button(sent, "Approve"), "Approve")
        root = (await stage.workspace(sent)).root
        await wait_until("the command runs", (root / "began.txt").exists)
        await stage.ana.send(DATA, "stop", sent.ts)
        end = await seen(stage, sent, "Cut off in the middle")
        assert not end.has_button(texts_people.RESUME)
