"""What the runtime hands to a tool for one call."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import NamedTuple, Protocol

from pydantic import JsonValue

from tools.patience import Patience
from tools.plan import Plan
from tools.question import PersonAsked
from tools.sandbox.port import Sandbox
from tools.workspace import Workspace

Ask = Callable[[PersonAsked], Awaitable[str | None]]
"""Puts a question to the person while the call waits: the answer, of a form as JSON; None when nobody answered.

The clocks of the context's `patience` stand still meanwhile. Never raises but when it is cancelled.
"""


def unheard(_progress: str) -> None:
    """Nobody listens to how far a call is."""


class Found(NamedTuple):
    """A place in the session's past: where, and the words around what was looked for."""

    source: str
    text: str


class Records(Protocol):
    """The session's past, word for word. `runtime.memory.records.JournalRecords` reads it from the journal."""

    async def output(self, call_id: str) -> str | None:
        """The whole output of a call; None where there is none."""
        ...

    async def search(self, words: str, limit: int) -> Sequence[Found]:
        """The newest places that hold all the words, newest first."""
        ...


class Said(NamedTuple):
    """A message somebody wrote."""

    speaker: str
    ts: str
    text: str


class Conversations(Protocol):
    """What people wrote where the session is seen, for one person who asks. `bot.delivery.reading` reads Slack."""

    async def read(self, channel: str, thread_ts: str, limit: int) -> Sequence[Said]:
        """The newest messages of a channel (empty: the session's own) or of a thread, oldest first.

        Raises:
            ToolInputError: there is no such place.
            ToolRefused: the person may not see it, or it may not be shown where the answer will be seen.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """Everything a call may use. Nothing here grants authority; policy has already decided."""

    session_id: str
    run_id: str
    call_id: str
    """Stable over retries of the same call: an idempotency key for services that take one."""
    workspace: Workspace
    sandbox: Sandbox
    timeout: timedelta
    """How long this call may take; the runtime cancels it a little later."""
    patience: Patience = field(default_factory=Patience)
    """Bounds what the call waits for; it stands still while a person is asked."""
    plan: Plan | None = None
    """The plan as it stands, for the planning tool."""
    binding: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    """What `prepare` returned when the call was judged."""
    ask: Ask | None = None
    """For calls that cannot end before a person answered; None where nobody can be asked meanwhile."""
    progress: Callable[[str], None] = unheard
    """Told in words how far the call is."""
    records: Records | None = None
    """What was said and done before; None where nothing is kept."""
    conversations: Conversations | None = None
    """What people wrote elsewhere, as far as the person who asked may see it; None where there is no such place."""
