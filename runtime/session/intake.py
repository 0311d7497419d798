"""Inbox entry -> events: what a message, a click or a deadline means in the state it meets. Pure.

The order of the inbox resolves races: of an answer and its expiry, the one pushed first wins; the other meets a
question that is no longer open and does no harm.
"""

import re

from runtime.policy.approvers import may_decide
from runtime.session.entries import (
    AnswerEntry,
    AnyEntry,
    DeadlineEntry,
    DecisionEntry,
    MessageEntry,
    StopEntry,
)
from runtime.session.events import (
    AnyEvent,
    ApprovalDecided,
    ApprovalRequested,
    CallFinished,
    CallStatus,
    EntryIgnored,
    MessageReceived,
    NoticeCode,
    NoticeQueued,
    QuestionAnswered,
    QuestionAsked,
    ReminderDue,
    RunFinished,
    RunOutcome,
)
from runtime.session.interrupted import consequences, is_about_a_run
from runtime.session.limit_intake import find_limit, on_limit_decision, on_time
from runtime.session.state import ApprovalState, RunState, SessionState

Intake = tuple[AnyEvent, ...]
"""The events to append for one entry."""


DECIDING_WORDS = re.compile(
    r"^\W*(yes|y|yep|ok|okay|approve|approved|go|go ahead|do it|lgtm|no|deny|denied)\W*$", re.IGNORECASE
)
"""A typed verdict; only the card's buttons count."""


def ignored(entry: AnyEntry, reason: str) -> Intake:
    """Consumed without effect."""
    return (EntryIgnored(entry=entry.entry_id, reason=reason),)


def told(entry: AnyEntry, to: str, code: NoticeCode, **about: str) -> Intake:
    """Consumed; the person is told privately why nothing happened."""
    return (NoticeQueued(notice_id=f"notice:{entry.entry_id}", code=code, to=to, about=about),)


def answered(question: QuestionAsked, answer: str, by: str, how: str, speaker: str = "") -> Intake:
    """The answer and, where a call asked, that call's result."""
    answer_event = QuestionAnswered.model_validate(
        {"run_id": question.run_id, "question_id": question.question_id, "answer": answer, "by": by, "how": how}
    )
    events: list[AnyEvent] = [answer_event]
    if question.purpose != "ask":
        events.extend(consequences(question, answer_event, speaker or by))
    elif question.call_id:
        late = how == "expired"
        events.append(
            CallFinished(
                run_id=question.run_id,
                call_id=question.call_id,
                status=CallStatus.ERROR if late else CallStatus.OK,
                output="Nobody answered in time." if late else f"{speaker or by} answered: {answer}",
                brief="no answer" if late else answer,
            )
        )
    return tuple(events)


def decided(approval: ApprovalRequested, verdict: str, by: str, reason: str) -> Intake:
    """The verdict and, where it is not approval, the call's result."""
    decision = ApprovalDecided.model_validate(
        {
            "run_id": approval.run_id,
            "approval_id": approval.approval_id,
            "verdict": verdict,
            "by": by,
            "reason": reason,
        }
    )
    events: list[AnyEvent] = [decision]
    if verdict != "approved":
        words = f"Not approved ({verdict})" + (f" by {by}" if by else "") + (f". Reason: {reason}" if reason else ".")
        events.append(
            CallFinished(
                run_id=approval.run_id,
                call_id=approval.call_id,
                status=CallStatus.DENIED,
                output=words + " It did not run. Do not try the same call again unless you are told to.",
                brief=verdict,
            )
        )
    return tuple(events)


def received(entry: MessageEntry) -> MessageReceived:
    """The entry as the journal keeps it."""
    return MessageReceived(
        ts=entry.ts,
        user=entry.user,
        speaker=entry.speaker or entry.user,
        text=entry.text,
        mentions_bot=entry.mentions_bot,
        context=entry.context,
        attachments=entry.attachments,
    )


def binds(question: QuestionAsked, entry: MessageEntry) -> bool:
    """Whether a typed message answers: it is an exact choice, or the person asked replies."""
    if exact_choice(question, entry.text):
        return True
    return entry.user == question.asked_of and not is_about_a_run(question)


def exact_choice(question: QuestionAsked, text: str) -> str:
    """The choice that was typed, in its own spelling; empty when the text is none."""
    typed = text.strip().casefold()
    return next((choice for choice in question.choices if choice.casefold() == typed), "")


def on_message(state: SessionState, entry: MessageEntry) -> Intake:
    """A typed answer, a typed verdict, or simply a message."""
    if entry.ts in state.seen_ts:
        return ignored(entry, "already known")
    run = state.active_run
    if run is not None and run.open_question and not entry.attachments:
        question = run.questions[run.open_question].asked
        if binds(question, entry):
            words = entry.text.strip()
            if question.purpose != "ask":
                words = exact_choice(question, words) or words
            return answered(question, words, entry.user, "typed", entry.speaker)
    card = (run.open_approval or run.open_limit) if run is not None else ""
    if card and DECIDING_WORDS.match(entry.text):
        return told(entry, entry.user, NoticeCode.USE_BUTTONS, approval=card)
    return (received(entry),)


