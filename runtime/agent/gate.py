"""Decides what may happen to a call now. Nothing here has effects.

Order of the questions: was it readable, does policy forbid it, was it begun before a crash, was it approved, may it
run without asking. Only what comes out `Cleared` is ever run.
"""

from collections.abc import Sequence
from dataclasses import replace

from runtime.agent.approving import (
    SHOWN_IN_FULL,
    Covered,
    approval_request,
    covered,
    is_flood,
    is_same_card,
    live_grant,
    part_of,
)
from runtime.agent.asking import lost_call_question
from runtime.agent.context import AgentContext
from runtime.agent.execution import Failure, prepare, tool_context
from runtime.agent.moves import Cleared, Move, NeedsApproval, NeedsWord, Refused, TooManyCards
from runtime.agent.once import narrowed
from runtime.policy.digest import call_digest
from runtime.policy.engine import Subject, Verdict, VerdictKind
from runtime.session.approval_events import CallForbidden, CoveredCall, GrantUsed
from runtime.session.events import (
    ApprovalRequested,
    CallFinished,
    CallStarted,
    CallStatus,
)
from runtime.session.ids import SessionKey
from runtime.session.interrupted import lost_call_question_id
from runtime.session.plan_intake import out_of_turn
from runtime.session.state import CallState, GrantState, RunState
from tools.base import Effect, PreparedCall
from tools.collection import Parsed
from tools.context import ToolContext
from tools.errors import ToolInputError
from tools.plan import Plan
from tools.schema import JSON_OBJECT

CALLS_ON_CARD = 10
MAX_ATTEMPTS = 3


async def next_move(context: AgentContext, run: RunState, call: CallState, plan: Plan | None) -> Move:
    """What to do with a call that has no result yet.

    Args:
        context: what the agent works with.
        run: the run it belongs to.
        call: the call and how far it got.
        plan: the plan as it stands, results not yet committed included.
    """
    parsed = readable(context, run, call)
    if isinstance(parsed, Refused):
        return parsed
    tool = parsed.tool
    verdict = await judged(context, run, parsed)
    if verdict.kind is VerdictKind.DENY:
        return forbidden(context, run, call, verdict)
    if call.attempt and (held := after_interruption(context, run, call, tool.effect)):
        return held
    where = tool_context(context, run, call, parsed, plan)
    approved = covered(context, run, call, tool.effect)
    if approved is not None and approved.is_first:
        return cleared(call, parsed, replace(where, binding=approved.binding))
    prepared = await prepare(parsed, where)
    if isinstance(prepared, Failure):
        return refused(run, call, CallStatus.ERROR, prepared.text, brief="could not run")
    free = cleared(call, parsed, replace(where, binding=prepared.binding) if prepared.binding else where)
    if verdict.kind is VerdictKind.ALLOW or is_unchanged(context, approved, prepared):
        return free
    grant = live_grant(context, parsed, verdict)
    if grant is not None:
        return replace(free, granted=on_grant(context, run, call, prepared, grant))
    return await asked(context, run, call, parsed, prepared, verdict)


def readable(context: AgentContext, run: RunState, call: CallState) -> Parsed | Refused:
    """The call as its tool takes it, or why it cannot run."""
    proposed = call.call
    if words := out_of_turn(run, call):
        return refused(run, call, CallStatus.ERROR, words, brief="not now")
    try:
        if not proposed.problem:
            return context.tools.parse(proposed.tool, proposed.arguments)
        problem = proposed.problem
    except ToolInputError as error:
        problem = str(error)
    return refused(run, call, CallStatus.ERROR, problem, brief="could not run")


async def judged(context: AgentContext, run: RunState, parsed: Parsed) -> Verdict:
    """What policy says about exactly the arguments that would run."""
    key = SessionKey.parse(context.session.session_id)
    policy = context.policy
    subject = Subject(
        tool=parsed.tool.name,
        risk=parsed.tool.risk,
        is_builtin=not parsed.tool.origin,
        is_accepted_read=parsed.tool.is_accepted_read,
        arguments=JSON_OBJECT.validate_json(parsed.canonical),
        origin=parsed.tool.origin,
        person=run.requester,
        groups=await context.directory.groups_of(run.requester) if policy.names_groups else frozenset(),
        channel=key.channel,
        workspace=key.team,
    )
    return narrowed(context, parsed, policy.judge(subject))


def forbidden(context: AgentContext, run: RunState, call: CallState, verdict: Verdict) -> Refused:
    """Policy says no; nobody is asked."""
    text = f"Policy ({verdict.rule}) does not allow this call. It did not run; find another way or say so."
    digest = call_digest(
        session_id=context.session.session_id,
        tool=call.call.tool,
        definition="",
        arguments=call.call.arguments,
        binding={},
        approval_id="",
    )
    noted = CallForbidden(
        run_id=run.run_id, call_id=call.call.call_id, tool=call.call.tool, rule=verdict.rule, digest=digest
    )
    return replace(refused(run, call, CallStatus.DENIED, text, brief="not allowed"), forbidden=noted)


