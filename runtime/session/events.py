"""The journal's events: what happened, in past tense, as frozen typed values.

The journal of a session is an append-only list of these; agent state, model memory, plan and the Slack view are
folds of it (`fold.py`). Unknown fields of a newer minor version are kept, not refused; a change that an old reader
would misread raises `READER_VERSION`, which `claim` checks.
"""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from runtime.session.approval_events import (
    ApprovalEscalated,
    ApprovalVoided,
    ApprovalVoted,
    ArgumentsEdited,
    CallForbidden,
    GrantGiven,
    GrantRevoked,
    GrantUsed,
)
from runtime.session.event_base import EntryIgnored, Event
from runtime.session.image_events import ImagesDescribed
from runtime.session.limit_events import (
    LimitExtended,
    LimitReached,
    ModelAway,
    ModelTried,
    MoreOffer,
    NoteCode,
    RunNoted,
    SessionParked,
)
from runtime.session.message_events import Attachment, MessageDeleted, MessageEdited, MessageReceived, Quoted
from runtime.session.mind_events import (
    AnswerChecked,
    FlowPlanned,
    FlowStepEnded,
    FlowStepStarted,
    MemoryCompacted,
    ProgressDoubted,
)
from runtime.session.people_events import (
    ApprovalDecided,
    ApprovalRequested,
    FormField,
    NoticeCode,
    NoticeQueued,
    QuestionAnswered,
    QuestionAsked,
    ReminderDue,
)
from runtime.session.plan_events import PlanEdited
from runtime.session.post_events import PostDone, PostStarted
from runtime.session.run_limits import RunLimits
from runtime.session.tool_events import ToolsChanged
from runtime.session.usage import Usage
from runtime.session.verbosity import VerbosityChosen
from tools.base import ProducedFile
from tools.plan import Plan

__all__ = [
    "READER_VERSION",
    "AnswerChecked",
    "AnyEvent",
    "ApprovalDecided",
    "ApprovalEscalated",
    "ApprovalRequested",
    "ApprovalVoided",
    "ApprovalVoted",
    "ArgumentsEdited",
    "Attachment",
    "CallFinished",
    "CallForbidden",
    "CallStarted",
    "CallStatus",
    "EntryIgnored",
    "Event",
    "FlowPlanned",
    "FlowStepEnded",
    "FlowStepStarted",
    "FormField",
    "GrantGiven",
    "GrantRevoked",
    "GrantUsed",
    "ImagesDescribed",
    "LimitExtended",
    "LimitReached",
    "MemoryCompacted",
    "MessageDeleted",
    "MessageEdited",
    "MessageReceived",
    "ModelAway",
    "ModelReplied",
    "ModelTried",
    "MoreOffer",
    "NoteCode",
    "NoticeCode",
    "NoticeQueued",
    "PlanEdited",
    "PostDone",
    "PostStarted",
    "ProgressDoubted",
    "ProposedCall",
    "QuestionAnswered",
    "QuestionAsked",
    "Quoted",
    "ReminderDue",
    "RunFinished",
    "RunLimits",
    "RunNoted",
    "RunOutcome",
    "RunStarted",
    "SessionParked",
    "ToolsChanged",
    "Usage",
    "VerbosityChosen",
    "load_event",
]

READER_VERSION = 4
"""The least version of this package that reads journals written by it."""


class RunStarted(Event):
    """A run began: it works on every message received and not yet taken by a run."""

    kind: Literal["run_started"] = "run_started"
    run_id: str
    requester: str
    request_ts: str
    agent: str
    model: str
    scripted: bool = False
    """The model is the rehearsal model and says so wherever it speaks."""
    limits: RunLimits
    more: MoreOffer | None = None
    """Who may add to them; None: nobody."""
    idle_ms: int = 0
    """How long the thread may be silent after the run before it is parked; 0: for ever."""
    schedule_id: str = ""
    """The schedule that asked for it, in its owner's name."""
    plan_first: bool = False
    """No work begins before a person has approved a plan."""


