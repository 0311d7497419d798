"""Replies about finished work: calls grouped into steps, each group one short reply with its output a click away."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot import texts
from bot.listeners.values import ButtonValue
from bot.render import escape
from bot.render.blocks import button, section
from bot.render.content import Content
from runtime.session.events import CallStatus
from runtime.session.ids import SessionKey
from runtime.session.state import CallState, RunState
from runtime.session.verbosity import QUIET, Choice, verbosity_at
from tools.plan import Plan

SILENT_TOOLS = frozenset({"planning", "ask_human", "terminate"})
"""What these do is shown by the plan, the question and the answer themselves."""
LINES = 8
LINE = 240
"""Characters of an observation as escaped."""
NAME = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Calls that belong to one step for people."""

    number: int
    """The agent step that closed it; names the reply."""
    title: str
    calls: tuple[CallState, ...]

    @property
    def failed(self) -> int:
        """How many of the calls went wrong."""
        return sum(1 for call in self.calls if call.result and call.result.status is not CallStatus.OK)


def closed_steps(plan: Plan | None) -> int:
    """Plan steps that nobody works on any more."""
    return sum(1 for step in plan.steps if not step.status.is_open) if plan else 0


def title_of(plan: Plan | None, before: int, fallback: str) -> str:
    """The plan step that was just closed, else what the model said."""
    if plan is not None:
        closed = [step.title for step in plan.steps if not step.status.is_open]
        if len(closed) > before:
            return closed[-1].strip() or fallback
        current = next((step.title for step in plan.steps if step.status.is_open), "")
        return current.strip() or fallback
    return fallback


def groups(run: RunState, verbosity: str, choices: Sequence[Choice] = ()) -> Iterator[Group]:
    """Finished groups in order. "all": one a call; "steps": one a plan step, or one an agent step without a plan.

    Args:
        run: what is told of.
        verbosity: how much is said until somebody chooses.
        choices: what people chose in the thread; each holds for what is done after it.
    """
    how = verbosity
    pending: list[CallState] = []
    plan: Plan | None = None
    spoken = ""
    for step in run.steps:
        how = verbosity_at(choices, step.seq, verbosity)
        before = closed_steps(plan)
        calls = [run.calls[call_id] for call_id in step.call_ids if call_id in run.calls]
        if any(call.result is None for call in calls) and run.is_active:
            return
        spoken = step.text or spoken
        for call in calls:
            plan = call.result.plan if call.result and call.result.plan else plan
            if call.result is not None and call.call.tool not in SILENT_TOOLS and how != QUIET:
                pending.append(call)
        ticked = closed_steps(plan) > before
        if pending and (how == "all" or plan is None or ticked):
            yield Group(number=step.number, title=title_of(plan, before, named(spoken, pending)), calls=tuple(pending))
            pending = []
    if pending and not run.is_active and run.steps:
        title = title_of(plan, closed_steps(plan), named(spoken, pending))
        yield Group(number=run.steps[-1].number, title=title, calls=tuple(pending))


def named(spoken: str, calls: list[CallState]) -> str:
    """A title for calls outside of a plan: the model's own words, else the tools' names."""
    first = spoken.strip().split("\n")[0]
    return first or ", ".join(dict.fromkeys(call.call.tool for call in calls))


def observation(call: CallState) -> str:
    """One call in one line."""
    result = call.result
    if result is None:
        return ""
    brief = result.brief or result.output.strip().split("\n")[0] or texts.SAID_NOTHING
    mark = "✓" if result.status is CallStatus.OK else "✗"
    return f"{mark} `{tool_name(call)}` {escape.within(brief, LINE)}"


def tool_name(call: CallState) -> str:
    """The name as the model wrote it, which need not be a tool's, made fit to stand in code marks."""
    return escape.within(call.call.tool.replace("`", "'"), NAME) or "?"


def render(key: SessionKey, run: RunState, group: Group) -> Content:
    """The reply."""
    lines = [observation(call) for call in group.calls[-LINES:]]
    hidden = len(group.calls) - len(lines)
    more = [f"… and {hidden} earlier"] if hidden > 0 else []
    head = texts.step_done(escape.within(group.title.strip().split("\n")[0], LINE), len(group.calls), group.failed)
    value = ButtonValue(session=key, about=f"{run.run_id}.{group.number}").pack()
    body = section("\n".join((head, *more, *lines)), button(texts.SHOW_OUTPUT, "show_output", value))
    return Content(text=escape.beside(group.title), blocks=(body,))
