"""Events of waiting for people: questions, approvals, reminders, private notices."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Literal

from pydantic import Field, JsonValue

from runtime.session.event_base import Event


class QuestionAsked(Event):
    """The run waits for a person's answer."""

    kind: Literal["question_asked"] = "question_asked"
    run_id: str
    question_id: str
    call_id: str
    """Empty when it is not about a call: the model asked in plain text, or the run itself is in question."""
    purpose: Literal["ask", "outcome_unknown", "keeps_crashing", "long_ago"] = "ask"
    """All but `ask` are asked by the runtime; see `interrupted.py`. Their words are the place's where they are seen."""
    question: str
    """The model's words; for a call of unknown outcome, what it would have done."""
    choices: tuple[str, ...] = ()
    about: Mapping[str, str] = Field(default_factory=dict)
    """What is known of a call of unknown outcome: tool, arguments, begun_at_ms, approved_by."""
    asked_of: str
    expires_at_ms: int
    remind_at_ms: int = 0


class QuestionAnswered(Event):
    """The first valid answer, or the expiry."""

    kind: Literal["question_answered"] = "question_answered"
    run_id: str
    question_id: str
    answer: str
    by: str
    how: Literal["button", "modal", "typed", "expired"]


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


class ApprovalDecided(Event):
    """A verdict that ends the request. Partial votes of a quorum are `ApprovalVoted`."""

    kind: Literal["approval_decided"] = "approval_decided"
    run_id: str
    approval_id: str
    verdict: Literal["approved", "denied", "expired", "void"]
    by: str
    reason: str = ""


class ReminderDue(Event):
    """Somebody was waited for long enough to be reminded."""

    kind: Literal["reminder_due"] = "reminder_due"
    run_id: str
    about: str
    """Question or approval id."""


class NoticeCode(StrEnum):
    """What a private notice says; the sentence itself is `bot.texts`' business."""

    NOT_APPROVER = "not_approver"
    ALREADY_DECIDED = "already_decided"
    APPROVAL_GONE = "approval_gone"
    QUESTION_GONE = "question_gone"
    USE_BUTTONS = "use_buttons"
    NOTHING_TO_STOP = "nothing_to_stop"
    NOT_FOR_YOU = "not_for_you"


class NoticeQueued(Event):
    """Somebody is to be told something privately, once."""

    kind: Literal["notice_queued"] = "notice_queued"
    notice_id: str
    code: NoticeCode
    to: str
    about: Mapping[str, str] = Field(default_factory=dict)
