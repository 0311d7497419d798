"""Inbox entries: what listeners, sweeps and other replicas push; only the lease holder consumes them."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from runtime.session.events import Attachment, Quoted
from runtime.session.verbosity import Verbosity
from runtime.store.values import InboxRecord


class Entry(BaseModel):
    """Base of all entries. `entry_id` names the delivery: a second push of the same id changes nothing."""

    model_config = ConfigDict(frozen=True, extra="allow")

    entry_id: str


class MessageEntry(Entry):
    """A person's message. `entry_id` is `m:<ts>`, so that app_mention and message of the same ts are one."""

    kind: Literal["message"] = "message"
    ts: str
    user: str
    text: str
    mentions_bot: bool
    schedule_id: str = ""
    """The schedule that says it in its owner's name; it answers nothing."""
    is_timed: bool = True
    """False where `ts` is not the moment at which it was said, so that no stop can be newer."""
    chooses: Verbosity | None = None
    """How much the person wants to be told in the thread, where the message says only that and answers nothing."""
    speaker: str = ""
    """Filled by `Conversation.enrich`, as are context and the attachments' paths."""
    context: tuple[Quoted, ...] = ()
    attachments: tuple[Attachment, ...] = ()


class AnswerEntry(Entry):
    """A click or a form that answers a question."""

    kind: Literal["answer"] = "answer"
    question_id: str
    answer: str = ""
    choice: int = -1
    """The number of a choice, from 0; the words come from the question itself, never from the click."""
    by: str
    how: Literal["button", "modal"]
    shown: str = ""
    """The answer as people read it, where that is not the answer itself: a form, files."""
    attachments: tuple[Attachment, ...] = ()
    """Files given as the answer; their paths are filled by `Conversation.enrich`."""


class DecisionEntry(Entry):
    """A click on an approval card."""

    kind: Literal["decision"] = "decision"
    approval_id: str
    verdict: Literal["approved", "denied"]
    by: str
    reason: str = ""
    groups: tuple[str, ...] = ()
    """User groups of who decides, by handle ("@oncall"); filled by `Conversation.enrich`."""
    standing: str = "member"
    """Member, guest, external or bot; filled by `Conversation.enrich`."""
    for_thread: bool = False
    """Approved with "Allow for this thread"."""


class EditEntry(Entry):
    """A form with other arguments for the call on a card."""

    kind: Literal["edit"] = "edit"
    approval_id: str
    arguments: str
    """In canonical JSON; they fit the tool."""
    call_id: str = ""
    """Which call of the card; empty for its first."""
    by: str
    groups: tuple[str, ...] = ()
    standing: str = "member"


class RevokeEntry(Entry):
    """A click that ends an allowance."""

    kind: Literal["revoke"] = "revoke"
    grant_id: str
    by: str


class ResumeEntry(Entry):
    """A click that goes on with a run that ended early."""

    kind: Literal["resume"] = "resume"
    run_id: str
    by: str


class PlanEditEntry(Entry):
    """A form with what is still to be done, as a person wants it."""

    kind: Literal["plan_edit"] = "plan_edit"
    run_id: str
    plan_seq: int
    """Which plan the form was made from, by its journal position."""
    titles: tuple[str, ...]
    """The open steps, in order."""
    by: str


class VerbosityEntry(Entry):
    """A click that chooses how much is said in the thread."""

    kind: Literal["verbosity"] = "verbosity"
    verbosity: Verbosity
    by: str


class ChangedEntry(Entry):
    """A person changed or deleted a message of the thread."""

    kind: Literal["changed"] = "changed"
    ts: str
    user: str
    text: str
    """What it says now; of a deleted one, what it said."""
    deleted: bool = False
    speaker: str = ""


class StopEntry(Entry):
    """Somebody wants the run that was asked for before `before_ts` to end."""

    kind: Literal["stop"] = "stop"
    by: str
    before_ts: str
    run_id: str = ""
    """The only run it may end; empty for whichever is active."""
    how: Literal["word", "button", "native", "reaction", "command"]


class DeadlineEntry(Entry):
    """A deadline passed; pushed by the sweep. `name` is run, question, approval, reminder or delivery."""

    kind: Literal["deadline"] = "deadline"
    name: str
    about: str


AnyEntry = (
    MessageEntry
    | AnswerEntry
    | DecisionEntry
    | EditEntry
    | RevokeEntry
    | ResumeEntry
    | PlanEditEntry
    | VerbosityEntry
    | ChangedEntry
    | StopEntry
    | DeadlineEntry
)
TaggedEntry = Annotated[AnyEntry, Field(discriminator="kind")]
ENTRIES: TypeAdapter[AnyEntry] = TypeAdapter(TaggedEntry)

URGENT_KINDS = frozenset(
    {"stop", "answer", "decision", "edit", "revoke", "resume", "plan_edit", "verbosity", "deadline"}
)
"""Always admitted, and a running step is told at once."""


def load_entry(record: InboxRecord) -> AnyEntry:
    """Read one inbox record. The sweep writes deadlines itself, as `{"kind", "id"}` of what passed.

    Raises:
        pydantic.ValidationError: the record is not an entry this version knows.
    """
    if record.kind == "deadline":
        passed = PassedDeadline.model_validate_json(record.payload)
        return DeadlineEntry(entry_id=f"deadline:{record.id}", name=passed.kind, about=passed.id)
    return ENTRIES.validate_json(record.payload)


class PassedDeadline(BaseModel):
    """What the sweep writes."""

    kind: str
    id: str
