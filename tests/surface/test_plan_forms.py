"""The form of a plan: every line of a long one, and no form for one that none holds."""

from typing import Any

from bot import texts_plan
from bot.listeners.modals import notice_modal
from bot.listeners.people import text_in
from bot.listeners.plans import MOST_INPUTS, line_blocks, plan_modal
from bot.listeners.values import ButtonValue
from runtime.session.events import CallFinished, CallStatus
from runtime.session.ids import SessionKey
from runtime.session.state import RunState
from tests.session.story import SESSION, replied, said, started, told
from tools.plan import Plan, PlanStep

VALUE = ButtonValue(session=SessionKey.parse(SESSION), about="r1")


def with_plan(*titles: str) -> RunState:
    """A run whose plan has these steps, whatever the model of a plan says of them."""
    plan = Plan.model_construct(title="Repair", steps=tuple(PlanStep.model_construct(title=title) for title in titles))
    made = CallFinished.model_construct(run_id="r1", call_id="r1.1.0", status=CallStatus.OK, output="ok", plan=plan)
    run = told(said("go"), started(), replied("planning"), made).run
    assert run is not None
    return run


def test_every_line_of_a_long_plan_is_read_back() -> None:
    """What is made harmless is longer than it was, so fifty steps may need more inputs than six."""
    view = plan_modal(VALUE, with_plan(*(f"{number} " + "<@" * 120 for number in range(50))))
    assert view is not None
    values: dict[str, dict[str, Any]] = {
        block["block_id"]: {block["block_id"]: {"value": block["element"]["initial_value"]}}
        for block in reversed(view["blocks"])
    }
    lines = "\n".join(text_in(values, block_id) for block_id in line_blocks(values)).splitlines()
    assert len(values) > 6
    assert [int(line.split()[0]) for line in lines] == list(range(50))


def test_a_plan_that_no_form_holds_is_not_offered_for_editing() -> None:
    """More steps than a plan may be saved with, or more inputs than anybody reads: a sentence says what to do."""
    said_so = notice_modal(texts_plan.NO_FORM)
    assert plan_modal(VALUE, with_plan(*map(str, range(51)))) == said_so
    assert plan_modal(VALUE, with_plan(*("x" * 2_900 for _ in range(MOST_INPUTS + 1)))) == said_so
