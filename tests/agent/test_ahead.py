"""What reads and asks goes on while the journal is written, and nothing else comes of what is not stored."""

import asyncio
import json

import pytest

from runtime.agent.manus import Manus
from runtime.budget.limits import run_limits
from runtime.session.ahead import RunOver
from runtime.session.entries import MessageEntry
from runtime.session.events import (
    READER_VERSION,
    CallFinished,
    CallStarted,
    CallStatus,
    ModelReplied,
    ProposedCall,
    RunFinished,
    RunOutcome,
    RunStarted,
)
from runtime.session.limit_events import NoteCode, RunNoted
from runtime.session.writer import SessionWriter, load_state
from runtime.settings import Settings
from runtime.store.errors import LeaseLost
from tests.agent.desk import SID, Desk, never
from tests.agent.sample_tools import Foreign, Looks, Writes
from tests.support.model import call, calls, say
from tests.waiting import wait_until

SECOND = RunStarted(
    run_id="r2", requester="U1", request_ts="2.0", agent="manus", model="m", limits=run_limits(Settings().budget.run)
)
RESULT = CallFinished(run_id="r1", call_id="c1", status=CallStatus.OK, output="ok")


async def begun(desk: Desk) -> None:
    """A run with one call under way."""
    await desk.hear("go")
    proposed = ProposedCall(call_id="c1", model_call_id="m1", tool="echo", arguments="{}")
    called = {"id": "m1", "type": "function", "function": {"name": "echo", "arguments": "{}"}}
    message = json.dumps({"role": "assistant", "content": None, "tool_calls": [called]})
    replied = ModelReplied(run_id="r1", step=1, text="", message=message, calls=(proposed,))
    await desk.session.commit(replied, CallStarted(run_id="r1", call_id="c1", effect="pure"))


async def test_the_next_request_does_not_wait_for_the_result_to_be_stored(desk: Desk) -> None:
    """It goes out with the result in it while the journal has none; the reply is stored after the result."""
    desk.script(calls(call("echo", text="seen")), say("Done."))
    await desk.hear("go")

    async def hold() -> bool:
        """Between the steps: let nothing be stored until the second request has come."""
        if desk.model.bodies and not desk.session.lock.locked():
            await desk.session.lock.acquire()
        return False

    work = asyncio.create_task(Manus(desk.context).run(hold))
    await wait_until("the second request", lambda: len(desk.model.bodies) == 2)
    known = await desk.kinds()
    desk.session.lock.release()
    await work
    assert known[-1] == "call_started"
    assert desk.model.requests[1].messages[-1].text == "seen"
    assert (await desk.kinds())[-3:] == ["call_finished", "model_replied", "run_finished"]
    assert desk.session.latest is desk.session.state


async def test_what_is_stored_meanwhile_does_not_disturb_it(desk: Desk) -> None:
    """A message that gets into the journal first stands behind the result in memory, in `latest` as in the journal."""
    await begun(desk)
    async with desk.session.lock:
        entry = MessageEntry(entry_id="m", ts="3.0", user="U1", text="one more thing", mentions_bot=False)
        other = asyncio.create_task(desk.take_in(entry))
        await asyncio.sleep(0)
        await desk.session.commit_soon(RESULT)
        expected = desk.session.latest.memory
    await other
    assert len(expected) < len(desk.session.latest.memory)
    await desk.session.settled()
    memory = desk.session.state.memory
    assert memory[: len(expected)] == expected
    assert "one more thing" in memory[-1]
    assert desk.session.latest is desk.session.state
    assert (await desk.kinds())[-2:] == ["message_received", "call_finished"]


@pytest.mark.parametrize("begins_again", [False, True])
async def test_what_comes_after_the_end_of_its_run_is_not_stored_and_says_so(desk: Desk, *, begins_again: bool) -> None:
    """The run is stopped first, and another one may have begun: `latest` shows that, and the agent hears of it."""
    await begun(desk)
    async with desk.session.lock:
        others = [asyncio.create_task(desk.session.commit(RunFinished(run_id="r1", outcome=RunOutcome.STOPPED)))]
        await asyncio.sleep(0)
        if begins_again:
            others.append(asyncio.create_task(desk.session.commit(SECOND)))
            await asyncio.sleep(0)
        await desk.session.commit_soon(RESULT)
    await asyncio.gather(*others)
    assert desk.session.latest == desk.session.state
    with pytest.raises(RunOver):
        await desk.session.settled()
    await desk.session.settled()
    assert "call_finished" not in await desk.kinds()


async def test_what_came_too_late_for_one_run_is_not_told_to_the_next(desk: Desk) -> None:
    """Work that was broken off for another reason waits for the journal and leaves nothing for whoever works then."""
    await begun(desk)
    async with desk.session.lock:
        stop = asyncio.create_task(desk.session.commit(RunFinished(run_id="r1", outcome=RunOutcome.STOPPED)))
        await asyncio.sleep(0)
        await desk.session.commit_soon(RESULT)
    with pytest.raises(KeyError):
        async with desk.session.settling():
            raise KeyError
    assert stop.done()
    await desk.session.settled()
    desk.script(say("Hello."))
    await desk.hear("hi", ts="9.0")
    assert (await desk.work()).answer == "Hello."


async def test_a_run_does_not_end_before_its_last_result_is_stored(desk: Desk) -> None:
    """Whoever comes next reads the journal, so pausing after a step waits for it."""
    desk.script(calls(call("echo", text="seen")))
    await desk.hear("go")
    steps = iter((False, True))

    async def pause() -> bool:
        return next(steps)

    await Manus(desk.context).run(pause)
    assert (await desk.kinds())[-1] == "call_finished"
    assert desk.session.latest is desk.session.state


