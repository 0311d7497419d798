"""A plan that is approved first: nothing runs before, and what a person says instead makes another plan."""

from pathlib import Path

from runtime.flow.planning import PlanningFlow
from runtime.house import House
from runtime.session.entries import ResumeEntry
from runtime.session.events import CallFinished, FlowPlanned, QuestionAnswered, RunFinished, RunOutcome, RunStarted
from runtime.session.fold import fold
from runtime.session.intake import take_in
from runtime.session.interrupted import START_WORK, STOP_HERE
from runtime.session.state import AgentState, SessionState
from tests.agent.desk import Desk, never
from tests.agent.test_verify import Bash
from tests.flow.test_planning import TELL, bash, plan, step
from tests.session.story import NOON, asked, finished, said, told
from tests.support.model import call, calls, say

PLAN = call("planning", command="create", title="Boats", steps=["Count them", "Tell the number"])
OTHER = call("planning", command="update", steps=["Ask Ben", "Count them"])
MARK = call("planning", command="mark", step_index=0, step_status="completed")
REST = call("planning", command="mark", step_index=1, step_status="completed")


async def outputs(desk: Desk, tool: str) -> list[str]:
    """What the calls of a tool came to."""
    run = desk.run
    ended = [event for event in await desk.journal() if isinstance(event, CallFinished)]
    return [event.output for event in ended if run.calls[event.call_id].call.tool == tool]


async def test_nothing_runs_before_the_plan_is_approved(desk: Desk) -> None:
    """Neither what is called at once, nor what is called beside the plan; then everything does."""
    desk.script(calls(call("echo", text="early")), calls(PLAN, call("echo", text="beside")))
    await desk.hear("count the boats", plan_first=True)
    run = await desk.work()
    assert run.state is AgentState.WAITING
    assert run.questions[run.open_question].asked.purpose == "plan"
    assert all("did not run" in output for output in await outputs(desk, "echo"))
    await desk.answer(START_WORK)
    await desk.restart()
    desk.script(calls(call("echo", text="now")), calls(MARK, REST), say("Twelve."))
    run = await desk.work()
    assert run.outcome is RunOutcome.ANSWERED
    assert [("now" in output) for output in await outputs(desk, "echo")][-1]
    assert "approved the plan" in str(desk.model.requests[2].messages)
    assert "wants a plan first" in desk.model.requests[0].messages[0].text


async def test_other_words_make_another_plan_that_is_asked_about_again(desk: Desk) -> None:
    """Until a person says that work may begin, or that it may not."""
    desk.script(calls(PLAN))
    await desk.hear("count the boats", plan_first=True)
    await desk.work()
    await desk.answer("ask Ben first")
    desk.script(calls(OTHER))
    run = await desk.work()
    assert "ask Ben first" in str(desk.model.requests[1].messages)
    assert len(run.questions) == 2
    assert run.state is AgentState.WAITING
    await desk.answer(STOP_HERE)
    assert desk.run.outcome is RunOutcome.STOPPED


async def test_a_flow_waits_for_its_plan_too(desk: Desk) -> None:
    """What is said instead reaches the planner; nothing is done before a person says start."""
    desk.use(desk.context.tools.with_tools([Bash()]))
    first = step("s1", "Count the boats", check="exit")
    desk.script(plan(first, TELL))
    await desk.hear("count the boats", plan_first=True)
    await PlanningFlow(desk.context).run(never)
    assert desk.run.state is AgentState.WAITING
    await desk.answer("only count them")
    desk.script(plan(first))
    await PlanningFlow(desk.context).run(never)
    assert desk.run.state is AgentState.WAITING
    planned = [event for event in await desk.journal() if isinstance(event, FlowPlanned)]
    assert [(len(event.steps), event.reason) for event in planned] == [(2, ""), (1, "the person says: only count them")]
    await desk.answer(START_WORK)
    desk.script(bash("wc"), say("There are twelve."))
    await PlanningFlow(desk.context).run(never)
    assert desk.run.outcome is RunOutcome.ANSWERED


async def test_a_resumed_run_keeps_its_agent_and_waits_for_its_plan(desk: Desk, tmp_path: Path) -> None:
    """Going on is no way around the plan, and once that was approved it is not asked for again."""
    house = house_of(desk, tmp_path)
    state = told(said("as swe: plan first, then count the boats"))
    first = house.start(state)
    again = house.start(resumed(fold(state, first, at_ms=NOON), first))
    assert [(run.agent, run.plan_first) for run in (first, again)] == [("swe", True), ("swe", True)]
    question = asked("").model_copy(update={"purpose": "plan"})
    answer = QuestionAnswered(run_id="r1", question_id="q1", answer=START_WORK, by="U0ANA", how="button")
    approved = told(said("as swe: plan first, then count the boats"), first, question, answer)
    third = house.start(resumed(approved, first))
    assert (third.agent, third.plan_first) == ("swe", False)
    after = told(said("plan first"), first, finished(RunOutcome.STOPPED), said("count them", ts="1700000009.0"))
    other = house.start(after)
    assert (other.agent, other.plan_first) == ("manus", False)


def house_of(desk: Desk, root: Path) -> House:
    """Who starts the desk's runs."""
    context = desk.context
    return House(
        settings=context.settings,
        model=context.model,
        prices=context.prices,
        scripted=False,
        tools=context.tools,
        policy=context.policy,
        sandbox=context.sandbox,
        mounts=(),
        workspaces=root,
        redact=str,
    )


def resumed(state: SessionState, run: RunStarted) -> SessionState:
    """The run was stopped, and a person clicked on Resume."""
    state = fold(state, RunFinished(run_id=run.run_id, outcome=RunOutcome.STOPPED), at_ms=NOON)
    for event in take_in(state, ResumeEntry(entry_id="x", run_id=run.run_id, by="U0ANA"), now_ms=NOON):
        state = fold(state, event, at_ms=NOON)
    return state
