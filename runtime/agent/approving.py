"""What an approval covers, and whether it covers a call: the request bound to exact bytes, and its look-up later."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from pydantic import JsonValue

from runtime.agent.context import AgentContext
from runtime.policy.digest import call_digest
from runtime.policy.directory import Group
from runtime.policy.engine import Verdict
from runtime.session.approval_events import CoveredCall
from runtime.session.cards import parts
from runtime.session.events import ApprovalRequested, CallStatus
from runtime.session.state import ApprovalState, CallState, GrantState, RunState
from tools.base import Effect, PreparedCall
from tools.collection import Parsed

MILLISECOND = timedelta(milliseconds=1)
ERROR_CHARS = 600
AUDIENCE = 30
"""People who are written to about one request, at most."""
SHOWN_IN_FULL = 400_000
"""Characters of a call that a person can still be shown in full: in a modal or a file. A longer one does not run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Covered:
    """A call as it was approved."""

    binding: Mapping[str, JsonValue]
    body: str
    is_first: bool
    """It was next when it was shown; a later one may have been overtaken by the calls before it."""


def covered(context: AgentContext, run: RunState, call: CallState, effect: Effect) -> Covered | None:
    """What was approved for the call; None where it was not, or is no longer exactly that call."""
    approval = run.approvals.get(call.approval_id)
    if approval is None or approval.decided is None or approval.decided.verdict != "approved":
        return None
    if effect is Effect.AT_MOST_ONCE and call.used_approval == call.approval_id:
        return None  # It was used up by an attempt that was interrupted.
    requested = approval.requested
    part = next((part for part in parts(requested) if part.call_id == call.call.call_id), None)
    if part is None:
        return None
    digest = call_digest(
        session_id=context.session.session_id,
        tool=call.call.tool,
        definition=context.tools.definition_hash(call.call.tool),
        arguments=call.call.arguments,
        binding=part.binding,
        approval_id=requested.approval_id,
    )
    if not secrets.compare_digest(digest, part.digest):
        return None
    return Covered(binding=part.binding, body=part.body, is_first=part.call_id == requested.call_id)


def part_of(
    context: AgentContext, call_id: str, parsed: Parsed, prepared: PreparedCall, verdict: Verdict, approval_id: str
) -> CoveredCall:
    """One call for a card, bound to the exact bytes that would run."""
    name, arguments, preview = parsed.tool.name, parsed.canonical.decode(), prepared.preview
    definition = context.tools.definition_hash(name)
    digest = call_digest(
        session_id=context.session.session_id,
        tool=name,
        definition=definition,
        arguments=arguments,
        binding=prepared.binding,
        approval_id=approval_id,
    )
    return CoveredCall(
        call_id=call_id,
        tool=name,
        arguments=arguments,
        binding=prepared.binding,
        digest=digest,
        definition=definition,
        rule_hash=verdict.rule_hash,
        title=context.redact(preview.title),
        body=context.redact(preview.body),
        language=preview.language,
        notes=tuple(context.redact(note) for note in preview.notes),
    )


