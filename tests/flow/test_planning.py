"""A flow ends truthfully: steps are done by whom they are for, proved, planned anew, or said to be not done."""

import json
from collections.abc import Mapping

import pytest
from pydantic import JsonValue

from runtime.flow.executors import EXECUTORS
from runtime.flow.planner import PlanUnreadable, read_plan
from runtime.flow.planning import PlanningFlow
from runtime.session.events import RunOutcome
from runtime.session.mind_events import FlowPlanned, FlowStepEnded
from runtime.session.state import AgentState, RunState
from tests.agent.conftest import desk
from tests.agent.desk import Desk, never
from tests.agent.test_verify import Bash
from tests.support.model import Turn, call, calls, fail, say
from tests.support.redis import redis_server, redis_url, store
from tools.plan import StepStatus

__all__ = ["desk", "redis_server", "redis_url", "store"]


def step(name: str, title: str, **fields: JsonValue) -> dict[str, JsonValue]:
    """A step of a plan."""
    return {"id": name, "title": title, "criterion": title, **fields}


def plan(*steps: Mapping[str, object], title: str = "Boats") -> Turn:
    """The planner's reply."""
    return say(json.dumps({"title": title, "steps": list(steps)}))


def judged(met: bool, quote: str = "") -> Turn:
    """The verifier's reply."""
    return say(json.dumps({"met": met, "quote": quote, "why": "because"}))


def bash(command: str) -> Turn:
    """A step that runs something."""
    return calls(call("bash", command=command))


MAKE = step("s1", "Write the report", check="file:report.csv")
TELL = step("s2", "Tell the number", after=["s1"], check="answer", kind="data_analysis")


@pytest.fixture
def shop(desk: Desk) -> Desk:
    """A desk with a shell."""
    desk.use(desk.context.tools.with_tools([Bash()]))
    return desk


async def played(desk: Desk, *turns: Turn) -> RunState:
    """The flow with this script, until it stops."""
    desk.script(*turns)
    await desk.hear("count the boats, in metric units")
    await PlanningFlow(desk.context).run(never)
    return desk.run


async def ends(desk: Desk) -> list[tuple[str, str]]:
    """How each step ended."""
    return [(e.step_id, e.status.value) for e in await desk.journal() if isinstance(e, FlowStepEnded)]


async def test_a_flow_does_its_steps_in_order_each_with_a_memory_of_its_own(shop: Desk) -> None:
    """The plan people watch ticks off; a step reads the task and what the steps before came to, not their calls."""
    answer = "There are twelve boats in the harbour, as the report shows."
    run = await played(shop, plan(MAKE, TELL), bash("make"), say("I wrote report.csv with 12 boats."), say(answer))
    assert (run.outcome, run.answer) == (RunOutcome.ANSWERED, answer)
    assert run.plan is not None
    assert [known.status for known in run.plan.steps] == [StepStatus.COMPLETED] * 2
    assert [(check.checked.about, check.checked.passed) for check in run.checks] == [("s1", True), ("s2", True)]
    last = shop.model.requests[-1].messages
    assert [message.role for message in last] == ["system", "user"]
    assert "in metric units" in last[1].text
    assert "I wrote report.csv with 12 boats." in last[1].text
    assert "at work on data" in last[0].text


async def test_a_step_that_only_says_completed_is_never_completed(shop: Desk) -> None:
    """A model that always says so and does nothing ends in a plain no, after every bound was used up."""
    script: list[Turn] = []
    for _ in range(3):
        script += [plan(step("s1", "Count the boats", check="judge")), *[say("Completed.")] * 3]
    run = await played(shop, *script)
    assert run.outcome is RunOutcome.FAILED
    assert run.state is AgentState.ERROR
    assert "completed" not in [status for _, status in await ends(shop)]
    assert run.plan is not None
    assert run.plan.steps[0].status is StepStatus.FAILED
    assert "Not done:" in run.answer


