"""People in a flow: what they do not allow blocks a step, and the plan is theirs to edit while it runs."""

from runtime.flow.planning import PlanningFlow
from runtime.session.entries import PlanEditEntry
from runtime.session.events import RunOutcome
from runtime.session.mind_events import FlowPlanned, FlowStepEnded
from tests.agent.conftest import desk
from tests.agent.desk import Desk, never
from tests.flow.test_planning import MAKE, TELL, bash, ends, plan, shop, step
from tests.support.model import call, calls, say
from tests.support.redis import redis_server, redis_url, store

__all__ = ["desk", "redis_server", "redis_url", "shop", "store"]


async def test_a_step_that_people_do_not_allow_is_blocked_and_planned_around(shop: Desk) -> None:
    """A refusal is no failure of the work: its status and its reason say so, and the planner hears it."""
    pay = calls(call("pays", text="Bob"))
    no = calls(call("terminate", status="failure", answer="I may not pay."))
    shop.script(plan(step("s1", "Pay the harbour", check="exit")), pay)
    await shop.hear("pay and count")
    await PlanningFlow(shop.context).run(never)
    await shop.decide("denied")
    shop.script(no, plan(step("s2", "Tell what it takes", check="answer")), say("word " * 9))
    await PlanningFlow(shop.context).run(never)
    assert await ends(shop) == [("s1", "blocked"), ("s2", "completed")]
    ended = next(event for event in await shop.journal() if isinstance(event, FlowStepEnded))
    assert ended.reason == "pays was not allowed; I may not pay."
    plans = [event for event in await shop.journal() if isinstance(event, FlowPlanned)]
    assert "pays was not allowed" in plans[1].reason


async def test_a_person_edits_the_plan_while_a_step_is_under_way(shop: Desk) -> None:
    """The step goes on where it was; what comes after it is what the person wrote."""
    shop.script(plan(MAKE, TELL), bash("make"))
    await shop.hear("count the boats")
    taken = 0

    async def pause() -> bool:
        nonlocal taken
        taken += 1
        if taken == 4:
            await shop.take_in(
                PlanEditEntry(
                    entry_id="e",
                    run_id="r1",
                    plan_seq=shop.run.plan_seq,
                    titles=("Count the masts",),
                    by="U1",
                )
            )
            shop.script(say("I wrote report.csv."), say("There are twelve masts in the harbour by my count."))
        return False

    await PlanningFlow(shop.context).run(pause)
    assert shop.run.outcome is RunOutcome.ANSWERED
    assert "Count the masts" in shop.model.requests[-1].messages[1].text
    assert len(shop.model.bodies) == 4
