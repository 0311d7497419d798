"""Asks a model for the plan of a flow, and reads it strictly: what it leaves out is not guessed."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from runtime.llm.port import ModelRequest
from runtime.llm.structured import Answer, AnswerUnreadable, read_answer, schema_for
from runtime.session.messages import serialised
from runtime.session.mind_events import FlowStep
from runtime.session.mind_state import FlowState
from runtime.session.state import RunState
from tools.text import cap

MAX_STEPS = 12
TRIES = 2
MOST_REQUESTS = 50
"""Of one step."""
LONGEST = 4_000
"""Characters of one message of a person, and of the reason for another plan."""
ID = re.compile(r"[A-Za-z0-9_-]{1,40}")
CHECKS = re.compile(r"exit|answer|judge|file:[^\s].*")
SYSTEM = """\
You plan the work of agents. Answer with one JSON object and nothing else:
{{"title": "...", "steps": [{{"id": "s1", "title": "what to do", "kind": "agent", "after": ["ids of steps it needs"], \
"criterion": "how one can tell from results that it is done", "check": "how that is checked", "max_steps": 15}}]}}
kind is one of: {kinds}.
check is one of: "file:PATH" (that file exists), "exit" (its last program ends with exit code 0), "answer" (its text \
is the product), "judge" (somebody compares the criterion with what tools returned).
max_steps is how many model requests the step may take. Use 1 to {most} steps, as few as do it. Each \
must be doable with the results of the steps it names in after. When you \
are told what failed, plan around it: do not plan again what cannot be done, and keep the ids of steps that are done."""


class PlanUnreadable(ValueError):
    """The reply is no plan; the text says why, for the model."""


class PlanAnswer(Answer):
    """A plan as it is written."""

    title: str = "Plan"
    steps: tuple[FlowStep, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A plan as the model made it."""

    title: str
    steps: tuple[FlowStep, ...]


def plan_request(
    run: RunState, asked: Sequence[str], kinds: Mapping[str, str], *, reason: str, problem: str, step_id: str
) -> ModelRequest:
    """The request for a plan.

    Args:
        run: the run; its flow so far is told.
        asked: what people said, newest last, as far as there is room for it.
        kinds: agents by name, each with what it is for.
        reason: why another plan is wanted; empty for the first one.
        problem: what was wrong with the reply before this one.
        step_id: unique in the session.
    """
    names = "; ".join(f"{name} ({about})" for name, about in kinds.items())
    parts = ["What people asked for:", *asked]
    if run.flow is not None:
        parts += ["", "The plan so far:", *told(run.flow)]
    if reason:
        parts += ["", f"Why another plan is needed: {cap(reason, LONGEST)}"]
    if problem:
        parts += ["", f"Your last reply could not be used: {problem}"]
    message = serialised({"role": "user", "content": "\n".join(parts)})
    return ModelRequest(
        system=SYSTEM.format(kinds=names, most=MAX_STEPS),
        messages=(message,),
        step_id=step_id,
        tool_choice="none",
        schema=schema_for(PlanAnswer),
    )


def heard(asked: Sequence[str], chars: int, share: float = 1) -> list[str]:
    """What people said as far as there is room: the first of it, which is the task, and the newest.

    Args:
        asked: all of it, newest last.
        chars: how many characters it may take.
        share: how much of that, or of what it takes, may be used; less than 1 after the model found it too long.
    """
    takes = sum(min(len(text), LONGEST) for text in asked)
    room = chars if share == 1 else int(min(chars, takes) * share)
    longest = max(1, min(LONGEST, room // max(1, min(len(asked), 2))))
    first, others = [cap(text, longest) for text in asked[:1]], [cap(text, longest) for text in asked[1:]]
    used, newest = sum(map(len, first)), list[str]()
    for text in reversed(others):
        used += len(text)
        if used > room:
            break
        newest.append(text)
    left_out = len(others) - len(newest)
    note = [f"[{left_out} messages between these are left out here]"] if left_out else []
    return [*first, *note, *reversed(newest)]


def told(flow: FlowState) -> list[str]:
    """Each step with what it came to."""
    lines: list[str] = []
    for step in flow.steps:
        ended = flow.ended.get(step.id)
        what = f" - {ended.reason or cap(ended.summary, 300)}" if ended else ""
        lines.append(f"{step.id} [{flow.status(step.id).value}] {step.title}{what}")
    return lines


def read_plan(text: str, kinds: Sequence[str]) -> Planned:
    """The plan in a reply.

    Raises:
        PlanUnreadable: it is none, or names agents, checks or steps that there are not.
    """
    try:
        answer = read_answer(text, PlanAnswer)
    except AnswerUnreadable as error:
        raise PlanUnreadable(str(error)) from error
    steps = answer.steps
    if not 1 <= len(steps) <= MAX_STEPS:
        raise PlanUnreadable(f"it has {len(steps)} steps")
    for problem in problems(steps, kinds):
        raise PlanUnreadable(problem)
    return Planned(title=answer.title[:150] or "Plan", steps=in_order(steps))


def problems(steps: Sequence[FlowStep], kinds: Sequence[str]) -> list[str]:
    """What cannot be: agents, checks, ids and circles."""
    ids = [step.id for step in steps]
    found = ["two steps have the same id"] if len(set(ids)) != len(ids) else []
    for step in steps:
        if not ID.fullmatch(step.id) or not step.title.strip():
            found.append(f"the id or title of step {step.id[:40]!r} cannot be used")
        if step.kind not in kinds:
            found.append(f"there is no agent {step.kind[:40]!r}")
        if not CHECKS.fullmatch(step.check):
            found.append(f"there is no check {step.check[:60]!r}")
        if not 1 <= step.max_steps <= MOST_REQUESTS:
            found.append(f"max_steps of {step.id} is not between 1 and {MOST_REQUESTS}")
        found += [f"{step.id} waits for {need!r}, which is no step" for need in step.after if need not in ids]
    if not found and len(in_order(steps)) != len(steps):
        found.append("steps wait for each other in a circle")
    return found


def in_order(steps: Sequence[FlowStep]) -> tuple[FlowStep, ...]:
    """The steps so that each comes after those it needs; those in a circle are left out."""
    placed: list[FlowStep] = []
    left = list(steps)
    while left:
        done = {step.id for step in placed}
        ready = next((step for step in left if set(step.after) <= done), None)
        if ready is None:
            break
        placed.append(ready)
        left.remove(ready)
    return tuple(placed)
