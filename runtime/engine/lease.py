"""The right to run one session for a while."""

import time
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from runtime.store.values import Claimed

SAFE_PART: Final = 0.7
"""Of its length, counted from the last renewal that was answered, a lease is relied on for this part only."""


@dataclass(slots=True, kw_only=True)
class Lease:
    """One session held by this process. Only its keeper changes it."""

    sid: str
    token: int
    """Rises with every claim; the server checks it on each write."""
    seq: int
    """The journal's position when the session was claimed."""
    crashes: int
    """How many of the session's last runners in a row vanished. From 2 on, a person should decide."""
    failures: int
    """How many of its last runs in a row ended in an error."""
    waited: timedelta
    ttl: timedelta
    server_ms: int
    """The server's time in Unix milliseconds at `seen_at`."""
    paused: str = ""
    """Why nothing may be done in the session now, by an operator's word; empty when nothing forbids it."""
    seen_at: float = field(default_factory=time.monotonic)
    renewed_at: float = field(default_factory=time.monotonic)
    """Monotonic seconds at which the last answered renewal was sent."""

    @classmethod
    def of(cls, claimed: Claimed, ttl: timedelta, sent_at: float) -> "Lease":
        """The lease a claim gave; `sent_at` is when the claim was sent, in monotonic seconds."""
        return cls(
            sid=claimed.sid,
            token=claimed.token,
            seq=claimed.seq,
            crashes=claimed.crashes,
            failures=claimed.failures,
            waited=claimed.waited,
            ttl=ttl,
            server_ms=claimed.at_ms,
            renewed_at=sent_at,
        )

    def is_safe(self) -> bool:
        """Whether the session is surely still ours; to be asked before every effect outside the store."""
        return time.monotonic() < self.renewed_at + SAFE_PART * self.ttl.total_seconds()

    def is_past(self) -> bool:
        """Whether another worker may have claimed the session by now."""
        return time.monotonic() > self.renewed_at + self.ttl.total_seconds()

    def now_ms(self) -> int:
        """The server's time now, in Unix milliseconds, estimated from the last time it told; never ahead of it."""
        return self.server_ms + int((time.monotonic() - self.seen_at) * 1000)

    def observe(self, server_ms: int) -> None:
        """Take note of the server's time as a commit returned it."""
        self.server_ms = server_ms
        self.seen_at = time.monotonic()
