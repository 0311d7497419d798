"""Events of waiting for people: questions, approvals, reminders, private notices."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from runtime.session.approval_events import CoveredCall
from runtime.session.event_base import Event


class FormField(BaseModel):
    """One field of a form."""

    model_config = ConfigDict(frozen=True)

    name: str
    label: str
    kind: Literal["text", "long_text", "number", "date", "email", "choice"] = "text"
    choices: tuple[str, ...] = ()
    optional: bool = False


class QuestionAsked(Event):
    """The run waits for a person's answer."""

    kind: Literal["question_asked"] = "question_asked"
    run_id: str
    question_id: str
    call_id: str
    """Empty when it is not about a call: the model asked in plain text, or the run itself is in question."""
    purpose: Literal["ask", "outcome_unknown", "keeps_crashing", "long_ago", "no_progress", "plan", "server_asks"] = (
        "ask"
    )
    """`server_asks`: an MCP server in the middle of its call, which waits for the answer; see `meanwhile.py`. All
    others but `ask` are asked by the runtime; see `interrupted.py`. Their words are the place's where they are seen."""
    question: str
    """The model's words; for a call of unknown outcome, what it would have done."""
    choices: tuple[str, ...] = ()
    about: Mapping[str, str] = Field(default_factory=dict)
    """What is known of a call of unknown outcome: tool, arguments, begun_at_ms, approved_by."""
    asked_of: str
    expires_at_ms: int
    """0: it waits for as long as the thread is kept."""
    remind_at_ms: int = 0
    fields: tuple[FormField, ...] = ()
    """Asked for together in a form; the answer is then a JSON object of their names."""
    wants_file: bool = False
    if_unanswered: Literal["go_on", "hold", "default", "hand_back"] = "go_on"
    """At the expiry: tell the model, wait on, take the default, or end the run and hand the task back."""
    default: str = ""


class QuestionAnswered(Event):
    """The first valid answer, or the expiry."""

    kind: Literal["question_answered"] = "question_answered"
    run_id: str
    question_id: str
    answer: str
    by: str
    """Empty where nobody did; of an expired one who edited the plan that it was about."""
    how: Literal["button", "modal", "typed", "expired", "default"]
    shown: str = ""
    """The answer as the card shows it, where that is not the answer itself."""


class ApprovalRequested(Event):
    """The run waits for a verdict on exactly these bytes."""

    kind: Literal["approval_requested"] = "approval_requested"
    run_id: str
    approval_id: str
    """Opaque and unguessable; the only thing a button carries beside the session."""
    call_id: str
    tool: str
    arguments: str
    binding: Mapping[str, JsonValue] = Field(default_factory=dict)
    digest: str
    """sha256 over session, tool, definition hash, canonical arguments, binding and approval id."""
    title: str
    body: str
    language: str
    notes: tuple[str, ...] = ()
    reason: str
    """Why policy asks."""
    approvers: tuple[str, ...]
    quorum: int = 1
    expires_at_ms: int
    remind_at_ms: int = 0
    rule: str = ""
    """Where the rule stands that asks."""
    rule_hash: str = ""
    definition: str = ""
    barred: tuple[str, ...] = ()
    """Who may not approve, under four eyes: the requester, and whoever edited the call."""
    escalate_to: tuple[str, ...] = ()
    escalate_at_ms: int = 0
    grant_ms: int = 0
    """How long "Allow for this thread" would last; 0 where it is not offered."""
    attempt: int = 1
    """How often in a row the tool was tried, this time included."""
    previous_error: str = ""
    asked_again: Literal["", "changed", "deleted", "edited", "stale"] = ""
    """Why it is asked for anew: its request changed or was deleted, a person edited it, or what it would do changed."""
    asked_again_by: str = ""
    also: tuple[CoveredCall, ...] = ()
    """Further calls of the same step that the verdict covers."""
    group_ids: Mapping[str, str] = Field(default_factory=dict)
    """Of the user groups among the approvers, the ids by which they are mentioned."""
    audience: tuple[str, ...] = ()
    """Everybody who may decide as far as it is known by name, the requester left out."""
    later_audience: tuple[str, ...] = ()
    """The same of those who may decide only after the escalation."""


class ApprovalDecided(Event):
    """A verdict that ends the request. Partial votes of a quorum are `ApprovalVoted`."""

    kind: Literal["approval_decided"] = "approval_decided"
    run_id: str
    approval_id: str
    verdict: Literal["approved", "denied", "expired", "void"]
    by: str
    reason: str = ""
    voters: tuple[str, ...] = ()
    """Everybody who approved, in order, where a quorum was needed."""


class ReminderDue(Event):
    """Somebody was waited for long enough to be reminded."""

    kind: Literal["reminder_due"] = "reminder_due"
    run_id: str
    about: str
    """Question or approval id."""


class NoticeCode(StrEnum):
    """What a private notice says; the sentence itself is `bot.texts`' business."""

    NOT_APPROVER = "not_approver"
    FOUR_EYES = "four_eyes"
    ALREADY_VOTED = "already_voted"
    NOT_EDITABLE = "not_editable"
    LATE_ANSWER = "late_answer"
    GRANT_GONE = "grant_gone"
    NOT_RESUMABLE = "not_resumable"
    ALREADY_DECIDED = "already_decided"
    APPROVAL_GONE = "approval_gone"
    QUESTION_GONE = "question_gone"
    USE_BUTTONS = "use_buttons"
    NOTHING_TO_STOP = "nothing_to_stop"
    NOT_FOR_YOU = "not_for_you"
    PAUSED = "paused"
    PLAN_GONE = "plan_gone"
    VERBOSITY = "verbosity"


class NoticeQueued(Event):
    """Somebody is to be told something privately, once."""

    kind: Literal["notice_queued"] = "notice_queued"
    notice_id: str
    code: NoticeCode
    to: str
    about: Mapping[str, str] = Field(default_factory=dict)
