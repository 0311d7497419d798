"""The planning tool makes new plans out of old ones and keeps them honest."""

import pytest
from pydantic import JsonValue

from tools.builtin.planning import PlanningParams, changed
from tools.errors import ToolInputError
from tools.plan import Plan, PlanStep, StepStatus


def plan_of(*statuses: StepStatus) -> Plan:
    """A plan with steps a, b, c … in the given states."""
    steps = tuple(PlanStep(title="abcdef"[index], status=status) for index, status in enumerate(statuses))
    return Plan(title="Find the rows", steps=steps)


def after(plan: Plan | None, **fields: JsonValue) -> Plan:
    """The plan after one command."""
    return changed(plan, PlanningParams.model_validate(fields))[0]


def statuses(plan: Plan) -> list[str]:
    """The states of the steps in order."""
    return [step.status.value for step in plan.steps]


def test_create_makes_pending_steps_also_in_place_of_an_old_plan() -> None:
    """A new plan replaces the old one."""
    plan = after(plan_of(StepStatus.COMPLETED), command="create", title="New", steps=["x", "y"])
    assert plan == Plan(title="New", steps=(PlanStep(title="x"), PlanStep(title="y")))


def test_marking_a_step_in_progress_leaves_exactly_one() -> None:
    """Whatever was in progress before is pending again, and the model is told."""
    before = plan_of(StepStatus.IN_PROGRESS, StepStatus.COMPLETED, StepStatus.PENDING)
    fields = {"command": "mark", "step_index": 2, "step_status": "in_progress"}
    plan, remark = changed(before, PlanningParams.model_validate(fields))
    assert statuses(plan) == ["pending", "completed", "in_progress"]
    assert "Step 0 was in progress" in remark


def test_marking_keeps_the_reason() -> None:
    """A step that failed says why."""
    plan = after(plan_of(StepStatus.PENDING), command="mark", step_index=0, step_status="failed", note="no access")
    assert plan.steps[0] == PlanStep(title="a", status=StepStatus.FAILED, note="no access")
    assert not plan.has_open_steps


def test_update_keeps_the_state_of_steps_whose_text_stays() -> None:
    """Inserting a step does not undo the others, and equal texts are matched one for one."""
    plan = after(plan_of(StepStatus.COMPLETED, StepStatus.IN_PROGRESS), command="update", steps=["a", "new", "b", "a"])
    assert statuses(plan) == ["completed", "pending", "in_progress", "pending"]
    assert after(plan, command="update", title="Other").title == "Other"


@pytest.mark.parametrize(
    ("plan", "fields", "says"),
    [
        (None, {"command": "mark", "step_index": 0, "step_status": "completed"}, "no plan yet"),
        (None, {"command": "update", "title": "x"}, "no plan yet"),
        (None, {"command": "create", "title": "x"}, "needs both title and steps"),
        (plan_of(StepStatus.PENDING), {"command": "update"}, "title, steps or both"),
        (plan_of(StepStatus.PENDING), {"command": "mark", "step_index": 0}, "needs both step_index"),
        (
            plan_of(StepStatus.PENDING),
            {"command": "mark", "step_index": 1, "step_status": "completed"},
            "counted from 0",
        ),
    ],
)
def test_a_command_that_cannot_work_says_why(plan: Plan | None, fields: dict[str, JsonValue], says: str) -> None:
    """The model learns what is missing or which steps there are."""
    with pytest.raises(ToolInputError, match=says):
        after(plan, **fields)