async def test_a_yes_man_as_judge_proves_nothing(shop: Desk) -> None:
    """A verdict counts only with a passage that stands in what tools returned."""
    one = step("s1", "Count the boats")
    script = [plan(one), bash("ls"), say("12 boats."), judged(True, "12 boats"), say("12 boats."), judged(True, "12")]
    script += [say("12 boats."), judged(True), plan(step("s2", "Count them again")), bash("12 boats")]
    script += [say("12 boats."), judged(True, "12 boats")]
    run = await played(shop, *script)
    assert (run.outcome, run.answer) == (RunOutcome.ANSWERED, "12 boats.")
    assert await ends(shop) == [("s1", "failed"), ("s2", "completed")]


async def test_an_impossible_step_is_planned_around_with_the_evidence(shop: Desk) -> None:
    """The planner hears why; steps that are done stay done and are not done again."""
    no = calls(call("terminate", status="failure", answer="There is no harbour database."))
    second = step("s2", "Ask the harbour database", after=["s1"], check="exit")
    other = step("s3", "Estimate from the report", after=["s1"], check="exit")
    made = [bash("make"), say("I wrote report.csv.")]
    run = await played(shop, plan(MAKE, second), *made, no, plan(MAKE, other), bash("wc"), say("About twelve."))
    assert (run.outcome, run.answer) == (RunOutcome.ANSWERED, "About twelve.")
    assert await ends(shop) == [("s1", "completed"), ("s2", "failed"), ("s3", "completed")]
    plans = [event for event in await shop.journal() if isinstance(event, FlowPlanned)]
    assert "There is no harbour database." in plans[1].reason
    assert "There is no harbour database." in shop.model.requests[4].messages[-1].text


async def test_a_step_that_stays_impossible_ends_in_what_was_and_was_not_done(shop: Desk) -> None:
    """Planning anew is tried a set number of times; what depends on the failed step is skipped, with the reason."""
    no = calls(call("terminate", status="failure", answer="No network."))
    later = step("s9", "Send it", after=["s2"], check="exit")
    script: list[Turn] = [plan(MAKE, step("s2", "Fetch", after=["s1"], check="exit"), later)]
    script += [bash("make"), say("I wrote report.csv."), no]
    script += [
        plan(MAKE, step(f"t{n}", "Fetch", after=["s1"], check="exit"), later | {"after": [f"t{n}"]}) for n in (1,)
    ]
    script += [no, plan(MAKE, step("t2", "Fetch", after=["s1"], check="exit"), later | {"after": ["t2"]}), no]
    run = await played(shop, *script)
    assert run.outcome is RunOutcome.FAILED
    assert await ends(shop) == [
        ("s1", "completed"),
        ("s2", "failed"),
        ("t1", "failed"),
        ("t2", "failed"),
        ("s9", "skipped"),
    ]
    assert "Fetch: No network." in run.answer
    assert "I wrote report.csv." in run.answer


async def test_a_server_that_fails_every_request_ends_the_flow_with_its_reason(shop: Desk) -> None:
    """Nothing is marked as done, and few requests are made."""
    run = await played(shop, fail(401, "bad key"))
    assert run.outcome is RunOutcome.FAILED
    assert run.detail.startswith("model_auth")
    assert run.flow is None


async def test_a_refusal_in_the_middle_of_a_step_ends_the_flow_too(shop: Desk) -> None:
    """The step stays open in the plan."""
    run = await played(shop, plan(MAKE), bash("ls"), fail(401, "bad key"))
    assert run.outcome is RunOutcome.FAILED
    assert run.plan is not None
    assert run.plan.steps[0].status is StepStatus.IN_PROGRESS


async def test_a_step_has_a_budget_of_its_own(shop: Desk) -> None:
    """One that goes on for ever fails alone, and the next plan leaves it out."""
    busy = [calls(call("echo", text=f"{n}")) for n in range(2)]
    short = MAKE | {"max_steps": 2}
    run = await played(shop, plan(short), *busy, plan(step("s2", "Tell", check="answer")), say("word " * 9))
    assert run.outcome is RunOutcome.ANSWERED
    assert await ends(shop) == [("s1", "failed"), ("s2", "completed")]


