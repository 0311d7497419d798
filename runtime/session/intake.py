"""Inbox entry -> events: what a message, a click or a deadline means in the state it meets. Pure.

The order of the inbox resolves races: of an answer and its expiry, the one pushed first wins; the other meets a
question that is no longer open and does no harm.
"""

import re

from runtime.session import approval_intake
from runtime.session.entries import (
    AnswerEntry,
    AnyEntry,
    ChangedEntry,
    DeadlineEntry,
    DecisionEntry,
    EditEntry,
    MessageEntry,
    PlanEditEntry,
    ResumeEntry,
    RevokeEntry,
    StopEntry,
    VerbosityEntry,
)
from runtime.session.events import (
    MessageDeleted,
    MessageEdited,
    MessageReceived,
    NoticeCode,
    ReminderDue,
    RunFinished,
    RunOutcome,
)
from runtime.session.limit_intake import find_limit, on_limit_decision, on_time
from runtime.session.plan_intake import on_plan_edit
from runtime.session.question_intake import binds, on_answer, typed, unanswered
from runtime.session.resuming import on_resume
from runtime.session.state import RunState, SessionState
from runtime.session.stopping import ends, was_stopped
from runtime.session.taking import Intake, ignored, told
from runtime.session.verbosity import Verbosity, VerbosityChosen

DECIDING_WORDS = re.compile(
    r"^\W*(yes|y|yep|ok|okay|approve|approved|go|go ahead|do it|lgtm|no|deny|denied)\W*$", re.IGNORECASE
)
"""A typed verdict; only the card's buttons count."""


def received(entry: MessageEntry, *, is_stopped: bool = False) -> MessageReceived:
    """The entry as the journal keeps it."""
    return MessageReceived(
        ts=entry.ts,
        user=entry.user,
        speaker=entry.speaker or entry.user,
        text=entry.text,
        mentions_bot=entry.mentions_bot,
        schedule_id=entry.schedule_id,
        is_stopped=is_stopped,
        context=entry.context,
        attachments=entry.attachments,
    )


def on_message(state: SessionState, entry: MessageEntry) -> Intake:
    """A typed answer, a typed verdict, or simply a message."""
    if entry.ts in state.seen_ts:
        return ignored(entry, "already known")
    if entry.schedule_id:
        return (received(entry),)
    run = state.active_run
    if was_stopped(state, entry):
        # The active run is newer than the stop: what was stopped is none of its business.
        return ignored(entry, "said before a stop") if run is not None else (received(entry, is_stopped=True),)
    if run is not None and run.open_question:
        question = run.questions[run.open_question].asked
        if binds(question, entry):
            return typed(question, entry)
    card = (run.open_approval or run.open_limit) if run is not None else ""
    if card and DECIDING_WORDS.match(entry.text):
        return told(entry, entry.user, NoticeCode.USE_BUTTONS, approval=card)
    if entry.chooses is not None:
        return choice(entry, entry.chooses, entry.user)
    return (received(entry),)


def choice(entry: AnyEntry, wanted: Verbosity, by: str) -> Intake:
    """How much is said from now on; whoever chose is told what that means."""
    return (VerbosityChosen(verbosity=wanted, by=by), *told(entry, by, NoticeCode.VERBOSITY, verbosity=wanted))


def on_change(state: SessionState, entry: ChangedEntry) -> Intake:
    """An edit or a deletion of a message that was taken in; what it asked for is asked about anew."""
    if entry.ts not in state.seen_ts:
        return ignored(entry, "not a message of this session")
    why = "deleted" if entry.deleted else "changed"
    void = approval_intake.voided(state, entry.ts, why, entry.user)
    speaker = entry.speaker or entry.user
    kind = MessageDeleted if entry.deleted else MessageEdited
    return (*void, kind(ts=entry.ts, user=entry.user, speaker=speaker, text=entry.text))


def on_decision(state: SessionState, entry: DecisionEntry, now_ms: int) -> Intake:
    """A click on a card of a limit or of a call."""
    limit = find_limit(state, entry.approval_id)
    if limit is not None:
        return on_limit_decision(state, entry, limit, now_ms)
    return approval_intake.on_decision(state, entry, now_ms)


def ended(run: RunState, outcome: RunOutcome, *, detail: str = "", by: str = "", until_ts: str = "") -> Intake:
    """The run's last word without an answer of the model."""
    return (RunFinished(run_id=run.run_id, outcome=outcome, detail=detail, by=by, until_ts=until_ts),)


def on_stop(state: SessionState, entry: StopEntry) -> Intake:
    """Ends the run asked for before the stop; an older stop never hits a newer request."""
    run = state.active_run
    if run is None or not ends(run, entry):
        # Of one run's button it says nothing about anything else.
        moment = "" if entry.run_id else entry.before_ts
        return told(entry, entry.by, NoticeCode.NOTHING_TO_STOP, before_ts=moment)
    return ended(run, RunOutcome.STOPPED, by=entry.by, until_ts=entry.before_ts)


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
        return unanswered(run)
    if entry.name == "approval" and about == run.open_approval:
        return approval_intake.decided(run.approvals[about].requested, "expired", "", "")
    if entry.name == "escalation" and about == run.open_approval:
        return approval_intake.escalated(run)
    if entry.name == "reminder" and about in {run.open_question, run.open_approval, run.open_limit} and about:
        return (ReminderDue(run_id=run.run_id, about=about),)
    return ignored(entry, f"{entry.name} deadline no longer concerns anything")


Clicked = EditEntry | RevokeEntry | ResumeEntry | PlanEditEntry | VerbosityEntry


def on_click(state: SessionState, entry: Clicked, now_ms: int) -> Intake:
    """A click or a form that is neither a verdict nor an answer."""
    match entry:
        case EditEntry():
            return approval_intake.on_edit(state, entry, now_ms)
        case RevokeEntry():
            return approval_intake.on_revoke(state, entry, now_ms)
        case ResumeEntry():
            return on_resume(state, entry, now_ms)
        case PlanEditEntry():
            return on_plan_edit(state, entry, now_ms)
        case VerbosityEntry():
            return choice(entry, entry.verbosity, entry.by)


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
            return on_answer(state, entry, now_ms)
        case DecisionEntry():
            return on_decision(state, entry, now_ms)
        case EditEntry() | RevokeEntry() | ResumeEntry() | PlanEditEntry() | VerbosityEntry():
            return on_click(state, entry, now_ms)
        case ChangedEntry():
            return on_change(state, entry)
        case StopEntry():
            return on_stop(state, entry)
        case DeadlineEntry():
            return on_deadline(state, entry, now_ms)
