"""What the store takes and gives: plain values, since it knows nothing of events and entries but their bytes."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal, NamedTuple

PushResult = Literal["ok", "dup", "full"]
RenewResult = Literal["ok", "urgent", "fenced"]
ReleaseResult = Literal["queued", "idle", "fenced"]


class Claimed(NamedTuple):
    """A session given to a worker."""

    sid: str
    token: int
    """Rises with every claim of the session; each write is checked against it."""
    seq: int
    """The position of the journal's last event; 0 for an empty one."""
    waited: timedelta
    crashes: int
    """How many of its last runners in a row vanished without releasing it."""
    failures: int
    """How many of its last runs in a row ended in an error."""
    at_ms: int
    """The server's time of the claim in Unix milliseconds."""


class Committed(NamedTuple):
    """Where the journal stands after a commit, and the server's time of it in Unix milliseconds."""

    seq: int
    at_ms: int


class LogRecord(NamedTuple):
    """One event as it stands in the journal; `at_ms` is the server's time of its commit in Unix milliseconds."""

    seq: int
    at_ms: int
    event: str


class InboxRecord(NamedTuple):
    """One entry not yet consumed; `id` is what a commit consumes it by."""

    id: str
    kind: str
    payload: str
    at_ms: int = 0
    """The server's time of its arrival in Unix milliseconds."""


class Snapshot(NamedTuple):
    """A fold of the journal up to and including `seq`."""

    version: int
    seq: int
    state: str


class SessionRow(NamedTuple):
    """One line of the operator's list; `active_at_ms` is the last push or commit in Unix milliseconds."""

    sid: str
    status: str
    active_at_ms: int
    owner: str
    """The worker that holds it, or an empty string."""


class Ring(NamedTuple):
    """The doorbell: something waits for a session, perhaps urgently."""

    sid: str
    """Empty when the kill switch was used."""
    urgent: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """Sets or clears a deadline within a commit."""

    kind: str
    id: str
    after: timedelta | None
    """From the server's now; `None` clears it. Zero or less fires with the next sweep."""

    def flat(self, sid: str) -> Sequence[str]:
        """The deadline's name and when it is due, as the script reads them.

        Raises:
            ValueError: The kind could not be told from the id.
        """
        if not self.kind or "|" in self.kind:
            raise ValueError(f"a deadline's kind must not be empty or contain '|': {self.kind!r}")
        in_ms = 0 if self.after is None else max(1, round(self.after.total_seconds() * 1000))
        return f"{sid}|{self.kind}|{self.id}", str(in_ms)
