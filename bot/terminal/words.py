"""What `python -m bot run` prints."""

from pathlib import Path

from bot import texts, texts_budget
from runtime.session.events import ApprovalRequested, CallStatus, QuestionAsked
from runtime.session.limit_events import LimitReached
from runtime.session.state import CallState
from tools.plan import Plan, StepStatus
from tools.text import visible


def field_prompt(label: str, choices: tuple[str, ...], problem: str) -> str:
    """One field of a form."""
    said = f"{problem}\n" if problem else ""
    listed = "".join(f" [{number}] {choice}" for number, choice in enumerate(choices, 1))
    return f"{said}{label}{listed}> "


ANSWER_PROMPT = "your answer> "
APPROVAL_PROMPT = "approve? type approve, or why not> "
APPROVING_WORD = "approve"
LIMIT_PROMPT = "go on? type more, or anything else to end here> "
ADDING_WORD = "more"
MARKS = {
    StepStatus.PENDING: "[ ]",
    StepStatus.IN_PROGRESS: "[>]",
    StepStatus.COMPLETED: "[x]",
    StepStatus.BLOCKED: "[!]",
    StepStatus.FAILED: "[!]",
    StepStatus.SKIPPED: "[-]",
}


def workspace(root: Path) -> str:
    """Where files are."""
    return f"workspace: {root}"


def plan(plan: Plan) -> str:
    """The plan with its marks."""
    return "\n".join((f"plan: {visible(plan.title)}", *(f"  {MARKS[s.status]} {visible(s.title)}" for s in plan.steps)))


def call(call: CallState) -> str:
    """One call in one line."""
    result = call.result
    mark = "ok" if result is not None and result.status is CallStatus.OK else "failed"
    brief = result.brief or result.output.strip().split("\n")[0] if result is not None else ""
    return f"  {mark}: {call.call.tool} · {visible(brief)[:160]}"


def question(asked: QuestionAsked) -> str:
    """A question with numbered choices."""
    choices = (f"  {number}. {visible(choice)}" for number, choice in enumerate(asked.choices, start=1))
    return "\n".join((f"question: {visible(texts.worded(asked).question)}", *choices))


def limit(reached: LimitReached) -> str:
    """A limit that was reached."""
    return f"limit reached: {texts_budget.limit_name(reached.scope, reached.what, reached.limit)}"


def approval(requested: ApprovalRequested) -> str:
    """The exact call, whole."""
    return "\n".join((f"approval needed: {visible(requested.title)}", visible(requested.body), *requested.notes))
