"""What a step ends with is stored while the next one begins, and nothing may come of what is not stored."""

import asyncio
import json

import pytest

from runtime.agent.manus import Manus
from runtime.budget.limits import run_limits
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
from runtime.session.writer import RunOver
from runtime.settings import Settings
from runtime.store.errors import LeaseLost
from tests.agent.desk import SID, Desk
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
