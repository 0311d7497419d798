"""What holds a thread back: an operator's pause in the middle of a step, and more messages than it can take in."""

import asyncio

from bot import texts
from runtime.engine.switch import EVERYTHING, Pause
from runtime.session.commands import Commands
from runtime.session.entries import AnswerEntry, DecisionEntry, StopEntry
from runtime.session.ids import SessionKey
from runtime.store.redis_store import DEFAULT_INBOX_LIMIT
from tests.scenarios.conftest import StageMaker
from tests.support.model import hang, held, say
from tests.support.redis import MoveClock
from tests.support.stage import BOT, DATA, Stage
from tests.waiting import wait_until

PATIENT = 40.0


async def test_a_pause_ends_the_step_under_way_and_resuming_takes_it_up(on_stage: StageMaker) -> None:
    """The request is cancelled at once, who waits is told, nothing is done meanwhile, and then there is an answer."""
    async with on_stage(hang()) as stage:
        store = stage.core.store
        sent = await stage.ana.send(DATA, f"{BOT} do it")
        await stage.model.wait_for_requests(1)
        await store.pause(EVERYTHING, Pause(since="2026-01-01T00:00:00", reason="looking").model_dump_json())
        await stage.slack.wait_message(
            DATA, sent.ts, lambda m: m.text == texts.PAUSED, "the notice", user="U0ANA", within=PATIENT
        )
        stage.model.add(say("Later."))
        await stage.slack.wait_idle()
        assert len(stage.model.bodies) == 1
        assert await store.resume(EVERYTHING)
        assert "Later." in (await stage.answer(sent, within=PATIENT)).words


async def test_a_full_thread_is_told_once_and_still_hears_what_matters(on_stage: StageMaker) -> None:
    """Two messages too many, one polite notice; a stop, an answer and a decision are always admitted."""
    gate = asyncio.Event()
    async with on_stage(held(gate, say("Late."))) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} do it")
        await stage.model.wait_for_requests(1)
        key = SessionKey(team="T0LOCAL", channel=DATA, thread_ts=sent.ts)
        await fill(stage, key)
        for words in ("and this", "and that"):
            await stage.ana.send(DATA, words, sent.ts)
        await stage.slack.wait_message(DATA, sent.ts, lambda m: m.text == texts.BUSY, "the notice", user="U0ANA")
        await stage.slack.wait_idle()
        told = [made for made in await stage.slack.calls("chat.postEphemeral") if made["args"]["text"] == texts.BUSY]
        assert len(told) == 1
        commands, ana = Commands(stage.core.store), "U0ANA"
        entries = (
            AnswerEntry(entry_id="a", question_id="none", how="button", by=ana),
            DecisionEntry(entry_id="d", approval_id="none", verdict="approved", by=ana),
            StopEntry(entry_id="s", before_ts="9999999999.9", how="button", by=ana),
        )
        assert [await commands.push(key, entry) for entry in entries] == ["ok"] * 3
        assert "Stopped by" in (await stage.answer(sent, within=PATIENT)).words
        gate.set()


async def test_a_full_thread_still_runs_out_of_time(on_stage: StageMaker, move_clock: MoveClock) -> None:
    """A deadline is always admitted: the step under way is ended, and the card asks for more."""
    # With a lease that outlives the moved clock: time in which the run was nobody's would be no working time.
    async with on_stage(hang(), settings='[engine]\npark_after = "30d"\nlease = "2h"\n') as stage:
        sent = await stage.ana.send(DATA, f"{BOT} do it")
        await stage.model.wait_for_requests(1)
        await fill(stage, SessionKey(team="T0LOCAL", channel=DATA, thread_ts=sent.ts))
        await move_clock(stage.core.start.settings.budget.run.wall)
        assert "of working time" in (await stage.button(sent, "End here")).words
        await wait_until("the request is cancelled", lambda: stage.model.given_up)


async def fill(stage: Stage, key: SessionKey) -> None:
    """As many entries as an inbox has room for, beside a request that is being worked on."""
    store = stage.core.store

    async def is_taken() -> bool:
        return not await store.read_inbox(str(key))

    await wait_until("the request is taken in", is_taken)
    for number in range(DEFAULT_INBOX_LIMIT):
        assert await store.push(str(key), f"filler {number}", "filler", "{}", urgent=False) == "ok"
    assert await store.push(str(key), "one too many", "filler", "{}", urgent=False) == "full"
