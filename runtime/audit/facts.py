"""Journal events -> what the audit log records of them. Pure."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from runtime.audit.values import Fact, sha256
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
from runtime.session.cards import parts
from runtime.session.events import AnyEvent, LimitExtended, NoticeCode
from runtime.session.people_events import ApprovalDecided, ApprovalRequested, NoticeQueued

REFUSALS = frozenset(
    {
        NoticeCode.NOT_APPROVER,
        NoticeCode.FOUR_EYES,
        NoticeCode.ALREADY_VOTED,
        NoticeCode.ALREADY_DECIDED,
        NoticeCode.APPROVAL_GONE,
        NoticeCode.USE_BUTTONS,
        NoticeCode.NOT_EDITABLE,
        NoticeCode.GRANT_GONE,
    }
)


def opaque(approval_id: str) -> str:
    """An approval's id as the log has it: the id itself would be a button's address."""
    return sha256(approval_id)[:32]


def of_request(event: ApprovalRequested) -> Iterator[Fact]:
    """One for each call on the card."""
    for part in parts(event):
        yield Fact(
            what="requested",
            run=event.run_id,
            call=part.call_id,
            approval=opaque(event.approval_id),
            details={
                "tool": part.tool,
                "rule": event.rule,
                "digest": part.digest,
                "arguments_sha256": sha256(part.arguments),
                "shown_sha256": sha256(part.body),
                "approvers_sha256": sha256(",".join(event.approvers)),
                "quorum": str(event.quorum),
                "four_eyes": str(bool(event.barred)).lower(),
                "attempt": str(event.attempt),
                "expires_at_ms": str(event.expires_at_ms),
            },
        )


def of_decision(event: ApprovalDecided) -> Iterator[Fact]:
    """A verdict, or that there was none in time."""
    yield Fact(
        what="expired" if event.verdict == "expired" else "decided",
        by=event.by,
        run=event.run_id,
        approval=opaque(event.approval_id),
        details={
            "verdict": event.verdict,
            "voters": str(len(event.voters) or 1),
            **({"reason_sha256": sha256(event.reason)} if event.reason else {}),
        },
    )


def of_vote(event: ApprovalVoted) -> Iterator[Fact]:
    """One of a quorum."""
    yield Fact(what="voted", by=event.by, run=event.run_id, approval=opaque(event.approval_id))


def of_void(event: ApprovalVoided) -> Iterator[Fact]:
    """The request changed or was deleted."""
    details = {"why": event.why}
    yield Fact(what="voided", by=event.by, run=event.run_id, approval=opaque(event.approval_id), details=details)


def of_escalation(event: ApprovalEscalated) -> Iterator[Fact]:
    """Further people may decide."""
    details = {"to_sha256": sha256(",".join(event.to))}
    yield Fact(what="escalated", run=event.run_id, approval=opaque(event.approval_id), details=details)


def of_edit(event: ArgumentsEdited) -> Iterator[Fact]:
    """Both versions, by their digests; the journal has their words as long as it is kept."""
    yield Fact(
        what="edited",
        by=event.by,
        run=event.run_id,
        call=event.call_id,
        approval=opaque(event.approval_id),
        details={"before_sha256": sha256(event.before), "after_sha256": sha256(event.after)},
    )


def of_grant(event: GrantGiven) -> Iterator[Fact]:
    """An allowance with its scope and end."""
    yield Fact(
        what="granted",
        by=event.by,
        approval=opaque(event.approval_id),
        details={
            "grant": event.grant_id,
            "tool": event.tool,
            "rule": event.rule,
            "rule_sha256": sha256(event.rule_hash),
            "definition": event.definition,
            "expires_at_ms": str(event.expires_at_ms),
        },
    )


def of_revocation(event: GrantRevoked) -> Iterator[Fact]:
    """Its early end."""
    yield Fact(what="revoked", by=event.by, details={"grant": event.grant_id})


def of_use(event: GrantUsed) -> Iterator[Fact]:
    """A call that ran on it."""
    details = {"grant": event.grant_id, "digest": event.digest}
    yield Fact(what="grant_used", run=event.run_id, call=event.call_id, details=details)


def of_prohibition(event: CallForbidden) -> Iterator[Fact]:
    """Policy said no."""
    details = {"tool": event.tool, "rule": event.rule, "digest": event.digest}
    yield Fact(what="forbidden", run=event.run_id, call=event.call_id, details=details)


def of_notice(event: NoticeQueued) -> Iterator[Fact]:
    """A click or a word that did nothing."""
    if event.code in REFUSALS:
        yield Fact(what="refused", by=event.to, details={"code": event.code.value})


def of_extension(event: LimitExtended) -> Iterator[Fact]:
    """More of a budget."""
    details = {"limit": event.limit_id, "added": str(event.added)}
    yield Fact(what="limit_extended", by=event.by, run=event.run_id, details=details)


FACTS: Mapping[str, Callable[[Any], Iterator[Fact]]] = {
    "approval_requested": of_request,
    "approval_decided": of_decision,
    "approval_voted": of_vote,
    "approval_voided": of_void,
    "approval_escalated": of_escalation,
    "arguments_edited": of_edit,
    "grant_given": of_grant,
    "grant_revoked": of_revocation,
    "grant_used": of_use,
    "call_forbidden": of_prohibition,
    "notice_queued": of_notice,
    "limit_extended": of_extension,
}


def facts_of(event: AnyEvent) -> tuple[Fact, ...]:
    """What is recorded of an event; most are not the audit's business."""
    make = FACTS.get(event.kind)
    return tuple(make(event)) if make else ()