def on_answer(state: SessionState, entry: AnswerEntry) -> Intake:
    """The first valid answer wins; a later one is told so."""
    run = state.active_run
    if run is None or run.open_question != entry.question_id:
        return told(entry, entry.by, NoticeCode.QUESTION_GONE, **winner_of_question(state, entry.question_id))
    question = run.questions[entry.question_id].asked
    chosen = question.choices[entry.choice] if 0 <= entry.choice < len(question.choices) else entry.answer
    if not chosen.strip() or (is_about_a_run(question) and chosen not in question.choices):
        return ignored(entry, "not an answer")
    return answered(question, chosen, entry.by, entry.how, state.people.get(entry.by, ""))


def winner_of_question(state: SessionState, question_id: str) -> dict[str, str]:
    """Who answered what, for who came late."""
    for run in reversed(state.runs):
        question = run.questions.get(question_id)
        if question is not None and question.answered is not None:
            return {"by": question.answered.by, "answer": question.answered.answer}
    return {}


def find_approval(state: SessionState, approval_id: str) -> ApprovalState | None:
    """The request with this id in any run of the session."""
    for run in reversed(state.runs):
        if approval_id in run.approvals:
            return run.approvals[approval_id]
    return None


def on_decision(state: SessionState, entry: DecisionEntry, now_ms: int) -> Intake:
    """The first valid verdict of somebody who may decide wins."""
    limit = find_limit(state, entry.approval_id)
    if limit is not None:
        return on_limit_decision(state, entry, limit, now_ms)
    approval = find_approval(state, entry.approval_id)
    run = state.active_run
    if approval is None:
        return told(entry, entry.by, NoticeCode.APPROVAL_GONE)
    if approval.decided is not None:
        return told(
            entry, entry.by, NoticeCode.ALREADY_DECIDED, by=approval.decided.by, verdict=approval.decided.verdict
        )
    requested = approval.requested
    if run is None or run.open_approval != entry.approval_id or now_ms >= requested.expires_at_ms:
        return told(entry, entry.by, NoticeCode.APPROVAL_GONE)
    if not may_decide(requested.approvers, entry.by, run.requester, frozenset(entry.groups)):
        who = ",".join(named(requested.approvers, run))
        return told(entry, entry.by, NoticeCode.NOT_APPROVER, approvers=who)
    return decided(requested, entry.verdict, entry.by, entry.reason)


def named(approvers: tuple[str, ...], run: RunState) -> tuple[str, ...]:
    """Approvers with "requester" replaced by the person's id."""
    return tuple(run.requester if who == "requester" else who for who in approvers)


def ended(run: RunState, outcome: RunOutcome, *, detail: str = "", by: str = "") -> Intake:
    """The run's last word without an answer of the model."""
    return (RunFinished(run_id=run.run_id, outcome=outcome, detail=detail, by=by),)


def on_stop(state: SessionState, entry: StopEntry) -> Intake:
    """Ends the run asked for before the stop; an older stop never hits a newer request."""
    run = state.active_run
    is_another = bool(entry.run_id) and run is not None and entry.run_id != run.run_id
    if run is None or is_another or float(run.request_ts or 0) >= float(entry.before_ts):
        return told(entry, entry.by, NoticeCode.NOTHING_TO_STOP)
    return ended(run, RunOutcome.STOPPED, by=entry.by)


def on_deadline(state: SessionState, entry: DeadlineEntry, now_ms: int) -> Intake:
    """A deadline that still concerns something open acts; any other is only noted."""
    run = state.active_run
    about = entry.about
    of_time = on_time(state, entry, now_ms)
    if of_time:
        return of_time
    if run is None:
        return ignored(entry, f"{entry.name} deadline without a run")
    if entry.name == "question" and about == run.open_question:
        return answered(run.questions[about].asked, "", "", "expired")
    if entry.name == "approval" and about == run.open_approval:
        return decided(run.approvals[about].requested, "expired", "", "")
    if entry.name == "reminder" and about in {run.open_question, run.open_approval, run.open_limit} and about:
        return (ReminderDue(run_id=run.run_id, about=about),)
    return ignored(entry, f"{entry.name} deadline no longer concerns anything")


def take_in(state: SessionState, entry: AnyEntry, *, now_ms: int) -> Intake:
    """What one entry means now.

    Args:
        state: the session as folded so far.
        entry: the oldest entry of the inbox, enriched.
        now_ms: server time, milliseconds since the epoch.
    """
    match entry:
        case MessageEntry():
            return on_message(state, entry)
        case AnswerEntry():
            return on_answer(state, entry)
        case DecisionEntry():
            return on_decision(state, entry, now_ms)
        case StopEntry():
            return on_stop(state, entry)
        case DeadlineEntry():
            return on_deadline(state, entry, now_ms)