@pytest.mark.parametrize("is_known", [False, True])
async def test_a_result_that_may_not_be_stored_ends_the_work(desk: Desk, *, is_known: bool) -> None:
    """Where the session went to another runner nothing comes of a reply that was asked for meanwhile; once it is known,
    nothing is asked.
    """
    turns = [calls(call("echo", text="one")), calls(call("echo", text="two"))]
    desk.script(*turns[: 1 if is_known else 2])
    await desk.hear("go")

    async def lose() -> bool:
        if desk.model.bodies:
            async with desk.session.lock:
                await desk.store.release(SID, desk.session.lease.token, again=True)
                assert await desk.store.claim("another", 60_000, READER_VERSION) is not None
            storing = desk.session.storing
            assert storing is not None
            if is_known:
                await asyncio.wait({storing})
        return False

    with pytest.raises(LeaseLost):
        await Manus(desk.context).run(lose)
    assert (await desk.kinds())[-2:] == ["model_replied", "call_started"]
    assert len(desk.model.bodies) == (1 if is_known else 2)
    await desk.session.settled()


def number_begun(session: SessionWriter) -> int:
    """How many calls of the run have begun, as far as the journal knows."""
    run = session.state.active_run
    return sum(bool(call.attempt) for call in run.calls.values()) if run is not None else 0


async def test_a_call_that_only_reads_runs_while_its_intent_is_stored(desk: Desk) -> None:
    """It is over before anything is stored; reply, intent and result then go in one move."""
    known = list[int]()
    desk.use(desk.context.tools.with_tools([Looks(lambda: known.append(number_begun(desk.session)))]))
    desk.script(calls(call("looks", text="seen")), say("Done."))
    await desk.hear("go")
    before = desk.session.state.seq
    moves = list[int]()

    async def watch() -> None:
        moves.append((await desk.session.changed(before)).seq)

    watching = asyncio.create_task(watch())
    run = await desk.work()
    await watching
    assert (run.answer, known, moves) == ("Done.", [0], [before + 3])
    assert (await desk.kinds())[-5:-1] == ["model_replied", "call_started", "call_finished", "model_replied"]
    assert await load_state(desk.store, SID) == desk.session.state


async def test_only_one_step_is_ahead_of_the_journal(desk: Desk) -> None:
    """While the first one is still to be stored the model is asked, and what it then wants waits."""
    known = list[int]()

    def tell() -> None:
        run = desk.session.state.active_run
        known.append(sum(call.result is not None for call in run.calls.values()) if run is not None else 0)

    desk.use(desk.context.tools.with_tools([Looks(tell)]))
    desk.script(*(calls(call("looks", text=str(number))) for number in range(2)), say("Done."))
    await desk.hear("go")
    await desk.session.lock.acquire()
    work = asyncio.create_task(desk.work())
    await wait_until("the second request", lambda: len(desk.model.bodies) == 2)
    desk.session.lock.release()
    await work
    assert known == [0, 1]


@pytest.mark.parametrize("why", ["writes", "foreign", "approved", "allowed"])
async def test_any_other_call_waits_for_its_intent(desk: Desk, why: str) -> None:
    """One that may change something, one of an MCP server, and one that uses up the word of a person."""
    known = list[int]()
    kind = {"writes": Writes, "foreign": Foreign}.get(why, Looks)
    tool = kind(lambda: known.append(number_begun(desk.session)))
    if why in {"approved", "allowed"}:
        desk.configure('[[policy.rules]]\ntool = "looks"\nverdict = "ask"')
    desk.use(desk.context.tools.with_tools([tool]))
    wanted = 2 if why == "allowed" else 1
    desk.script(*(calls(call(tool.name, text=str(number))) for number in range(wanted)), say("Done."))
    await desk.hear("go")
    run = await desk.work()
    if run.open_approval:
        await desk.decide("approved", for_thread=why == "allowed")
        run = await desk.work()
    assert (run.answer, known) == ("Done.", [*range(1, wanted + 1)])


async def test_nothing_comes_of_a_call_that_read_for_another_runner(desk: Desk) -> None:
    """The session is lost while it runs: nothing is stored and the model is not asked again."""
    beginning, go_on = asyncio.Event(), asyncio.Event()
    desk.use(desk.context.tools.with_tools([Looks(beginning.set, wait=go_on)]))
    desk.script(calls(call("looks", text="seen")))
    await desk.hear("go")
    kinds = await desk.kinds()
    await desk.session.lock.acquire()
    work = asyncio.create_task(Manus(desk.context).run(never))
    await beginning.wait()
    await desk.store.release(SID, desk.session.lease.token, again=True)
    assert await desk.store.claim("another", 60_000, READER_VERSION) is not None
    desk.session.lock.release()
    await desk.session.written()
    go_on.set()
    with pytest.raises(LeaseLost):
        await work
    assert await desk.kinds() == kinds
    assert len(desk.model.bodies) == 1


async def test_what_was_sent_takes_nothing_more_along(desk: Desk) -> None:
    """Until it is sent it does; after that, further events wait for it and go by themselves."""
    await begun(desk)
    before = desk.session.state.seq
    other = RunNoted(run_id="r1", note_id="n", code=NoteCode.NEAR)
    async with desk.session.lock:
        await desk.session.commit_soon(RESULT)
        await desk.session.commit_soon(other)
        assert desk.session.latest.seq == before + 2
    late = asyncio.create_task(desk.session.commit_soon(other))
    assert (await desk.session.changed(before)).seq == before + 2
    await late
    await desk.session.settled()
    assert (await desk.kinds())[-3:] == ["call_finished", "run_noted", "run_noted"]
    assert await load_state(desk.store, SID) == desk.session.state
