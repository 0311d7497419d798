"""Waiting for people: approvals, questions, and runs that end meanwhile."""

import asyncio
from dataclasses import replace

import pytest

from runtime.agent.manus import Manus
from runtime.session.ahead import RunOver
from runtime.session.entries import DeadlineEntry, StopEntry
from runtime.session.events import ApprovalRequested, CallFinished, CallStatus, QuestionAsked, RunOutcome
from runtime.session.state import AgentState
from tests.agent.desk import Desk, never
from tests.agent.sample_tools import PaysAtOnce
from tests.support.model import call, calls, hang, held, say

PLAN = call("planning", command="create", title="Two things", steps=["One", "Two"])


async def results(desk: Desk) -> list[CallFinished]:
    """Every result of the journal."""
    return [event for event in await desk.journal() if isinstance(event, CallFinished)]


async def test_a_risky_call_waits_for_a_verdict_and_runs_as_it_was_shown(desk: Desk) -> None:
    """The run suspends with a card; after the click, in another process, it runs once with what was bound."""
    desk.script(calls(call("pays", text="Bob")), say("Paid."))
    await desk.hear("pay Bob")
    run = await desk.work()
    assert run.state is AgentState.WAITING
    assert desk.pays.paid == []
    requested = (await desk.journal())[-1]
    assert isinstance(requested, ApprovalRequested)
    assert (requested.title, requested.body, requested.reason) == ("Pay Bob", "3 coins", "unmatched")
    assert requested.expires_at_ms > requested.remind_at_ms > 0
    await desk.restart()
    await desk.decide("approved")
    run = await desk.work()
    assert (run.answer, desk.pays.paid) == ("Paid.", [("Bob", 3)])


async def test_a_denied_call_never_runs_and_the_model_learns_why(desk: Desk) -> None:
    """The reason of the denial is the call's observation."""
    desk.script(calls(call("pays", text="Bob")), say("Not paid."))
    await desk.hear("pay Bob")
    await desk.work()
    await desk.decide("denied")
    run = await desk.work()
    assert (run.answer, desk.pays.paid) == ("Not paid.", [])
    assert "Reason: why" in (await results(desk))[0].output


async def test_an_expired_request_means_no(desk: Desk) -> None:
    """The deadline's entry denies the call, and the run goes on."""
    desk.script(calls(call("pays", text="Bob")), say("Nobody decided."))
    await desk.hear("pay Bob")
    run = await desk.work()
    await desk.take_in(DeadlineEntry(entry_id="x", name="approval", about=run.open_approval))
    await desk.work()
    assert desk.pays.paid == []
    assert (await results(desk))[0].status is CallStatus.DENIED


async def test_a_tool_that_changed_after_its_approval_is_asked_for_again(desk: Desk) -> None:
    """An approval holds for the definition that was shown, not for whatever has the same name later."""
    desk.script(calls(call("pays", text="Bob")))
    await desk.hear("pay Bob")
    first = (await desk.work()).open_approval
    await desk.decide("approved")
    other = PaysAtOnce()
    desk.context = replace(desk.context, tools=desk.context.tools.without("pays").with_tools([other]))
    run = await desk.work()
    assert run.state is AgentState.WAITING
    assert run.open_approval != first
    assert (desk.pays.paid, other.paid) == ([], [])


async def test_calls_after_one_that_waits_run_after_it_in_order(desk: Desk) -> None:
    """A step of three calls, the second of which waits, resumes with the second."""
    desk.script(calls(call("echo", text="a"), call("pays", text="Bob"), call("echo", text="b")), say("Done."))
    await desk.hear("go")
    await desk.work()
    assert [result.output for result in await results(desk)] == ["a"]
    await desk.decide("approved")
    await desk.work()
    assert [result.output for result in await results(desk)] == ["a", "paid", "b"]


async def test_what_cannot_be_prepared_is_not_asked_for(desk: Desk) -> None:
    """Nobody gets a card for a call that could not work anyway."""
    desk.script(calls(call("pays", text="nobody")), say("Right."))
    await desk.hear("go")
    assert (await desk.work()).answer == "Right."
    assert (await results(desk))[0].output == "there is nobody to pay"


async def test_a_rule_that_denies_keeps_a_call_from_running(desk: Desk) -> None:
    """The observation names the rule, and no card is posted."""
    desk.configure('[[policy.rules]]\ntool = "echo"\nverdict = "deny"')
    desk.script(calls(call("echo", text="a")), say("Forbidden."))
    await desk.hear("go")
    await desk.work()
    (result,) = await results(desk)
    assert result.status is CallStatus.DENIED
    assert "policy.rules[0]" in result.output


