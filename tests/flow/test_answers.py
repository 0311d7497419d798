"""A step whose text is its product: the text is there, or it only says so."""

import pytest

from runtime.flow.planning import PlanningFlow
from runtime.flow.product import says_something
from runtime.session.events import RunOutcome
from tests.agent.conftest import desk
from tests.agent.desk import Desk, never
from tests.flow.test_planning import ends, judged, plan, step
from tests.support.model import say
from tests.support.redis import redis_server, redis_url, store

__all__ = ["desk", "redis_server", "redis_url", "store"]

EMPTY = "The task has been completed successfully and everything works as it should now."
SHORT = "It is in Bergen."
COUNT = step("s1", "Count the boats", check="answer")


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        (EMPTY, False),
        ("Done. I counted the boats as requested, and all requirements are fully met.", False),
        ("", False),
        ("There are twelve boats in the harbour, as the report shows.", True),
        ("Il y a douze bateaux dans le grand port.", True),
        ("12 boats.", True),
        ("The boats are counted.", None),
        ("It is in Bergen.", None),
        ("I finished: twelve boats in the harbour.", None),
        ("C'est fait, tout est terminé comme prévu.", None),
        ("Completed. " + "The Aurora lies in berth nine beside two fishing vessels from Norway. " * 5, True),
    ],
)
def test_a_claim_that_a_task_is_done_is_no_product(answer: str, verdict: bool | None) -> None:
    """Words of the task and words that only claim add nothing; what rules cannot tell they leave open."""
    assert says_something(answer, "Count the boats") is verdict


def test_a_task_that_asks_for_an_end_is_not_refused_the_word() -> None:
    """That the crane is finished may be the answer; somebody has to look."""
    assert says_something("The crane is finished.", "Tell whether the crane is finished") is None


async def test_a_text_that_only_claims_completes_no_step(desk: Desk) -> None:
    """However often it is said and planned anew, the flow ends in a plain no."""
    desk.script(*[turn for _ in range(3) for turn in (plan(COUNT), *[say(EMPTY)] * 3)])
    await desk.hear("count the boats")
    await PlanningFlow(desk.context).run(never)
    assert desk.run.outcome is RunOutcome.FAILED
    assert {status for _, status in await ends(desk)} == {"failed"}
    assert "only says that it is done" in desk.run.answer


async def test_a_text_that_holds_the_product_completes_its_step_at_once(desk: Desk) -> None:
    """Nobody is asked about it."""
    desk.script(plan(COUNT), say("There are twelve vessels in the harbour this morning."))
    await desk.hear("count the boats")
    await PlanningFlow(desk.context).run(never)
    assert desk.run.outcome is RunOutcome.ANSWERED
    assert len(desk.model.bodies) == 2


async def test_a_text_that_rules_cannot_tell_is_judged_by_what_it_says(desk: Desk) -> None:
    """A yes counts only with a passage of the text itself."""
    desk.script(plan(COUNT), say(SHORT), judged(True, "in Oslo"), say(SHORT), judged(True, "in Bergen"))
    await desk.hear("count the boats")
    await PlanningFlow(desk.context).run(never)
    assert (desk.run.outcome, desk.run.answer) == (RunOutcome.ANSWERED, SHORT)
    assert [known.checked.passed for known in desk.run.checks] == [False, True]
    assert SHORT in desk.model.requests[2].messages[-1].text
