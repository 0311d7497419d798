"""Calls that were begun when the process died: repeated, or asked about, by their effect."""

import asyncio

import pytest

from runtime.session.entries import DeadlineEntry
from runtime.session.events import CallFinished, CallStatus, QuestionAsked
from runtime.session.interrupted import AGAIN, OUTCOMES, SKIP, WORKED
from runtime.session.state import AgentState, RunState
from tests.agent.desk import Desk
from tests.support.model import call, calls, say


async def crashed(desk: Desk, beginning: asyncio.Event) -> None:
    """Work until a call has begun, then lose the process and everything it knew."""
    process = asyncio.create_task(desk.work())
    await beginning.wait()
    process.cancel()
    with pytest.raises(asyncio.CancelledError):
        await process
    await desk.restart()


async def asked_about(desk: Desk) -> RunState:
    """A run whose call may have taken effect, waiting for a word about it."""
    await desk.hear("go")
    await crashed(desk, desk.launches.beginning)
    run = await desk.work()
    assert (run.state, desk.launches.began) == (AgentState.WAITING, 1)
    return run


async def test_a_harmless_call_lost_in_a_crash_is_repeated(desk: Desk) -> None:
    """A pure call is run again, as its second attempt."""
    desk.script(calls(call("hangs")), say("Done."))
    await desk.hear("go")
    await crashed(desk, desk.hangs.beginning)
    run = await desk.work()
    assert (run.answer, desk.hangs.began, run.calls["r1.1.0"].attempt) == ("Done.", 2, 2)


async def test_a_harmless_call_is_not_repeated_for_ever(desk: Desk) -> None:
    """Begun and interrupted three times, it gets an observation instead of a fourth attempt."""
    desk.script(calls(call("hangs")), say("It cannot be done."))
    await desk.hear("go")
    for _ in range(3):
        desk.hangs.began = 0
        desk.hangs.beginning.clear()
        await crashed(desk, desk.hangs.beginning)
    run = await desk.work()
    result = run.calls["r1.1.0"].result
    assert result is not None
    assert (result.status, run.answer) == (CallStatus.UNKNOWN, "It cannot be done.")


async def test_a_person_is_asked_about_an_effect_lost_in_a_crash(desk: Desk) -> None:
    """The question says which call it is and that nobody knows; nothing runs meanwhile."""
    desk.script(calls(call("launches", text="rocket")))
    run = await asked_about(desk)
    asked = (await desk.journal())[-1]
    assert isinstance(asked, QuestionAsked)
    assert (asked.purpose, asked.choices, asked.call_id) == ("outcome_unknown", OUTCOMES, "r1.1.0")
    assert asked.about["arguments"] == '{"text":"rocket"}'
    assert int(asked.about["begun_at_ms"]) >= run.started_at_ms


@pytest.mark.parametrize(
    ("answer", "status", "words"),
    [
        (WORKED, CallStatus.OK, "says that it worked"),
        (SKIP, CallStatus.UNKNOWN, "go on without it"),
        ("half of it", CallStatus.UNKNOWN, "says: half of it"),
    ],
)
async def test_the_answer_becomes_the_calls_result(desk: Desk, answer: str, status: CallStatus, words: str) -> None:
    """What the person knows is what the model reads; the call is not repeated."""
    desk.script(calls(call("launches")), say("I see."))
    await asked_about(desk)
    await desk.answer(answer)
    run = await desk.work()
    result = run.calls["r1.1.0"].result
    assert result is not None
    assert (result.status, run.answer, desk.launches.began) == (status, "I see.", 1)
    assert words in result.output


async def test_nobody_knowing_is_a_result_too(desk: Desk) -> None:
    """After the deadline the model reads that it may have happened or not."""
    desk.script(calls(call("launches")), say("I see."))
    run = await asked_about(desk)
    await desk.take_in(DeadlineEntry(entry_id="x", name="question", about=run.open_question))
    assert (await desk.work()).answer == "I see."
    result = next(event for event in await desk.journal() if isinstance(event, CallFinished))
    assert (result.status, desk.launches.began) == (CallStatus.UNKNOWN, 1)


async def test_run_it_again_runs_it_once_more(desk: Desk) -> None:
    """A person who says so takes the risk of a second effect; a second crash asks again."""
    desk.script(calls(call("launches")), say("Done."))
    await asked_about(desk)
    await desk.answer(AGAIN)
    run = await desk.work()
    assert (run.answer, desk.launches.began, run.calls["r1.1.0"].attempt) == ("Done.", 2, 2)


async def test_an_approval_used_up_by_a_lost_attempt_permits_no_second_one(desk: Desk) -> None:
    """To say "run it again" is an answer, not an approval: a risky call gets a new card first."""
    desk.pays.dies = True
    desk.script(calls(call("pays", text="Bob")), say("Paid."))
    await desk.hear("pay Bob")
    first = (await desk.work()).open_approval
    await desk.decide("approved")
    await crashed(desk, desk.pays.beginning)
    run = await desk.work()
    asked = run.questions[run.open_question].asked
    assert (asked.question, asked.about["approved_by"]) == ("Pay Bob", "U1")
    await desk.answer(AGAIN)
    run = await desk.work()
    assert run.open_approval not in {"", first}
    assert len(desk.pays.paid) == 1
    await desk.decide("approved")
    assert (await desk.work()).answer == "Paid."
    assert len(desk.pays.paid) == 2