async def approval_request(
    context: AgentContext, run: RunState, call: CallState, parsed: Parsed, prepared: PreparedCall, verdict: Verdict
) -> ApprovalRequested:
    """The request for one call; `joined` adds further ones."""
    approval_id = secrets.token_urlsafe(18)
    part = part_of(context, call.call.call_id, parsed, prepared, verdict, approval_id)
    now_ms = context.session.lease.now_ms()
    attempt, previous_error = earlier_tries(run, call)
    why, by = asked_again(run.approvals.get(call.approval_id))
    handles = [who for who in (*verdict.approvers, *verdict.escalate_to) if who.startswith("@")]
    groups: Mapping[str, Group] = await context.directory.groups(handles) if handles else {}
    audience = people(verdict.approvers, groups, run.requester)
    edited_by = (call.edited_by,) if call.edited_by else ()
    return ApprovalRequested(
        run_id=run.run_id,
        approval_id=approval_id,
        **dict(part),
        reason=verdict.reason.value,
        approvers=verdict.approvers,
        quorum=verdict.quorum,
        expires_at_ms=now_ms + verdict.expires // MILLISECOND,
        remind_at_ms=now_ms + context.settings.timeouts.reminder // MILLISECOND,
        rule=verdict.rule,
        barred=(run.requester, *edited_by) if verdict.four_eyes else (),
        escalate_to=verdict.escalate_to,
        escalate_at_ms=now_ms + verdict.escalate_after // MILLISECOND if verdict.escalate_after else 0,
        grant_ms=verdict.grant_expires // MILLISECOND if verdict.grant_expires else 0,
        attempt=attempt,
        previous_error=previous_error,
        asked_again=why,
        asked_again_by=by,
        group_ids={handle: group.group_id for handle, group in groups.items()},
        audience=audience,
        later_audience=tuple(who for who in people(verdict.escalate_to, groups, run.requester) if who not in audience),
    )


def people(approvers: Sequence[str], groups: Mapping[str, Group], requester: str) -> tuple[str, ...]:
    """Approvers by name: the ids given, and the members of groups."""
    named: dict[str, None] = {}
    for who in approvers:
        named |= dict.fromkeys(groups[who].members if who in groups else (who,) if who[0] in "UW" else ())
    named.pop(requester, None)
    return tuple(named)[:AUDIENCE]


Again = Literal["", "changed", "deleted", "edited", "stale"]


def asked_again(before: ApprovalState | None) -> tuple[Again, str]:
    """Why a call is asked for once more, and who caused it; empty for the first time."""
    if before is None:
        return "", ""
    if before.voided is not None:
        return before.voided.why, before.voided.by
    if before.edited is not None:
        return "edited", before.edited.by
    return ("stale", "") if before.decided is not None and before.decided.verdict == "approved" else ("", "")


def earlier_tries(run: RunState, call: CallState) -> tuple[int, str]:
    """How often in a row the tool has failed before this call in this run, plus one, and what the last failure said."""
    attempt, error = 1, ""
    for earlier in reversed([*run.calls.values()]):
        is_other = earlier.call.tool != call.call.tool or earlier.call.call_id == call.call.call_id
        if is_other or earlier.result is None or is_forbidden(earlier):
            continue
        if earlier.result.status is CallStatus.OK:
            break
        attempt += 1
        error = error or earlier.result.output[:ERROR_CHARS]
    return attempt, error


def is_forbidden(call: CallState) -> bool:
    """Whether policy refused it before anybody was asked: nothing was tried."""
    return call.result is not None and call.result.status is CallStatus.DENIED and not call.approval_id


def live_grant(context: AgentContext, parsed: Parsed, verdict: Verdict) -> GrantState | None:
    """The allowance that a call may run on: of the same tool as it was, and of the same rule as it stood."""
    if verdict.grant_expires is None:
        return None
    now_ms = context.session.lease.now_ms()
    wanted = (parsed.tool.name, verdict.rule_hash, context.tools.definition_hash(parsed.tool.name))
    return next(
        (
            grant
            for grant in context.session.latest.grants.values()
            if (grant.given.tool, grant.given.rule_hash, grant.given.definition) == wanted and grant.is_live(now_ms)
        ),
        None,
    )


def is_flood(context: AgentContext) -> bool:
    """Whether the thread has shown as many cards lately as people can be expected to read."""
    limit = context.settings.policy.cards
    since = context.session.lease.now_ms() - limit.within // MILLISECOND
    recent = [a for run in context.session.latest.runs[-8:] for a in run.approvals.values() if a.at_ms > since]
    return len(recent) >= limit.count


def is_same_card(first: Verdict, other: Verdict) -> bool:
    """Whether two calls are decided by the same people on the same terms."""
    terms = ("approvers", "quorum", "expires", "four_eyes", "escalate_to", "escalate_after", "grant_expires", "reason")
    return all(getattr(first, name) == getattr(other, name) for name in terms)
