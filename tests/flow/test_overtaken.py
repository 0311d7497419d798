"""What happens while the planner thinks: people's words and edits are never overwritten by a plan that is older."""

import pytest
from aiohttp.web import StreamResponse

from runtime.flow.planning import OVERTAKEN, PlanningFlow
from runtime.session.entries import PlanEditEntry
from runtime.session.events import RunOutcome
from runtime.session.mind_events import FlowPlanned
from tests.agent.conftest import desk
from tests.agent.desk import Desk, never
from tests.flow.test_planning import plan, shop, step
from tests.support.model import Asked, Turn, call, calls, say
from tests.support.redis import redis_server, redis_url, store

__all__ = ["desk", "redis_server", "redis_url", "shop", "store"]

ASK = step("s1", "Ask the harbour", check="exit")
LATER = step("s2", "Tell the number", check="answer")
NO = calls(call("terminate", status="failure", answer="There is no harbour."))
LAST = say("There are twelve vessels in the harbour this morning.")


def edited_meanwhile(shop: Desk, turn: Turn, *titles: str) -> Turn:
    """The same turn, while whose request is under way a person makes this of the open steps."""

    async def play(asked: Asked) -> StreamResponse:
        entry = PlanEditEntry(entry_id="e", run_id="r1", plan_seq=shop.run.plan_seq, titles=titles, by="U1")
        await shop.take_in(entry)
        return await turn.play(asked)

    return Turn(name="edited meanwhile", play=play)


def said_meanwhile(shop: Desk, turn: Turn, text: str, ts: str) -> Turn:
    """The same turn, while whose request is under way a person says this."""

    async def play(asked: Asked) -> StreamResponse:
        await shop.hear(text, ts=ts)
        return await turn.play(asked)

    return Turn(name="said meanwhile", play=play)


async def plans(desk: Desk) -> list[FlowPlanned]:
    """Every plan that came to be, those of people included."""
    return [event for event in await desk.journal() if isinstance(event, FlowPlanned)]


async def test_an_edit_while_another_plan_is_made_is_kept(shop: Desk) -> None:
    """The planner is asked again with the plan as the person left it, and pays no attempt for it."""
    masts = LATER | {"title": "Count the masts"}
    shop.script(plan(ASK, LATER), NO, edited_meanwhile(shop, plan(LATER), "Count the masts"), plan(masts), LAST)
    await shop.hear("count the boats")
    await PlanningFlow(shop.context).run(never)
    assert shop.run.outcome is RunOutcome.ANSWERED
    asked = shop.model.requests[3].messages[-1].text
    assert "s2 [pending] Count the masts" in asked
    assert "a person changed the plan meanwhile" in asked
    assert [tuple(one.title for one in event.steps) for event in await plans(shop)] == [
        ("Ask the harbour", "Tell the number"),
        ("Ask the harbour", "Count the masts"),
        ("Count the masts",),
    ]
    assert (await plans(shop))[-1].usage.total > (await plans(shop))[0].usage.total


async def test_edits_without_end_do_not_keep_the_planner_busy_for_ever(shop: Desk) -> None:
    """After a set number of them its plan is taken."""
    edits = [edited_meanwhile(shop, plan(LATER), f"Count {n}") for n in range(OVERTAKEN + 1)]
    shop.script(plan(ASK, LATER), NO, *edits, LAST)
    await shop.hear("count the boats")
    await PlanningFlow(shop.context).run(never)
    assert shop.run.outcome is RunOutcome.ANSWERED
    assert [one.title for one in (await plans(shop))[-1].steps] == ["Tell the number"]


@pytest.mark.parametrize("first", [True, False])
async def test_what_is_said_while_a_plan_is_made_reaches_the_planner(shop: Desk, first: bool) -> None:
    """The plan that did not know of it gives way to one that does, whichever plan it was, before any of its steps."""
    french = plan(step("s3", "Tell it in French", check="answer"))
    shop.script(*([] if first else [plan(ASK), NO]), said_meanwhile(shop, plan(LATER), "in French please", "3.0"))
    shop.script(french, say("Il y a douze bateaux dans le grand port."))
    await shop.hear("count the boats")
    await PlanningFlow(shop.context).run(never)
    assert shop.run.answer.startswith("Il y a")
    last = (await plans(shop))[-1]
    assert (last.by, last.reason) == ("U1", "the person says: in French please")
    assert "in French please" in shop.model.requests[-2].messages[-1].text


async def test_a_flow_does_not_give_up_on_words_that_its_planner_has_not_read(shop: Desk) -> None:
    """What is said during the last attempt that brings no plan leads to another one."""
    useless = say("I would rather not.")
    shop.script(plan(ASK), NO, useless, said_meanwhile(shop, useless, "guess it then", "3.0"))
    shop.script(plan(step("s3", "Guess", check="answer")), LAST)
    await shop.hear("count the boats")
    await PlanningFlow(shop.context).run(never)
    assert shop.run.outcome is RunOutcome.ANSWERED
    assert "guess it then" in shop.model.requests[-2].messages[-1].text
