"""A plan in people's hands: what an edit means in the state it meets, and what waits for a plan. Pure.

What is done stays as it is; so does the step of a flow that is under way. Everything else may be moved, renamed,
removed or added, before the work begins and during it.
"""

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from runtime.session.entries import PlanEditEntry
from runtime.session.events import FlowPlanned, NoticeCode, PlanEdited, ProposedCall
from runtime.session.interrupted import abandoned
from runtime.session.mind_events import FlowStep
from runtime.session.mind_state import FlowState
from runtime.session.state import CallState, RunState, SessionState
from runtime.session.taking import Intake, ignored, told
from tools.plan import Plan, PlanStep

MOST_STEPS: Final = 50
TITLE: Final = 256
BEFORE_PLAN: Final = frozenset({"planning", "ask_human", "terminate"})
"""What may be called before the plan is approved."""
NO_PLAN_YET: Final = (
    "This did not run: the person wants to approve a plan before any work. Make the plan with the planning tool, or "
    "change it as they said; work may begin once they have approved it."
)
OUTDATED: Final = (
    "This did not change the plan: a person edited it after you wrote this call. You are shown the plan as it is now; "
    "decide anew."
)

S = TypeVar("S")


def waits_for_plan(run: RunState) -> bool:
    """Whether no work may begin yet."""
    return run.plan_first and not run.plan_approved


def out_of_turn(run: RunState, call: CallState) -> str:
    """Why a call cannot be made now, for the model: no plan is approved yet, or it speaks of an older plan."""
    if waits_for_plan(run) and call.call.tool not in BEFORE_PLAN:
        return NO_PLAN_YET
    return OUTDATED if call.call.tool == "planning" and call.call.call_id in run.overtaken else ""


def as_overtaken(calls: Sequence[ProposedCall]) -> tuple[ProposedCall, ...]:
    """The calls of a reply that was under way while a person changed the plan: none of them changes it."""
    return tuple(
        call.model_copy(update={"problem": call.problem or OUTDATED}) if call.tool == "planning" else call
        for call in calls
    )


def open_titles(run: RunState) -> tuple[str, ...]:
    """What may still be changed, in order."""
    if run.flow is not None:
        return tuple(step.title[:TITLE] for step in run.flow.steps if is_free(run.flow, step))
    return tuple(step.title for step in run.plan.steps if step.status.is_open) if run.plan else ()


def is_free(flow: FlowState, step: FlowStep) -> bool:
    """Whether nobody has begun the step."""
    return flow.status(step.id).is_open and step.id != flow.current


def rearranged(
    old: Sequence[S], titles: Sequence[str], *, title: Callable[[S], str], renamed: Callable[[S, str], S]
) -> list[S | str]:
    """Steps in the order of the titles; a title that is no step's stands for itself.

    Where as many steps are missing as titles are new, those are the same steps under other names.
    """
    left = list(old)
    placed: list[S | str] = []
    for wanted in titles:
        known = next((step for step in left if title(step) == wanted), None)
        if known is not None:
            left.remove(known)
        placed.append(known if known is not None else wanted)
    new = [index for index, step in enumerate(placed) if isinstance(step, str)]
    if len(new) == len(left):
        for index, step in zip(new, left, strict=True):
            placed[index] = renamed(step, titles[index])
    return placed


def on_plan_edit(state: SessionState, entry: PlanEditEntry, now_ms: int) -> Intake:
    """The plan with what a person made of its open steps. Where it waits for a yes, it is asked about anew."""
    run = state.active_run
    if run is None or run.run_id != entry.run_id or run.plan is None:
        return told(entry, entry.by, NoticeCode.PLAN_GONE)
    titles = still_open(run, entry)
    if titles == open_titles(run):
        return ignored(entry, "the plan is as it was")
    fixed = len(run.plan.steps) - len(open_titles(run))
    if not 0 < fixed + len(titles) <= MOST_STEPS:
        return told(entry, entry.by, NoticeCode.PLAN_GONE)
    edited: PlanEdited | FlowPlanned
    if run.flow is not None:
        edited = flow_edited(run, run.flow, titles, entry.by)
    else:
        plan, speaker = plan_edited(run.plan, titles), state.people.get(entry.by, "")
        edited = PlanEdited(run_id=run.run_id, plan=plan, by=entry.by, speaker=speaker)
    return asked_anew(state, run, edited, entry.by, now_ms)


def asked_anew(state: SessionState, run: RunState, edited: PlanEdited | FlowPlanned, by: str, now_ms: int) -> Intake:
    """The edit; and a question about the plan as it was gives way to one about what it is now.

    A yes is about the plan that was seen, so a late click on the old card starts nothing.
    """
    open_question = run.questions.get(run.open_question)
    if open_question is None or open_question.asked.purpose != "plan":
        return (edited,)
    old, later_ms = open_question.asked, now_ms - open_question.at_ms
    new = old.model_copy(
        update={
            "question_id": f"{run.run_id}.plan{state.seq}",
            "call_id": "",
            "expires_at_ms": old.expires_at_ms and old.expires_at_ms + later_ms,
            "remind_at_ms": old.remind_at_ms and old.remind_at_ms + later_ms,
        }
    )
    return (abandoned(old).model_copy(update={"by": by}), edited, new)


def still_open(run: RunState, entry: PlanEditEntry) -> tuple[str, ...]:
    """What was entered, without steps that were finished while the form was open."""
    known = open_titles(run)
    titles = tuple(title if title in known else " ".join(title.split())[:TITLE] for title in entry.titles)
    if run.plan is None or run.plan_seq == entry.plan_seq:
        return titles
    closed = {step.title for step in run.plan.steps} - set(known)
    return tuple(title for title in titles if title not in closed)


def plan_edited(plan: Plan, titles: Sequence[str]) -> Plan:
    """What is closed first, then what is open in its new order."""
    placed = rearranged(
        [step for step in plan.steps if step.status.is_open],
        titles,
        title=lambda step: step.title,
        renamed=lambda step, title: step.model_copy(update={"title": title}),
    )
    closed = [step for step in plan.steps if not step.status.is_open]
    steps = (*closed, *(PlanStep(title=step) if isinstance(step, str) else step for step in placed))
    return plan.model_copy(update={"steps": steps})


def flow_edited(run: RunState, flow: FlowState, titles: Sequence[str], by: str) -> FlowPlanned:
    """The same for a flow; a step needs only what comes before it."""
    placed = rearranged(
        [step for step in flow.steps if is_free(flow, step)],
        titles,
        title=lambda step: step.title[:TITLE],
        renamed=lambda step, title: step.model_copy(update={"title": title, "criterion": title}),
    )
    steps = [step for step in flow.steps if not is_free(flow, step)]
    known = {step.id for step in flow.steps} | set(flow.ended)
    for number, step in enumerate(placed):
        made = FlowStep(id=free_id(known, number), title=step) if isinstance(step, str) else step
        known.add(made.id)
        before = {earlier.id for earlier in steps}
        steps.append(made.model_copy(update={"after": tuple(need for need in made.after if need in before)}))
    return FlowPlanned(
        run_id=run.run_id, revision=flow.revision, title=flow.title, steps=tuple(steps), by=by, edited=True
    )


def free_id(known: set[str], number: int) -> str:
    """An id for a step of a person that no other step has."""
    while (name := f"p{number}") in known:
        number += 1
    return name
