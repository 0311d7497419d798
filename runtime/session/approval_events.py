"""Events of an approval between request and verdict, of allowances, and of what policy forbids."""

from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from runtime.session.event_base import Event


class CoveredCall(BaseModel):
    """A further call on the same card, bound to its own exact bytes."""

    model_config = ConfigDict(frozen=True)

    call_id: str
    tool: str
    arguments: str
    binding: Mapping[str, JsonValue] = Field(default_factory=dict)
    digest: str
    definition: str
    rule_hash: str
    title: str
    body: str
    language: str
    notes: tuple[str, ...] = ()


class ApprovalVoted(Event):
    """One of several approvals that a quorum needs."""

    kind: Literal["approval_voted"] = "approval_voted"
    run_id: str
    approval_id: str
    by: str


class ApprovalVoided(Event):
    """The request holds no longer, and the call is asked for anew."""

    kind: Literal["approval_voided"] = "approval_voided"
    run_id: str
    approval_id: str
    why: Literal["changed", "deleted"]
    """What became of the message that asked for the run."""
    by: str


class ApprovalEscalated(Event):
    """Nobody decided for long: further people may."""

    kind: Literal["approval_escalated"] = "approval_escalated"
    run_id: str
    approval_id: str
    to: tuple[str, ...]


class ArgumentsEdited(Event):
    """A person who may decide changed the call. It is judged and asked for anew, with its new bytes."""

    kind: Literal["arguments_edited"] = "arguments_edited"
    run_id: str
    call_id: str
    approval_id: str
    before: str
    after: str
    """Canonical JSON, both."""
    by: str


class GrantGiven(Event):
    """For a while, calls of this tool that this rule asks about run without a card in this thread."""

    kind: Literal["grant_given"] = "grant_given"
    grant_id: str
    approval_id: str
    tool: str
    rule: str
    rule_hash: str
    definition: str
    """The hash of what the tool is; another definition is another tool."""
    by: str
    expires_at_ms: int


class GrantRevoked(Event):
    """The allowance ended before its time."""

    kind: Literal["grant_revoked"] = "grant_revoked"
    grant_id: str
    by: str


class GrantUsed(Event):
    """A call ran on an allowance."""

    kind: Literal["grant_used"] = "grant_used"
    run_id: str
    call_id: str
    grant_id: str
    digest: str


class CallForbidden(Event):
    """Policy refused a call; nobody was asked."""

    kind: Literal["call_forbidden"] = "call_forbidden"
    run_id: str
    call_id: str
    tool: str
    rule: str
    digest: str
