"""What is done about a run that gets nowhere: each doubt is committed with its evidence and its consequence.

It goes further each time: a hint to the model, the demand for another plan, a question to the person, the end. After
many steps without a doubt it begins with the hint again.
"""

from dataclasses import replace
from datetime import timedelta
from typing import Literal

from runtime.agent.context import AgentContext
from runtime.agent.progress import WINDOW, Doubt
from runtime.session.events import AnyEvent, QuestionAsked, RunFinished, RunOutcome
from runtime.session.interrupted import WAYS
from runtime.session.messages import serialised
from runtime.session.mind_events import FlowStepEnded, ProgressDoubted
from runtime.session.mind_state import FlowState
from runtime.session.state import RunState
from tools.plan import StepStatus

MILLISECOND = timedelta(milliseconds=1)
RUNGS: tuple[Literal["hint", "replan", "ask", "stop"], ...] = ("hint", "replan", "ask", "stop")
HINT = (
    "[Note of the system, not of a person: you are not getting further ({evidence}). Doing the same again will bring "
    "the same. Look at what came back, then try something different, or say what is missing.]"
)
REPLAN = (
    "[Note of the system, not of a person: you are still not getting further ({evidence}). Stop this approach. "
    "Write a new plan with the planning tool that leaves out what does not work, and mark as failed, with the reason, "
    "what cannot be done. If nothing is left to try, answer with what you found and what is missing.]"
)


def consequences(context: AgentContext, run: RunState, doubt: Doubt) -> tuple[AnyEvent, ...]:
    """The doubt, and the question or the end that goes with it; in a flow, another plan is the planner's to make."""
    event = doubted(run, replace(doubt, evidence=context.redact(doubt.evidence)))
    if event.rung == "replan" and run.flow is not None and run.flow.current:
        return event.model_copy(update={"message": ""}), step_given_up(run, run.flow, event)
    if event.rung == "ask":
        return event, question(context, run, event)
    if event.rung == "stop":
        return event, RunFinished(run_id=run.run_id, outcome=RunOutcome.LIMIT, detail="stuck", answer="")
    return (event,)


def step_given_up(run: RunState, flow: FlowState, event: ProgressDoubted) -> FlowStepEnded:
    """The step under way fails with the evidence, which leads to another plan."""
    return FlowStepEnded(
        run_id=run.run_id,
        step_id=flow.current,
        status=StepStatus.FAILED,
        summary="",
        reason=f"it did not get further: {event.evidence}",
    )


def question(context: AgentContext, run: RunState, event: ProgressDoubted) -> QuestionAsked:
    """Whether to go on, asked of who asked for the run; what they write besides enters the memory."""
    timeouts = context.settings.timeouts
    now_ms = context.session.lease.now_ms()
    return QuestionAsked(
        run_id=run.run_id,
        question_id=f"{run.run_id}.stuck{event.step}",
        call_id="",
        purpose="no_progress",
        question="",
        choices=WAYS,
        about={"evidence": event.evidence, "doubt": event.doubt.value},
        asked_of=run.requester,
        expires_at_ms=now_ms + timeouts.question // MILLISECOND,
        remind_at_ms=now_ms + timeouts.reminder // MILLISECOND,
    )


def lately(run: RunState) -> int:
    """How many doubts there were, one soon after the other, up to now: one that was followed by progress is over."""
    count, later = 0, run.spent.steps
    for known in reversed(run.doubts):
        if later - known.doubted.step > WINDOW:
            break
        count, later = count + 1, known.doubted.step
    return count


def doubted(run: RunState, doubt: Doubt) -> ProgressDoubted:
    """The event, one rung higher than the last one where that was not long ago."""
    rung = RUNGS[min(lately(run), len(RUNGS) - 1)]
    words = {"hint": HINT, "replan": REPLAN}.get(rung)
    message = words.format(evidence=doubt.evidence) if words else ""
    return ProgressDoubted(
        run_id=run.run_id,
        doubt=doubt.kind,
        evidence=doubt.evidence,
        rung=rung,
        step=run.spent.steps,
        message=serialised({"role": "user", "content": message}) if message else "",
    )