def is_unchanged(context: AgentContext, approved: Covered | None, prepared: PreparedCall) -> bool:
    """Whether a call that was shown before its turn would still do exactly what was shown."""
    if approved is None:
        return False
    return approved.binding == prepared.binding and approved.body == context.redact(prepared.preview.body)


def on_grant(
    context: AgentContext, run: RunState, call: CallState, prepared: PreparedCall, grant: GrantState
) -> GrantUsed:
    """That a call runs on an allowance, for the record."""
    digest = call_digest(
        session_id=context.session.session_id,
        tool=call.call.tool,
        definition=grant.given.definition,
        arguments=call.call.arguments,
        binding=prepared.binding,
        approval_id=grant.given.approval_id,
    )
    grant_id = grant.given.grant_id
    return GrantUsed(run_id=run.run_id, call_id=call.call.call_id, grant_id=grant_id, digest=digest)


async def asked(
    context: AgentContext, run: RunState, call: CallState, parsed: Parsed, prepared: PreparedCall, verdict: Verdict
) -> Move:
    """A card, unless nobody could read it or people had too many of them."""
    if len(prepared.preview.body) > SHOWN_IN_FULL:
        text = (
            f"This call needs approval, but with {len(prepared.preview.body):,} characters it is too large to be shown "
            f"to a person in full (at most {SHOWN_IN_FULL:,}). It did not run. Split it into smaller calls."
        )
        return refused(run, call, CallStatus.ERROR, text, brief="too large to be approved")
    if is_flood(context):
        return TooManyCards()
    requested = await approval_request(context, run, call, parsed, prepared, verdict)
    return NeedsApproval(requested=requested, verdict=verdict)


async def joined(
    context: AgentContext, run: RunState, first: NeedsApproval, rest: Sequence[CallState], plan: Plan | None
) -> ApprovalRequested:
    """The card with the calls right after the first that ask the same people on the same terms.

    They are shown as they would act now. When the turn of one comes, it is prepared again and runs only if that gives
    the same; so a call that an earlier one changes is asked for anew.
    """
    requested, room = first.requested, SHOWN_IN_FULL - len(first.requested.body)
    also: list[CoveredCall] = []
    barred = requested.barred
    for call in rest[: CALLS_ON_CARD - 1]:
        part = await joining(context, run, first, call, plan)
        if part is None or len(part.body) > room:
            break
        room -= len(part.body)
        also.append(part)
        if first.verdict.four_eyes and call.edited_by and call.edited_by not in barred:
            barred = (*barred, call.edited_by)
    return requested.model_copy(update={"also": tuple(also), "barred": barred}) if also else requested


async def joining(
    context: AgentContext, run: RunState, first: NeedsApproval, call: CallState, plan: Plan | None
) -> CoveredCall | None:
    """A later call as a part of the card; None where it does not belong there."""
    if call.call.problem or call.attempt or not is_unasked(run, call):
        return None
    try:
        parsed = context.tools.parse(call.call.tool, call.call.arguments)
    except ToolInputError:
        return None
    verdict = await judged(context, run, parsed)
    is_asked = verdict.kind is VerdictKind.ASK and live_grant(context, parsed, verdict) is None
    if not is_asked or not is_same_card(first.verdict, verdict):
        return None
    prepared = await prepare(parsed, tool_context(context, run, call, parsed, plan))
    if isinstance(prepared, Failure):
        return None
    return part_of(context, call.call.call_id, parsed, prepared, verdict, first.requested.approval_id)


def is_unasked(run: RunState, call: CallState) -> bool:
    """Whether nobody has given a verdict on a call: it was never shown, or its card was withdrawn."""
    before = run.approvals.get(call.approval_id)
    return before is None or before.voided is not None or before.edited is not None


def refused(run: RunState, call: CallState, status: CallStatus, output: str, *, brief: str) -> Refused:
    """An observation in place of a result."""
    finished = CallFinished(run_id=run.run_id, call_id=call.call.call_id, status=status, output=output, brief=brief)
    return Refused(finished=finished)


def cleared(call: CallState, parsed: Parsed, where: ToolContext) -> Cleared:
    """The call with its intent."""
    started = CallStarted(
        run_id=where.run_id, call_id=where.call_id, effect=parsed.tool.effect.value, attempt=call.attempt + 1
    )
    return Cleared(started=started, parsed=parsed, tool_context=where, used_approval=call.approval_id)


def after_interruption(context: AgentContext, run: RunState, call: CallState, effect: Effect) -> Move | None:
    """What to do instead of repeating a call that was begun; None where it may be repeated."""
    if effect is not Effect.AT_MOST_ONCE:
        if call.attempt < MAX_ATTEMPTS:
            return None
        text = f"This call was begun {call.attempt} times and interrupted each time. It was not tried again."
        return refused(run, call, CallStatus.UNKNOWN, text, brief="interrupted")
    question = run.questions.get(lost_call_question_id(call.call.call_id, call.attempt))
    return NeedsWord(asked=lost_call_question(context, run, call)) if question is None else None