class ProposedCall(BaseModel):
    """A call as the model wrote it, with arguments in canonical JSON where they could be read."""

    model_config = ConfigDict(frozen=True)

    call_id: str
    """Ours, unique in the session: `r1.3.0`."""
    model_call_id: str
    """The model's, echoed in the tool message."""
    tool: str
    arguments: str
    problem: str = ""
    """Why it cannot run (unknown tool, invalid arguments); becomes its observation."""


class ModelReplied(Event):
    """First commit of a step: the reply as the exact bytes that will be re-sent, what it cost, what it proposes."""

    kind: Literal["model_replied"] = "model_replied"
    run_id: str
    step: int
    text: str
    message: str
    """The assistant message as serialised JSON."""
    seen: tuple[str, ...] = ()
    """Images of the workspace that the request showed."""
    calls: tuple[ProposedCall, ...] = ()
    edited_seq: int | None = None
    """Position of the newest edit of the plan that the request knew, 0 for none; None in old journals."""
    usage: Usage = Usage()
    micros: int = 0
    elapsed_ms: int = 0


class CallStarted(Event):
    """Intent: the call is about to have its effect. Written before it runs."""

    kind: Literal["call_started"] = "call_started"
    run_id: str
    call_id: str
    effect: str
    attempt: int = 1


class CallStatus(StrEnum):
    """How a call ended."""

    OK = "ok"
    ERROR = "error"
    DENIED = "denied"
    CANCELLED = "cancelled"
    UNKNOWN = "unknown"


class CallFinished(Event):
    """Result of a call. Output is redacted before it comes here."""

    kind: Literal["call_finished"] = "call_finished"
    run_id: str
    call_id: str
    status: CallStatus
    output: str
    shown: str = ""
    """What the model is shown in place of a long output: head, tail and how to read the rest. Empty: all of it."""
    brief: str = ""
    exit_code: int | None = None
    files: tuple[ProducedFile, ...] = ()
    images: tuple[str, ...] = ()
    """Images of the workspace that the model asked to see."""
    plan: Plan | None = None
    elapsed_ms: int = 0


class RunOutcome(StrEnum):
    """How a run ended; each has its own last word in the thread."""

    ANSWERED = "answered"
    FAILED = "failed"
    STOPPED = "stopped"
    LIMIT = "limit"
    EXPIRED = "expired"


class RunFinished(Event):
    """The run is over. `answer` is the model's text; `detail` a limit, an error; `until_ts` when it was stopped."""

    kind: Literal["run_finished"] = "run_finished"
    run_id: str
    outcome: RunOutcome
    answer: str = ""
    detail: str = ""
    by: str = ""
    files: tuple[ProducedFile, ...] = ()
    until_ts: str = ""


AnyEvent = (
    MessageReceived
    | RunStarted
    | ModelReplied
    | CallStarted
    | CallFinished
    | QuestionAsked
    | QuestionAnswered
    | ApprovalRequested
    | ApprovalDecided
    | RunFinished
    | ReminderDue
    | ApprovalVoted
    | ApprovalVoided
    | ApprovalEscalated
    | ArgumentsEdited
    | GrantGiven
    | GrantRevoked
    | GrantUsed
    | CallForbidden
    | MessageEdited
    | MessageDeleted
    | LimitReached
    | LimitExtended
    | RunNoted
    | ToolsChanged
    | ImagesDescribed
    | ModelAway
    | ModelTried
    | SessionParked
    | NoticeQueued
    | PostStarted
    | PostDone
    | MemoryCompacted
    | ProgressDoubted
    | AnswerChecked
    | FlowPlanned
    | FlowStepStarted
    | FlowStepEnded
    | PlanEdited
    | VerbosityChosen
    | EntryIgnored
)
TaggedEvent = Annotated[AnyEvent, Field(discriminator="kind")]
ADAPTER: TypeAdapter[AnyEvent] = TypeAdapter(TaggedEvent)


def load_event(text: str | bytes) -> AnyEvent:
    """Read one event from its JSON.

    Raises:
        pydantic.ValidationError: the text is not an event this version knows.
    """
    return ADAPTER.validate_json(text)
