"""A step of a flow that only repeats itself: a hint first, then another plan with the evidence."""

from runtime.flow.planning import PlanningFlow
from runtime.session.events import ProgressDoubted, RunOutcome
from runtime.session.mind_events import FlowPlanned, FlowStepEnded
from tests.agent.conftest import desk
from tests.agent.desk import Desk, never
from tests.flow.test_planning import bash, plan, shop, step
from tests.support.model import say
from tests.support.redis import redis_server, redis_url, store

__all__ = ["desk", "redis_server", "redis_url", "shop", "store"]


async def test_a_step_that_repeats_itself_is_hinted_at_and_then_planned_anew(shop: Desk) -> None:
    """The second doubt ends the step, whatever its model wants, and the planner reads why."""
    turns = [plan(step("s1", "Ask the harbour", check="exit", max_steps=50)), *[bash("ping")] * 6]
    turns += [plan(step("s2", "Tell what is known", check="answer")), say("word " * 9)]
    shop.script(*turns)
    await shop.hear("ask the harbour")
    await PlanningFlow(shop.context).run(never)
    assert shop.run.outcome is RunOutcome.ANSWERED
    journal = await shop.journal()
    doubts = [event for event in journal if isinstance(event, ProgressDoubted)]
    assert [event.rung for event in doubts] == ["hint", "replan"]
    ended = next(event for event in journal if isinstance(event, FlowStepEnded))
    assert ended.reason.startswith("it did not get further: 3 times in a row: bash")
    plans = [event for event in journal if isinstance(event, FlowPlanned)]
    assert "it did not get further" in plans[1].reason
