"""What the ledger takes and gives."""

from dataclasses import dataclass
from typing import Literal

ScopeKind = Literal["run", "thread", "person", "channel", "workspace"]
What = Literal["tokens", "micros"]
NONE = -1
"""On the wire: no limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Something whose use is counted together, with its limits; None means that it has none."""

    kind: ScopeKind
    name: str
    """Unique in the ledger; of a day's scope it ends with the day."""
    tokens: int | None = None
    micros: int | None = None

    def flat(self) -> tuple[str, str, str]:
        """As the scripts read it."""
        return (
            self.name,
            str(NONE if self.tokens is None else self.tokens),
            str(NONE if self.micros is None else self.micros),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation:
    """One model request or tool call before it is made."""

    id: str
    """The same however often the reservation is repeated."""
    owner: str
    """The session; it makes one request at a time."""
    kind: Literal["request", "call"]
    day: str
    """The day it is counted on, in the ledger's time zone: 2026-01-31."""
    scopes: tuple[Scope, ...]
    tokens: int = 0
    """The most it is expected to use."""
    micros: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A limit and how much of it is used."""

    scope: Scope
    what: What
    used: int
    limit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """Nothing is held: the limit is used up, or would be with what others hold at the moment."""

    mark: Mark
    is_for_now: bool
    """Others hold what is left; they may use less than they hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """What one scope has used. Counts of tokens and requests, money in micro-dollars."""

    name: str
    input: int = 0
    cached: int = 0
    output: int = 0
    reasoning: int = 0
    micros: int = 0
    requests: int = 0
    calls: int = 0
    failed: int = 0
    held_tokens: int = 0
    held_micros: int = 0
    extra_tokens: int = 0
    extra_micros: int = 0

    @property
    def tokens(self) -> int:
        """Input and output; cached and reasoning tokens are parts of these."""
        return self.input + self.output
