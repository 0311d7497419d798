"""What is done about a run that gets nowhere: each doubt is committed with its evidence and its consequence."""

from datetime import timedelta

from runtime.agent.context import AgentContext
from runtime.agent.progress import Doubt, doubted
from runtime.session.events import AnyEvent, QuestionAsked, RunFinished, RunOutcome
from runtime.session.interrupted import WAYS
from runtime.session.mind_events import FlowStepEnded, ProgressDoubted
from runtime.session.mind_state import FlowState
from runtime.session.state import RunState
from tools.plan import StepStatus

MILLISECOND = timedelta(milliseconds=1)


def consequences(context: AgentContext, run: RunState, doubt: Doubt) -> tuple[AnyEvent, ...]:
    """The doubt, and the question or the end that goes with it; in a flow, another plan is the planner's to make."""
    event = doubted(run, doubt)
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
        about={"evidence": context.redact(event.evidence), "doubt": event.doubt.value},
        asked_of=run.requester,
        expires_at_ms=now_ms + timeouts.question // MILLISECOND,
        remind_at_ms=now_ms + timeouts.reminder // MILLISECOND,
    )
