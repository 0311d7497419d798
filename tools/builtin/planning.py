"""Makes and keeps the plan that people watch tick off: a pure function on the plan in the context."""

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from tools.base import BaseTool, CallPreview, Effect, Params, PreparedCall, Risk, ToolInputError, ToolResult
from tools.context import ToolContext
from tools.plan import Plan, PlanStep, StepStatus, described


class PlanningParams(Params):
    """What to do to the plan; which further fields count depends on the command."""

    command: Literal["create", "update", "mark"]
    title: str | None = Field(default=None, min_length=1, max_length=150)
    steps: tuple[Annotated[str, Field(min_length=1, max_length=256)], ...] | None = Field(
        default=None, min_length=1, max_length=50
    )
    step_index: int | None = Field(default=None, ge=0)
    step_status: StepStatus | None = None
    note: str = Field(default="", max_length=1000)


class PlanningTool(BaseTool[PlanningParams]):
    """Each call returns a whole new plan; the runtime journals it."""

    name: ClassVar[str] = "planning"
    description: ClassVar[str] = (
        "Keep a plan that people watch. create and update take title and steps. mark takes step_index (from 0): "
        "in_progress before a step, completed after."
    )
    risk: ClassVar[Risk] = Risk.READ
    effect: ClassVar[Effect] = Effect.PURE
    params: ClassVar[type[Params]] = PlanningParams

    async def prepare(self, params: PlanningParams, context: ToolContext) -> PreparedCall:
        """Show the plan as it would be."""
        plan, _ = changed(context.plan, params)
        return PreparedCall(preview=CallPreview(title=f"Plan: {plan.title}", body=described(plan), language="text"))

    async def run(self, params: PlanningParams, context: ToolContext) -> ToolResult:
        """Change the plan."""
        plan, remark = changed(context.plan, params)
        done = sum(not step.status.is_open for step in plan.steps)
        text = described(plan) + (f"\n{remark}" if remark else "")
        return ToolResult(output=text, brief=f"{plan.title}: {done} of {len(plan.steps)} steps done", plan=plan)


def changed(plan: Plan | None, params: PlanningParams) -> tuple[Plan, str]:
    """The plan after the command, and a remark for the model or an empty text.

    Raises:
        ToolInputError: fields are missing, there is no plan yet, or no such step.
    """
    if params.command == "create":
        if params.title is None or params.steps is None:
            raise ToolInputError("create needs both title and steps.")
        return Plan(title=params.title, steps=fresh(params.steps)), ""
    if plan is None:
        raise ToolInputError(f"There is no plan yet, so there is nothing to {params.command}. Use create first.")
    if params.command == "update":
        return updated(plan, params), ""
    return marked(plan, params)


def fresh(titles: Sequence[str]) -> tuple[PlanStep, ...]:
    """Pending steps of these titles."""
    return tuple(PlanStep(title=title) for title in titles)


def updated(plan: Plan, params: PlanningParams) -> Plan:
    """The plan with another title or other steps; steps whose text stays keep status and note, one for one."""
    if params.title is None and params.steps is None:
        raise ToolInputError("update needs title, steps or both.")
    if params.steps is None:
        return plan.model_copy(update={"title": params.title})
    left = list(plan.steps)
    steps: list[PlanStep] = []
    for title in params.steps:
        kept = next((step for step in left if step.title == title), None)
        if kept is not None:
            left.remove(kept)
        steps.append(kept or PlanStep(title=title))
    return Plan(title=params.title or plan.title, steps=tuple(steps))


def marked(plan: Plan, params: PlanningParams) -> tuple[Plan, str]:
    """The plan with one step marked; at most one step is in progress afterwards."""
    index, status = params.step_index, params.step_status
    if index is None or status is None:
        raise ToolInputError("mark needs both step_index and step_status.")
    if index >= len(plan.steps):
        raise ToolInputError(
            f"There is no step {index}: the plan has {len(plan.steps)} steps, counted from 0.\n{described(plan)}"
        )
    steps = list(plan.steps)
    steps[index] = steps[index].model_copy(update={"status": status, "note": params.note})
    paused = [
        number
        for number, step in enumerate(steps)
        if number != index and status is StepStatus.IN_PROGRESS and step.status is StepStatus.IN_PROGRESS
    ]
    for number in paused:
        steps[number] = steps[number].model_copy(update={"status": StepStatus.PENDING})
    remark = "".join(f"Step {number} was in progress and is pending again; mark it if done. " for number in paused)
    return plan.model_copy(update={"steps": tuple(steps)}), remark.strip()
