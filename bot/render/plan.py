"""The plan message: posted at once, its steps tick off in place, and it freezes when the run ends."""

from bot import texts
from bot.listeners.values import ButtonValue
from bot.render import escape
from bot.render.blocks import actions, button, context, rich, section
from bot.render.content import Content
from bot.render.limits import PLAN_TASKS, PLAN_TITLE, TASK_TITLE, TEXT_FALLBACK, Block, clipped
from runtime.session.ids import SessionKey
from runtime.session.state import RunState
from tools.plan import Plan, PlanStep, StepStatus

STATUS = {
    StepStatus.PENDING: "pending",
    StepStatus.IN_PROGRESS: "in_progress",
    StepStatus.COMPLETED: "complete",
    StepStatus.BLOCKED: "error",
    StepStatus.FAILED: "error",
    StepStatus.SKIPPED: "complete",
}


def task_card(index: int, step: PlanStep, run_over: bool) -> Block:
    """One step. A step left in progress by an ended run is shown as pending, since nobody works on it."""
    status = step.status
    if run_over and status is StepStatus.IN_PROGRESS:
        status = StepStatus.PENDING
    suffix = " (skipped)" if status is StepStatus.SKIPPED else ""
    card: Block = {
        "type": "task_card",
        "task_id": f"step-{index}",
        "title": clipped(escape.plain(step.title) + suffix, TASK_TITLE),
        "status": STATUS[status],
    }
    if step.note:
        card["details"] = rich(clipped(escape.plain(step.note), TASK_TITLE))
    return card


def plan_block(plan: Plan, run_over: bool) -> Block:
    """Slack's plan block; steps beyond its limit are counted in the last card."""
    cards = [task_card(index, step, run_over) for index, step in enumerate(plan.steps[:PLAN_TASKS])]
    return {"type": "plan", "title": clipped(escape.plain(plan.title), PLAN_TITLE), "tasks": cards}


def render(key: SessionKey, run: RunState) -> Content:
    """The message as it should look now."""
    head = texts.on_it(run.plan) if run.is_active else texts.plan_status(run)
    blocks: list[Block] = [section(escape.mrkdwn(head) if run.is_active else head)]
    if run.plan is not None:
        blocks.append(plan_block(run.plan, not run.is_active))
    if run.is_active:
        blocks.append(context(texts.plan_status(run)))
        stop = button(texts.STOP, "stop_run", ButtonValue(session=key, about=run.run_id).pack(), "danger")
        blocks.append(actions(f"run-{run.run_id}", stop))
    return Content(text=clipped(escape.plain(head), TEXT_FALLBACK), blocks=tuple(blocks))
