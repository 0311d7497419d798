"""An entry of the chain, and how it is hashed."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from tools.schema import JSON_OBJECT, canonical

What = Literal[
    "requested", "voted", "decided", "expired", "voided", "escalated", "edited", "refused", "forbidden", "began",
    "granted", "revoked", "grant_used", "limit_extended",
]  # fmt: skip


def sha256(text: str) -> str:
    """In hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """What is to be recorded of one event. `people` are ids, which become digests before anything is stored."""

    what: What
    by: str = ""
    run: str = ""
    call: str = ""
    approval: str = ""
    details: Mapping[str, str] = field(default_factory=dict[str, str])
    """Nothing a person wrote: digests, names of tools and rules, numbers."""


class AuditEntry(BaseModel):
    """One link of the chain."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    n: int
    at_ms: int
    """Server time of the event in the journal."""
    prev: str
    """The hash of the entry before; empty for the first."""
    what: What
    session: str
    """A keyed digest of the session's id; without its key nobody can tell which it was."""
    seq: int
    """The event's place in the session's journal."""
    by: str = ""
    """A keyed digest of the person's id."""
    run: str = ""
    call: str = ""
    approval: str = ""
    details: Mapping[str, str] = Field(default_factory=dict)

    @property
    def hash(self) -> str:
        """SHA-256 over everything in it, the link to the entry before included."""
        whole: dict[str, JsonValue] = JSON_OBJECT.validate_python(self.model_dump(mode="json"))
        return hashlib.sha256(canonical(whole)).hexdigest()
