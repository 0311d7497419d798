"""Events of what people say: received, changed, taken back."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from runtime.session.event_base import Event


class Quoted(BaseModel):
    """An earlier message of the thread, brought along as data with its speaker."""

    model_config = ConfigDict(frozen=True)

    speaker: str
    text: str
    ts: str


class Attachment(BaseModel):
    """A file that came with a message. `path` is where it lies in the workspace, empty while it is not fetched."""

    model_config = ConfigDict(frozen=True)

    file_id: str
    name: str
    mimetype: str = ""
    size: int = 0
    url: str = ""
    path: str = ""
    problem: str = ""
    """Why it could not be fetched, for the model and the person."""


class MessageReceived(Event):
    """A person said something in the thread."""

    kind: Literal["message_received"] = "message_received"
    ts: str
    user: str
    speaker: str
    """Display name with id: "Ana (U0ANA)"."""
    text: str
    mentions_bot: bool = False
    schedule_id: str = ""
    """The schedule that said it in the person's name."""
    is_stopped: bool = False
    """It was said before a stop that was heard first: no run works on it."""
    context: tuple[Quoted, ...] = ()
    attachments: tuple[Attachment, ...] = ()


class MessageEdited(Event):
    """A person changed a message; what it says now counts."""

    kind: Literal["message_edited"] = "message_edited"
    ts: str
    user: str
    speaker: str
    text: str


class MessageDeleted(Event):
    """A person took a message back."""

    kind: Literal["message_deleted"] = "message_deleted"
    ts: str
    user: str
    speaker: str
    text: str = ""
    """What it said."""
