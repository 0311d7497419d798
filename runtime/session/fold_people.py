"""The fold of what waits for people. All pure; see `fold.py`."""

from runtime.session import messages
from runtime.session.fold_messages import spoken
from runtime.session.folding import current, moved, replace, with_entry, with_run
from runtime.session.interrupted import START_WORK, STOP_HERE
from runtime.session.people_events import (
    ApprovalDecided,
    ApprovalRequested,
    NoticeCode,
    NoticeQueued,
    QuestionAnswered,
    QuestionAsked,
    ReminderDue,
)
from runtime.session.state import AgentState, ApprovalState, QuestionState, SessionState
from runtime.session.stopping import noted, unheld


def on_question_asked(state: SessionState, event: QuestionAsked) -> SessionState:
    """The run waits."""
    run = moved(current(state, event.run_id), AgentState.WAITING)
    asked = QuestionState(asked=event, seq=state.seq, at_ms=state.at_ms)
    run = replace(run, questions=with_entry(run.questions, event.question_id, asked), open_question=event.question_id)
    return with_run(state, run)


def on_question_answered(state: SessionState, event: QuestionAnswered) -> SessionState:
    """The run goes on. What the model asked in plain text is answered in memory; an asking call by its own result."""
    run = moved(current(state, event.run_id), AgentState.RUNNING)
    question = replace(run.questions[event.question_id], answered=event)
    run = replace(run, questions=with_entry(run.questions, event.question_id, question), open_question="")
    if not question.asked.call_id and question.asked.purpose == "ask":
        state = replace(state, memory=(*state.memory, messages.of_answer(event)))
    if question.asked.purpose == "plan":
        return on_plan_answered(with_run(state, run), event)
    return with_run(state, run)


def on_plan_answered(state: SessionState, event: QuestionAnswered) -> SessionState:
    """Work may begin, or the model is told what should be another way."""
    if event.how == "expired" or event.answer == STOP_HERE:
        return state
    if event.answer != START_WORK:
        return spoken(state, messages.of_answer(event))
    run = replace(current(state, event.run_id), plan_approved=True)
    return spoken(with_run(state, run), messages.of_start(event))


def on_approval_requested(state: SessionState, event: ApprovalRequested) -> SessionState:
    """The run waits for a verdict."""
    run = moved(current(state, event.run_id), AgentState.WAITING)
    covered = (event.call_id, *(call.call_id for call in event.also))
    calls = {call_id: replace(run.calls[call_id], approval_id=event.approval_id) for call_id in covered}
    run = replace(
        run,
        calls={**run.calls, **calls},
        approvals=with_entry(
            run.approvals, event.approval_id, ApprovalState(requested=event, seq=state.seq, at_ms=state.at_ms)
        ),
        open_approval=event.approval_id,
    )
    return with_run(state, run)


def on_approval_decided(state: SessionState, event: ApprovalDecided) -> SessionState:
    """The run goes on with the verdict."""
    run = moved(current(state, event.run_id), AgentState.RUNNING)
    approval = replace(run.approvals[event.approval_id], decided=event)
    run = replace(run, approvals=with_entry(run.approvals, event.approval_id, approval), open_approval="")
    return with_run(state, run)


def on_reminder(state: SessionState, event: ReminderDue) -> SessionState:
    """Somebody is to be reminded, once."""
    run = current(state, event.run_id)
    return with_run(state, replace(run, reminders=run.reminders | {event.about}))


def on_notice(state: SessionState, event: NoticeQueued) -> SessionState:
    """A private notice waits for delivery. That there was nothing to stop is remembered: what it meant may come."""
    if event.code is NoticeCode.NOTHING_TO_STOP:
        state = unheld(noted(state, event.about.get("before_ts", ""), event.to))
    return replace(state, notices=with_entry(state.notices, event.notice_id, event))