async def test_a_flow_goes_on_in_the_middle_of_a_step_after_a_restart(shop: Desk) -> None:
    """Everything is in the journal: the step, its memory and its budget."""
    shop.script(plan(MAKE, TELL), bash("make"), fail(503), fail(503))
    await shop.hear("count the boats")
    await PlanningFlow(shop.context).run(never)
    assert shop.run.state is AgentState.WAITING
    before = shop.run.flow
    await shop.restart()
    assert shop.run.flow == before
    assert before is not None
    assert before.current == "s1"


async def test_a_flow_that_was_killed_in_the_middle_of_a_step_finishes_after_it(shop: Desk) -> None:
    """Another process folds the journal: nothing is planned or done a second time, and the end is the same."""
    shop.script(plan(MAKE, TELL), bash("make"))
    await shop.hear("count the boats")
    steps = iter([False, False, True])

    async def killed() -> bool:
        return next(steps)

    await PlanningFlow(shop.context).run(killed)
    before = shop.run
    assert before.flow is not None
    assert before.flow.current == "s1"
    await shop.restart()
    shop.script(bash("ls"), say("I wrote report.csv."), say("There are twelve boats in the harbour, as it shows."))
    await PlanningFlow(shop.context).run(never)
    assert shop.run.outcome is RunOutcome.ANSWERED
    assert await ends(shop) == [("s1", "completed"), ("s2", "completed")]
    kinds = await shop.kinds()
    assert (kinds.count("flow_planned"), kinds.count("flow_step_started")) == (1, 2)


async def test_what_a_person_says_during_a_flow_changes_the_plan(shop: Desk) -> None:
    """At the next step the planner hears it, and it does not count as a failure."""
    flow_turns = [plan(MAKE, TELL), bash("make"), say("I wrote report.csv."), say("It is done now.")]
    new = [
        plan(MAKE, step("s3", "Tell it in French", check="answer")),
        say("Il y a douze bateaux dans le grand port."),
    ]
    shop.script(*flow_turns[:2])
    await shop.hear("count the boats")
    taken = 0

    async def pause() -> bool:
        nonlocal taken
        taken += 1
        if taken == 4:
            shop.script(flow_turns[2], *new)
            await shop.hear("tell me in French", ts="3.0")
        return False

    await PlanningFlow(shop.context).run(pause)
    assert shop.run.answer.startswith("Il y a")
    plans = [event for event in await shop.journal() if isinstance(event, FlowPlanned)]
    assert [(event.revision, event.by) for event in plans] == [(1, ""), (1, "U1")]


async def test_a_planner_that_gives_no_plan_is_told_why_and_then_the_task_is_one_step(shop: Desk) -> None:
    """A default with invented steps would be marked as done; one step with the task's own criterion would not."""
    script = [say("I would rather not."), say('{"steps": []}'), bash("12 boats"), say("12 boats.")]
    run = await played(shop, *script, judged(True, "12 boats"))
    assert run.outcome is RunOutcome.ANSWERED
    assert "Your last reply could not be used" in shop.model.requests[1].messages[-1].text


@pytest.mark.parametrize(
    ("steps", "says"),
    [
        ([], "0 steps"),
        ([step("a", "x"), step("a", "y")], "same id"),
        ([step("a", "x", kind="plumber")], "no agent 'plumber'"),
        ([step("a", "x", after=["b"])], "which is no step"),
        ([step("a", "x", after=["b"]), step("b", "y", after=["a"])], "circle"),
        ([step("a", "x", check="trust me")], "no check"),
        ([step("a b", "x")], "cannot be used"),
        ([step("a", "x", max_steps=0)], "max_steps of a"),
        ([step("a", "x", max_steps=51)], "max_steps of a"),
    ],
)
def test_a_plan_that_cannot_work_is_refused_with_the_reason(steps: list[dict[str, JsonValue]], says: str) -> None:
    """Unknown agents and checks, double ids, missing steps and circles are found before anything runs."""
    with pytest.raises(PlanUnreadable, match=says):
        read_plan(json.dumps({"title": "t", "steps": steps}), tuple(EXECUTORS))
