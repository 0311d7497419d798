"""What `python -m bot run` prints."""

import re
from collections.abc import Sequence
from pathlib import Path

from bot import texts, texts_budget, texts_people
from bot.render.limits import clipped
from runtime.session.cards import parts
from runtime.session.events import ApprovalRequested, CallStatus, NoticeQueued, QuestionAsked
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
FILE_PROMPT = "path of the file, or an answer in words> "
APPROVING_WORD = "approve"
ALLOWING_WORD = "allow"
EDITING_WORD = "edit"
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


MENTION = re.compile(r"<@([^>|]+)(?:\|[^>]*)?>")
SHOWN = 200


def approval_prompt(*, can_allow: bool, can_edit: bool) -> str:
    """What may be typed at a card."""
    more = (", allow (this thread, for a while)" if can_allow else "") + (", edit" if can_edit else "")
    return f"approve? type approve{more}, or why not> "


def which_prompt(count: int) -> str:
    """Which call of a card is edited."""
    return f"which call? 1 to {count}> "


def value_prompt(name: str, text: str) -> str:
    """An argument with what it is now."""
    return f"  {name} is {clipped(visible(text), SHOWN)!r}\n  {name}, or empty to keep it> "


def not_json(names: Sequence[str]) -> str:
    """Arguments that are not written as they have to be."""
    return f"  {', '.join(names)}: {texts_people.NOT_JSON}"


def notice(queued: NoticeQueued) -> str:
    """Why something that was typed did not count."""
    about = {**queued.about, "approvers": " or ".join(filter(None, queued.about.get("approvers", "").split(",")))}
    return MENTION.sub(r"\1", visible(texts.notice(queued.code, about)))


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
    """Why a call is asked for again, and each exact call, whole."""
    again = MENTION.sub(r"\1", texts_people.again(requested))
    lines = [again] if again else []
    for number, call in enumerate(parts(requested), start=1):
        title = f"{number}. {visible(call.title)}" if requested.also else visible(call.title)
        lines += [f"approval needed: {title}", visible(call.body), *map(visible, call.notes)]
    return "\n".join(lines)
