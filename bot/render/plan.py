"""The plan message: posted at once, its steps tick off in place, and it freezes when the run ends."""

from bot import texts, texts_plan
from bot.listeners.values import ButtonValue
from bot.render import escape
from bot.render.blocks import actions, button, context, rich, section
from bot.render.content import Content
from bot.render.limits import MESSAGE_JSON, PLAN_TASKS, PLAN_TITLE, TASK_TITLE, Block, clipped
from bot.render.markdown import weight
from runtime.session.ids import SessionKey
from runtime.session.plan_intake import open_titles, waits_for_plan
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
ROOM = MESSAGE_JSON - 2_500
"""Bytes for the plan block; the rest is for the sentence above it and the button below."""
SIZES = ((TASK_TITLE, TASK_TITLE), (160, 120), (100, 60), (80, 0), (40, 0), (20, 0))
"""Characters of a step's title and note; a long plan takes the first pair that fits, and the last always does."""
HEAD = 600


def task_card(index: int, step: PlanStep, size: tuple[int, int], *, run_over: bool) -> Block:
    """One step. A step left in progress by an ended run is shown as pending, since nobody works on it."""
    title, note = size
    status = step.status
    if run_over and status is StepStatus.IN_PROGRESS:
        status = StepStatus.PENDING
    suffix = texts.SKIPPED if status is StepStatus.SKIPPED else ""
    card: Block = {
        "type": "task_card",
        "task_id": f"step-{index}",
        "title": clipped(escape.plain(step.title) or "-", title - len(suffix)) + suffix,
        "status": STATUS[status],
    }
    if step.note.strip() and note:
        card["details"] = rich(clipped(escape.plain(step.note), note))
    return card


def plan_block(plan: Plan, *, run_over: bool) -> Block:
    """Slack's plan block, in the fullest form that fits into a message."""
    steps = tuple(enumerate(plan.steps[:PLAN_TASKS]))
    title = clipped(escape.plain(plan.title) or "-", PLAN_TITLE)
    blocks: list[Block] = [
        {"type": "plan", "title": title, "tasks": [task_card(n, step, size, run_over=run_over) for n, step in steps]}
        for size in SIZES
    ]
    return next((block for block in blocks if weight(block) <= ROOM), blocks[-1])


def replies(verbosity: str) -> Block:
    """A menu that chooses how much is said in the thread."""
    options = [
        {
            "text": {"type": "plain_text", "text": texts_plan.option(words, chosen=name == verbosity), "emoji": False},
            "value": name,
        }
        for name, words in texts_plan.REPLIES.items()
    ]
    return {"type": "overflow", "action_id": "verbosity", "options": options}


def render(key: SessionKey, run: RunState, verbosity: str) -> Content:
    """The message as it should look now; `verbosity` is how much is said in the thread."""
    if not run.is_active:
        head = texts.plan_status(run)
        closed: list[Block] = [section(head)]
        if run.plan is not None:
            closed.append(plan_block(run.plan, run_over=True))
        return Content(text=head, blocks=tuple(closed))
    words = texts.on_it(run.plan)
    if run.plan is not None and waits_for_plan(run):
        words = texts_plan.proposed(len(run.plan.steps))
    blocks: list[Block] = [section(escape.within(words, HEAD))]
    if run.plan is not None:
        blocks.append(plan_block(run.plan, run_over=False))
    blocks.append(context(texts.plan_status(run)))
    value = ButtonValue(session=key, about=run.run_id).pack()
    edit = (button(texts_plan.EDIT_PLAN, "plan_edit", value),) if open_titles(run) else ()
    stop = button(texts.STOP, "stop_run", value, "danger")
    blocks.append(actions(f"run-{run.run_id}", *edit, stop, replies(verbosity)))
    return Content(text=escape.beside(words), blocks=tuple(blocks))