async def test_a_question_suspends_the_run_and_its_answer_is_the_result(desk: Desk) -> None:
    """No worker is held while the person thinks; the answer reaches the model as the result of the call."""
    desk.script(calls(call("ask_human", question="Which?", choices=["A", "B"])), say("A it is."))
    await desk.hear("go")
    run = await desk.work()
    assert run.state is AgentState.WAITING
    asked = (await desk.journal())[-1]
    assert isinstance(asked, QuestionAsked)
    assert (asked.question, asked.choices, asked.asked_of) == ("Which?", ("A", "B"), "U1")
    await desk.restart()
    await desk.answer("A")
    assert (await desk.work()).answer == "A it is."
    assert desk.model.requests[-1].messages[-1].text.endswith("A")


async def test_a_question_in_plain_text_waits_only_while_plan_steps_are_open(desk: Desk) -> None:
    """With an open plan the text is a question; without one it is the answer."""
    desk.script(calls(PLAN), say("Which of the two do you mean?"), say("Good. Anything else?"))
    await desk.hear("go")
    run = await desk.work()
    assert run.state is AgentState.WAITING
    await desk.answer("the first")
    run = await desk.work()
    assert run.state is AgentState.WAITING
    assert len(run.questions) == 2


async def test_a_question_at_the_end_of_a_task_without_a_plan_is_an_answer(desk: Desk) -> None:
    """A friendly closing question keeps nobody waiting."""
    desk.script(say("Hello. What can I do for you?"))
    await desk.hear("hi")
    assert (await desk.work()).outcome is RunOutcome.ANSWERED


async def test_a_plan_made_in_the_same_turn_is_known_to_the_next_call(desk: Desk) -> None:
    """The second call marks a step of the plan that the first one made."""
    mark = call("planning", command="mark", step_index=0, step_status="completed")
    desk.script(calls(PLAN, mark), say("Done."), say("Done."))
    await desk.hear("go")
    run = await desk.work()
    assert run.plan is not None
    assert [step.status.value for step in run.plan.steps] == ["completed", "pending"]


async def test_a_call_that_outlives_its_timeout_is_cancelled_and_told(desk: Desk) -> None:
    """The tool is really cancelled; the model reads after how long."""
    desk.configure('[timeouts]\ntool = "50ms"')
    desk.script(calls(call("hangs")), say("It hangs."))
    await desk.hear("go")
    await desk.work()
    (result,) = await results(desk)
    assert "ended after 0.1 s" in result.output
    assert desk.hangs.cancelled == 1


async def test_a_run_stopped_during_a_request_writes_nothing_more(desk: Desk) -> None:
    """The step under way gives up; the journal ends with the stop."""
    desk.script(hang())
    await desk.hear("go")
    step = asyncio.create_task(Manus(desk.context).run(never))
    await desk.model.wait_for_requests(1)
    await desk.take_in(StopEntry(entry_id="s", by="U1", before_ts="9.0", how="word"))
    step.cancel()
    with pytest.raises(asyncio.CancelledError):
        await step
    assert desk.run.outcome is RunOutcome.STOPPED
    assert (await desk.kinds())[-1] == "run_finished"


async def test_a_reply_to_a_run_that_ended_meanwhile_is_not_written(desk: Desk) -> None:
    """Where the stop came between reply and commit, the commit is refused and nothing follows the end."""
    gate = asyncio.Event()
    desk.script(held(gate, say("Too late.")))
    await desk.hear("go")
    step = asyncio.create_task(Manus(desk.context).run(never))
    await desk.model.wait_for_requests(1)
    await desk.take_in(StopEntry(entry_id="s", by="U1", before_ts="9.0", how="word"))
    gate.set()
    with pytest.raises(RunOver):
        await step
    assert (await desk.kinds())[-1] == "run_finished"


async def test_a_message_during_the_last_request_is_not_left_unanswered(desk: Desk) -> None:
    """What a person adds while the model writes its answer leads to one more request, not to an end without it."""
    gate = asyncio.Event()
    desk.script(held(gate, say("Blue.")), say("Blue, and large."))
    await desk.hear("which colour?")
    step = asyncio.create_task(desk.work())
    await desk.model.wait_for_requests(1)
    await desk.hear("and which size?", ts="3.0")
    gate.set()
    assert (await step).answer == "Blue, and large."
