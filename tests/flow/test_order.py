"""What runs in a flow, and when: steps after those they need, nothing after the word that ends a step."""

from runtime.flow.planning import PlanningFlow
from runtime.session.events import CallFinished, CallStatus, MemoryCompacted, RunOutcome
from runtime.session.mind_events import FlowStepStarted
from tests.agent.conftest import desk
from tests.agent.desk import Desk, never
from tests.flow.test_planning import bash, ends, plan, shop, step
from tests.memory.test_compaction import big
from tests.support.model import call, calls, say
from tests.support.redis import redis_server, redis_url, store

__all__ = ["desk", "redis_server", "redis_url", "shop", "store"]


async def test_steps_wait_for_what_they_need(shop: Desk) -> None:
    """Dependencies, not the order in which the planner wrote them, decide."""
    third = step("c", "Third", after=["a", "b"], check="exit")
    second = step("b", "Second", after=["a"], check="exit")
    done = [turn for number in range(3) for turn in (bash(f"ls {number}"), say("Done with it."))]
    shop.script(plan(third, second, step("a", "First", check="exit")), *done)
    await shop.hear("go")
    await PlanningFlow(shop.context).run(never)
    assert shop.run.outcome is RunOutcome.ANSWERED
    began = [event.step_id for event in await shop.journal() if isinstance(event, FlowStepStarted)]
    assert began == ["a", "b", "c"]


async def test_nothing_runs_after_terminate_in_a_step(shop: Desk) -> None:
    """A call that the same reply makes after it is cancelled, and no request holds a call without a result."""
    finish = call("terminate", status="failure", answer="No network.")
    shop.script(plan(step("s1", "Fetch", check="exit")), calls(finish, call("pays", text="Bob")))
    shop.script(plan(step("s2", "Tell what is known", check="answer")), say("Nothing could be fetched from Bergen."))
    await shop.hear("go")
    await PlanningFlow(shop.context).run(never)
    assert await ends(shop) == [("s1", "failed"), ("s2", "completed")]
    assert shop.pays.paid == []
    assert shop.model.refused == []
    results = [event.status for event in await shop.journal() if isinstance(event, CallFinished)]
    assert results[1] is CallStatus.CANCELLED


async def test_a_step_in_which_a_person_spoke_keeps_its_brief_through_compactions(shop: Desk) -> None:
    """Every request of the step holds what it has to do and what was asked for, and what was said meanwhile."""
    shop.configure("[model]\ncontext_window = 8000\n")
    one = step("s1", "Count", check="exit", criterion="THE CRITERION", max_steps=30)
    shop.script(plan(one), *[big(number) for number in range(10)], bash("ls"), say("Counted it all now."))
    shop.script(plan(one))
    await shop.hear("count the boats, never call before nine", scripted=True)
    taken = 0

    async def pause() -> bool:
        nonlocal taken
        taken += 1
        if taken == 4:
            await shop.hear("use metric units", ts="3.0")
        return False

    await PlanningFlow(shop.context).run(pause)
    assert len([event for event in await shop.journal() if isinstance(event, MemoryCompacted)]) > 1
    told = [str(request.messages) for request in shop.model.requests if request.tools]
    assert all("THE CRITERION" in text and "never call before nine" in text for text in told)
    assert "metric units" in told[-1]
