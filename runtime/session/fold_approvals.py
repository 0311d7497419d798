"""The fold of approvals between request and verdict, and of allowances. All pure; see `fold.py`."""

from runtime.session.approval_events import (
    ApprovalEscalated,
    ApprovalVoided,
    ApprovalVoted,
    ArgumentsEdited,
    GrantGiven,
    GrantRevoked,
    GrantUsed,
)
from runtime.session.folding import current, moved, replace, with_entry, with_run
from runtime.session.state import AgentState, ApprovalState, GrantState, RunState, SessionState


def with_approval(run: RunState, approval: ApprovalState) -> RunState:
    """The run with one of its requests replaced."""
    return replace(run, approvals=with_entry(run.approvals, approval.requested.approval_id, approval))


def on_voted(state: SessionState, event: ApprovalVoted) -> SessionState:
    """One more of the quorum; the run still waits."""
    run = current(state, event.run_id)
    approval = run.approvals[event.approval_id]
    return with_run(state, with_approval(run, replace(approval, votes=(*approval.votes, event.by))))


def on_escalated(state: SessionState, event: ApprovalEscalated) -> SessionState:
    """Further people may decide."""
    run = current(state, event.run_id)
    return with_run(state, with_approval(run, replace(run.approvals[event.approval_id], escalated=True)))


def on_voided(state: SessionState, event: ApprovalVoided) -> SessionState:
    """The call has no verdict and no open request: the next step asks for it anew."""
    run = moved(current(state, event.run_id), AgentState.RUNNING)
    approval = replace(run.approvals[event.approval_id], voided=event)
    return with_run(state, replace(with_approval(run, approval), open_approval=""))


def on_arguments_edited(state: SessionState, event: ArgumentsEdited) -> SessionState:
    """The call is another one now; the next step judges it and asks for it anew."""
    run = moved(current(state, event.run_id), AgentState.RUNNING)
    approval = replace(run.approvals[event.approval_id], edited=event)
    call = run.calls[event.call_id]
    call = replace(call, call=call.call.model_copy(update={"arguments": event.after}), edited_by=event.by)
    run = replace(with_approval(run, approval), open_approval="", calls=with_entry(run.calls, event.call_id, call))
    return with_run(state, run)


def on_grant_given(state: SessionState, event: GrantGiven) -> SessionState:
    """An allowance begins."""
    return replace(state, grants=with_entry(state.grants, event.grant_id, GrantState(given=event, seq=state.seq)))


def on_grant_revoked(state: SessionState, event: GrantRevoked) -> SessionState:
    """It ends."""
    grant = replace(state.grants[event.grant_id], revoked=event)
    return replace(state, grants=with_entry(state.grants, event.grant_id, grant))


def on_grant_used(state: SessionState, event: GrantUsed) -> SessionState:
    """A call ran on it."""
    grant = state.grants[event.grant_id]
    return replace(state, grants=with_entry(state.grants, event.grant_id, replace(grant, uses=grant.uses + 1)))
