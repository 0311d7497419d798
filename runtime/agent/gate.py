"""What may happen to a call now: a sum type that the agent acts on. Nothing here has effects.

Order of the questions: was it readable, does policy forbid it, was it begun before a crash, was it approved, may it
run without asking. Only what comes out `Cleared` is ever run.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta

from pydantic import JsonValue

from runtime.agent.asking import lost_call_question
from runtime.agent.context import AgentContext
from runtime.agent.execution import Failure, prepare, tool_context
from runtime.policy.digest import call_digest
from runtime.policy.engine import Subject, Verdict, VerdictKind
from runtime.session.events import ApprovalRequested, CallFinished, CallStarted, CallStatus, QuestionAsked
from runtime.session.interrupted import lost_call_question_id
from runtime.session.state import CallState, RunState
from tools.base import Effect, PreparedCall
from tools.collection import Parsed
from tools.context import ToolContext
from tools.errors import ToolInputError
from tools.plan import Plan

MAX_ATTEMPTS = 3
MILLISECOND = timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """The call gets this observation and does not run."""

    finished: CallFinished


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedsApproval:
    """A person decides first."""

    requested: ApprovalRequested


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleared:
    """The call may run, once its intent is journalled."""

    started: CallStarted
    parsed: Parsed
    tool_context: ToolContext
    """With what `prepare` bound to the call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedsWord:
    """The call was begun before a crash; a person says what came of it."""

    asked: QuestionAsked


Move = Refused | NeedsApproval | NeedsWord | Cleared


async def next_move(context: AgentContext, run: RunState, call: CallState, plan: Plan | None) -> Move:
    """What to do with a call that has no result yet.

    Args:
        context: what the agent works with.
        run: the run it belongs to.
        call: the call and how far it got.
        plan: the plan as it stands, results not yet committed included.
    """
    proposed = call.call
    if proposed.problem:
        return refused(run, call, CallStatus.ERROR, proposed.problem, brief="could not run")
    try:
        parsed = context.tools.parse(proposed.tool, proposed.arguments)
    except ToolInputError as error:
        return refused(run, call, CallStatus.ERROR, str(error), brief="could not run")
    tool = parsed.tool
    verdict = context.policy.judge(Subject(tool=tool.name, risk=tool.risk, is_builtin=not tool.origin))
    if verdict.kind is VerdictKind.DENY:
        text = f"Policy ({verdict.rule}) does not allow this call. It did not run; find another way or say so."
        return refused(run, call, CallStatus.DENIED, text, brief="not allowed")
    if call.attempt and (held := after_interruption(context, run, call, tool.effect)):
        return held
    where = tool_context(context, run, proposed.call_id, parsed, plan)
    binding = approved_binding(context, run, call, tool.effect)
    if binding is not None:
        return cleared(call, parsed, replace(where, binding=binding))
    prepared = await prepare(parsed, where)
    if isinstance(prepared, Failure):
        return refused(run, call, CallStatus.ERROR, prepared.text, brief="could not run")
    if verdict.kind is VerdictKind.ALLOW:
        return cleared(call, parsed, replace(where, binding=prepared.binding))
    return NeedsApproval(requested=approval_request(context, run, parsed, where, prepared, verdict))


def refused(run: RunState, call: CallState, status: CallStatus, output: str, *, brief: str) -> Refused:
    """An observation in place of a result."""
    finished = CallFinished(run_id=run.run_id, call_id=call.call.call_id, status=status, output=output, brief=brief)
    return Refused(finished=finished)


def cleared(call: CallState, parsed: Parsed, where: ToolContext) -> Cleared:
    """The call with its intent."""
    started = CallStarted(
        run_id=where.run_id, call_id=where.call_id, effect=parsed.tool.effect.value, attempt=call.attempt + 1
    )
    return Cleared(started=started, parsed=parsed, tool_context=where)


def after_interruption(context: AgentContext, run: RunState, call: CallState, effect: Effect) -> Move | None:
    """What to do instead of repeating a call that was begun; None where it may be repeated."""
    if effect is not Effect.AT_MOST_ONCE:
        if call.attempt < MAX_ATTEMPTS:
            return None
        text = f"This call was begun {call.attempt} times and interrupted each time. It was not tried again."
        return refused(run, call, CallStatus.UNKNOWN, text, brief="interrupted")
    question = run.questions.get(lost_call_question_id(call.call.call_id, call.attempt))
    return NeedsWord(asked=lost_call_question(context, run, call)) if question is None else None


def approved_binding(
    context: AgentContext, run: RunState, call: CallState, effect: Effect
) -> Mapping[str, JsonValue] | None:
    """What was bound to the call when it was approved; None where it was not, or is no longer exactly that call."""
    approval = run.approvals.get(call.approval_id)
    if approval is None or approval.decided is None or approval.decided.verdict != "approved":
        return None
    if effect is Effect.AT_MOST_ONCE and call.used_approval == call.approval_id:
        return None  # It was used up by an attempt that was interrupted.
    requested = approval.requested
    digest = call_digest(
        session_id=context.session.session_id,
        tool=call.call.tool,
        definition=context.tools.definition_hash(call.call.tool),
        arguments=call.call.arguments,
        binding=requested.binding,
        approval_id=requested.approval_id,
    )
    return requested.binding if secrets.compare_digest(digest, requested.digest) else None


def approval_request(
    context: AgentContext, run: RunState, parsed: Parsed, where: ToolContext, prepared: PreparedCall, verdict: Verdict
) -> ApprovalRequested:
    """The request, bound to the exact bytes that would run."""
    approval_id = secrets.token_urlsafe(18)
    arguments = parsed.canonical.decode()
    name = parsed.tool.name
    digest = call_digest(
        session_id=context.session.session_id,
        tool=name,
        definition=context.tools.definition_hash(name),
        arguments=arguments,
        binding=prepared.binding,
        approval_id=approval_id,
    )
    now_ms = context.session.lease.now_ms()
    preview = prepared.preview
    return ApprovalRequested(
        run_id=run.run_id,
        approval_id=approval_id,
        call_id=where.call_id,
        tool=name,
        arguments=arguments,
        binding=prepared.binding,
        digest=digest,
        title=context.redact(preview.title),
        body=context.redact(preview.body),
        language=preview.language,
        notes=tuple(context.redact(note) for note in preview.notes),
        reason=verdict.reason.value,
        approvers=verdict.approvers,
        quorum=verdict.quorum,
        expires_at_ms=now_ms + verdict.expires // MILLISECOND,
        remind_at_ms=now_ms + context.settings.timeouts.reminder // MILLISECOND,
    )
