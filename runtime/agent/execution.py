"""The tool-call boundary: the only place of the runtime that catches whatever a tool may raise.

Above: the agent, which gets events. Below: tools, which may be anyone's code. A tool's own complaint goes to the
model; an unexpected error goes to the operator's log under a reference, and only the reference to the model.
"""

import asyncio
import logging
import secrets
import time
from collections.abc import Awaitable
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar

from runtime.agent.context import AgentContext
from runtime.agent.meanwhile import asker
from runtime.memory.excerpt import excerpt
from runtime.memory.records import JournalRecords
from runtime.session.events import CallFinished, CallStatus
from runtime.session.state import CallState, RunState
from tools.base import FinishProposed, PersonAsked, PreparedCall, ToolInputError, ToolRefused, ToolResult
from tools.collection import Parsed
from tools.context import ToolContext
from tools.patience import Patience
from tools.plan import Plan
from tools.sandbox.port import SandboxUnavailable
from tools.text import cap, storable

logger = logging.getLogger(__name__)

GRACE = timedelta(seconds=5)
"""A tool ends by its own timeout first, with what it has; the runtime cancels it this much later, at most."""
MAX_OUTPUT_CHARS = 200_000
BRIEF_CHARS = 200

T = TypeVar("T")
Outcome = CallFinished | PersonAsked | FinishProposed


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """What went wrong, in words for the model."""

    text: str


async def guarded(work: Awaitable[T], *, limit: timedelta, patience: Patience, what: str) -> T | Failure:
    """Await a tool's work within a time; cancellation from above passes through."""
    deadline: asyncio.Timeout | None = None
    try:
        async with patience.bound(limit) as deadline:
            return await work
    except (ToolInputError, ToolRefused, SandboxUnavailable) as error:
        return Failure(text=str(error))
    except Exception as error:
        if deadline is not None and deadline.expired():
            return Failure(
                text=f"The call was ended after {limit.total_seconds():g} s without a result (timeouts.tool in "
                "handrail.toml). Try something smaller, or do without it."
            )
        reference = secrets.token_hex(4)
        logger.exception("tool call failed, reference %s: %s", reference, what)
        return Failure(text=f"The tool failed with an internal {type(error).__name__} (reference {reference}).")


def tool_context(
    context: AgentContext, run: RunState, call: CallState, parsed: Parsed, plan: Plan | None
) -> ToolContext:
    """What the call may use."""
    call_id = call.call.call_id
    reading = context.conversations
    return ToolContext(
        session_id=context.session.session_id,
        run_id=run.run_id,
        call_id=call_id,
        workspace=context.workspace,
        sandbox=context.sandbox,
        timeout=call_timeout(context, parsed),
        patience=context.patience,
        ask=asker(context, run, call_id, call.attempt + 1),
        plan=plan,
        records=JournalRecords(
            store=context.session.store, session_id=context.session.session_id, written=context.session.written
        ),
        conversations=reading(context.session.session_id, run.requester) if reading else None,
    )


def call_timeout(context: AgentContext, parsed: Parsed) -> timedelta:
    """The usual timeout, or what the call asks for by a `timeout` in seconds, up to the greatest allowed."""
    timeouts = context.settings.timeouts
    # By the dictionary: a model's own look-up is slow where there is no such field.
    asked: object = parsed.params.__dict__.get("timeout")
    if isinstance(asked, int | float) and asked > 0:
        return min(timedelta(seconds=asked), timeouts.tool_max)
    return timeouts.tool


async def prepare(parsed: Parsed, tool_context: ToolContext) -> PreparedCall | Failure:
    """What the call would do, for the person who decides."""
    work = parsed.tool.prepare(parsed.params, tool_context)
    what = f"{parsed.tool.name}.prepare {tool_context.call_id}"
    return await guarded(work, limit=tool_context.timeout, patience=tool_context.patience, what=what)


async def execute(context: AgentContext, parsed: Parsed, tool_context: ToolContext) -> Outcome:
    """Run the call: its result as an event, or the question or end that it stands for."""
    started, patience = time.monotonic(), tool_context.patience
    waited = patience.waited
    work = parsed.tool.run(parsed.params, tool_context)
    what = f"{parsed.tool.name} {tool_context.call_id}"
    limit = tool_context.timeout + min(GRACE, tool_context.timeout)
    outcome = await guarded(work, limit=limit, patience=patience, what=what)
    if isinstance(outcome, Failure):
        outcome = ToolResult(output=outcome.text, is_error=True)
    if not isinstance(outcome, ToolResult):
        return outcome
    worked = timedelta(seconds=time.monotonic() - started) - (patience.waited - waited)
    elapsed_ms = max(0, round(worked / timedelta(milliseconds=1)))
    finished = observed(context, tool_context, outcome, elapsed_ms)
    shown = excerpt(finished.output, tool_context.call_id, parsed.tool.shown_chars)
    return finished.model_copy(update={"shown": shown}) if shown else finished


def observed(context: AgentContext, where: ToolContext, result: ToolResult, elapsed_ms: int) -> CallFinished:
    """A tool's result as the journal keeps it: without secrets, bounded, in valid Unicode."""
    output = context.redact(storable(result.output))
    brief = context.redact(storable(result.brief)) or next((line for line in output.splitlines() if line.strip()), "")
    return CallFinished(
        run_id=where.run_id,
        call_id=where.call_id,
        status=CallStatus.ERROR if result.is_error else CallStatus.OK,
        output=cap(output, MAX_OUTPUT_CHARS),
        brief=brief.strip()[:BRIEF_CHARS],
        exit_code=result.exit_code,
        files=result.files,
        images=result.images,
        plan=result.plan,
        elapsed_ms=elapsed_ms,
    )
