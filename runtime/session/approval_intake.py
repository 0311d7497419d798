"""What clicks on approval cards mean in the state they meet. Pure; the order of the inbox resolves races."""

import hashlib

from runtime.policy.approvers import may_decide
from runtime.session.approval_events import (
    ApprovalEscalated,
    ApprovalVoided,
    ApprovalVoted,
    ArgumentsEdited,
    GrantGiven,
    GrantRevoked,
)
from runtime.session.cards import parts
from runtime.session.entries import DecisionEntry, EditEntry, RevokeEntry
from runtime.session.events import (
    AnyEvent,
    ApprovalDecided,
    ApprovalRequested,
    CallFinished,
    CallStatus,
    NoticeCode,
)
from runtime.session.state import ApprovalState, RunState, SessionState
from runtime.session.taking import Intake, told


def decided(
    approval: ApprovalRequested, verdict: str, by: str, reason: str, *, voters: tuple[str, ...] = (), speaker: str = ""
) -> Intake:
    """The verdict and, where it is not approval, the result of every call on the card."""
    decision = ApprovalDecided.model_validate(
        {
            "run_id": approval.run_id,
            "approval_id": approval.approval_id,
            "verdict": verdict,
            "by": by,
            "reason": reason,
            "voters": voters,
        }
    )
    events: list[AnyEvent] = [decision]
    if verdict != "approved":
        who = speaker or by
        words = f"Not approved ({verdict})" + (f" by {who}" if who else "") + (f". Reason: {reason}" if reason else ".")
        events.extend(
            CallFinished(
                run_id=approval.run_id,
                call_id=call_id,
                status=CallStatus.DENIED,
                output=words + " It did not run. Do not try the same call again unless you are told to.",
                brief=verdict,
            )
            for call_id in (approval.call_id, *(call.call_id for call in approval.also))
        )
    return tuple(events)


def find_approval(state: SessionState, approval_id: str) -> ApprovalState | None:
    """The request with this id in any run of the session."""
    for run in reversed(state.runs):
        if approval_id in run.approvals:
            return run.approvals[approval_id]
    return None


def refusal(state: SessionState, entry: DecisionEntry | EditEntry, now_ms: int) -> Intake:
    """Why a click on a card does nothing, told to who clicked; empty where it counts."""
    approval, run = find_approval(state, entry.approval_id), state.active_run
    if approval is None:
        return told(entry, entry.by, NoticeCode.APPROVAL_GONE)
    if approval.decided is not None:
        by, verdict = approval.decided.by, approval.decided.verdict
        return told(entry, entry.by, NoticeCode.ALREADY_DECIDED, by=by, verdict=verdict)
    requested = approval.requested
    if run is None or run.open_approval != entry.approval_id or now_ms >= requested.expires_at_ms:
        return told(entry, entry.by, NoticeCode.APPROVAL_GONE)
    groups = frozenset(entry.groups)
    if not may_decide(approval.approvers, entry.by, run.requester, groups, standing=entry.standing):
        return told(entry, entry.by, NoticeCode.NOT_APPROVER, approvers=",".join(named(approval.approvers, run)))
    is_no = isinstance(entry, DecisionEntry) and entry.verdict == "denied"
    if entry.by in requested.barred and not is_no and not isinstance(entry, EditEntry):
        return told(entry, entry.by, NoticeCode.FOUR_EYES)
    return ()


def on_decision(state: SessionState, entry: DecisionEntry, now_ms: int) -> Intake:
    """The first valid verdict of somebody who may decide wins; of a quorum, the last approval or the first denial."""
    refused = refusal(state, entry, now_ms)
    approval = find_approval(state, entry.approval_id)
    if refused or approval is None:
        return refused
    requested, speaker = approval.requested, state.people.get(entry.by, "")
    if entry.verdict == "denied":
        return decided(requested, "denied", entry.by, entry.reason, speaker=speaker)
    if entry.by in approval.votes:
        return told(entry, entry.by, NoticeCode.ALREADY_VOTED)
    voters = (*approval.votes, entry.by)
    if len(voters) < requested.quorum:
        return (ApprovalVoted(run_id=requested.run_id, approval_id=requested.approval_id, by=entry.by),)
    events = decided(requested, "approved", entry.by, "", voters=voters if requested.quorum > 1 else ())
    if entry.for_thread and requested.grant_ms:
        return (*events, *grants(requested, entry.by, now_ms))
    return events


def grants(requested: ApprovalRequested, by: str, now_ms: int) -> Intake:
    """An allowance for each tool on the card, as the rule that asks about it stands now."""
    subjects = {(requested.tool, requested.rule_hash, requested.definition)}
    subjects |= {(call.tool, call.rule_hash, call.definition) for call in requested.also}
    return tuple(
        GrantGiven(
            grant_id=hashlib.sha256(f"{requested.approval_id}:{tool}".encode()).hexdigest()[:20],
            approval_id=requested.approval_id,
            tool=tool,
            rule=requested.rule,
            rule_hash=rule_hash,
            definition=definition,
            by=by,
            expires_at_ms=now_ms + requested.grant_ms,
        )
        for tool, rule_hash, definition in sorted(subjects)
    )


def on_edit(state: SessionState, entry: EditEntry, now_ms: int) -> Intake:
    """A call of the card changes, and all of them are asked for anew: an edit is never an approval of itself."""
    refused = refusal(state, entry, now_ms)
    approval, run = find_approval(state, entry.approval_id), state.active_run
    if refused or approval is None or run is None:
        return refused
    requested = approval.requested
    wanted = entry.call_id or requested.call_id
    part = next((part for part in parts(requested) if part.call_id == wanted), None)
    if part is None or entry.arguments == part.arguments:
        return told(entry, entry.by, NoticeCode.NOT_EDITABLE)
    edited = ArgumentsEdited(
        run_id=run.run_id,
        call_id=part.call_id,
        approval_id=requested.approval_id,
        before=part.arguments,
        after=entry.arguments,
        by=entry.by,
    )
    return (edited,)


def on_revoke(state: SessionState, entry: RevokeEntry, now_ms: int) -> Intake:
    """Anybody who is heard may end an allowance: that only narrows what runs."""
    grant = state.grants.get(entry.grant_id)
    if grant is None or not grant.is_live(now_ms):
        return told(entry, entry.by, NoticeCode.GRANT_GONE)
    return (GrantRevoked(grant_id=entry.grant_id, by=entry.by),)


def voided(state: SessionState, ts: str, why: str, by: str) -> Intake:
    """The open request of the run that a message asked for, when that message changes or vanishes."""
    run = state.active_run
    if run is None or not run.open_approval or run.request_ts != ts:
        return ()
    void = {"run_id": run.run_id, "approval_id": run.open_approval, "why": why, "by": by}
    return (ApprovalVoided.model_validate(void),)


def escalated(run: RunState) -> Intake:
    """Further people are asked."""
    requested = run.approvals[run.open_approval].requested
    return (ApprovalEscalated(run_id=run.run_id, approval_id=requested.approval_id, to=requested.escalate_to),)


def named(approvers: tuple[str, ...], run: RunState) -> tuple[str, ...]:
    """Approvers with "requester" replaced by the person's id."""
    return tuple(run.requester if who == "requester" else who for who in approvers)
