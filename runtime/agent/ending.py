"""A proposed end, checked by rules and, where a profile is set for it, by a model: whether it stands."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from runtime.agent.claims import claims_work
from runtime.agent.context import AgentContext
from runtime.agent.judge import judged
from runtime.agent.verify import NO_WORK, Proposal, checks_of, goes_back, told, unproven, verdict
from runtime.llm.printed import unread_call
from runtime.session.events import AnyEvent, CallFinished
from runtime.session.mind_events import Check
from runtime.session.state import CallState, RunState
from runtime.session.usage import Usage
from tools.plan import Plan

RUNS_SEARCHED = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What came of the checks."""

    events: Sequence[AnyEvent] = ()
    goes_back: bool = False
    """The model hears of it, and the run goes on."""
    words: str = ""
    """What it hears."""
    detail: str = ""
    """What the run's end says of what stays unproven."""


async def checked_end(
    context: AgentContext, run: RunState, proposal: Proposal, memory: Sequence[str], *, by_call: bool
) -> Checked:
    """Check a proposed end.

    Args:
        context: what the agent works with.
        run: the run that would end.
        proposal: how.
        memory: what was said.
        by_call: it was proposed by a call, whose result then says what speaks against it.
    """
    checks = (*checks_of(run, proposal, context.workspace, memory), *call_check(context, proposal))
    by, usage, micros = "rules", Usage(), 0
    notes: Sequence[AnyEvent] = ()
    deeds = [call for call in run.calls.values() if call.call.tool not in NO_WORK]
    is_judged = context.verifier is not None and proposal.succeeded and (bool(deeds) or claims_work(proposal.answer))
    if is_judged and all(check.passed for check in checks):
        proof = deeds or earlier_deeds(context, run)
        judgement = await judged(context, run, proof, criterion=criterion_of(memory), answer=proposal.answer)
        by, usage, micros, notes = "model", judgement.usage, judgement.micros, judgement.notes
        checks = (*checks, Check(name="judge", passed=judgement.met, evidence=judgement.why))
    if not checks:
        return Checked()
    event = verdict(run, checks, by_call=by_call)
    event = event.model_copy(update={"by": by, "usage": usage, "micros": micros})
    back = goes_back(run, checks)
    words = told(checks) if back else ""
    return Checked(events=[event, *notes], goes_back=back, words=words, detail=unproven(checks))


def call_check(context: AgentContext, proposal: Proposal) -> Iterator[Check]:
    """An answer that is a call in a form nobody reads: the model makes it properly, or the person learns of it."""
    tool = unread_call(proposal.answer, context.tools.names) if proposal.succeeded else ""
    if tool:
        evidence = (
            f"this answer holds a call of {tool} that was not made: its form is not understood, so nothing was run"
        )
        yield Check(name="work", passed=False, evidence=evidence)


def criterion_of(memory: Sequence[str]) -> str:
    """What a whole run has to fulfil: what the person asked for."""
    asked = [message for message in memory if message.startswith('{"role":"user"')]
    return f"The answer does what was asked here, and every fact in it stands in the records: {' '.join(asked)[:4_000]}"


def deeds_of(run: RunState, call_ids: Sequence[str]) -> list[CallState]:
    """The calls among these that did something."""
    calls = [run.calls[call_id] for call_id in call_ids if call_id in run.calls]
    return [call for call in calls if call.call.tool not in NO_WORK]


def earlier_deeds(context: AgentContext, run: RunState) -> list[CallState]:
    """What the thread's newest runs before this one did, of which a later answer may speak."""
    runs = [known for known in context.session.latest.runs if known.run_id != run.run_id][-RUNS_SEARCHED:]
    return [call for known in runs for call in known.calls.values() if call.call.tool not in NO_WORK]


def newest_plan(events: Sequence[AnyEvent], plan: Plan | None) -> Plan | None:
    """The plan after events that are not folded yet."""
    plans = [event.plan for event in events if isinstance(event, CallFinished) and event.plan is not None]
    return plans[-1] if plans else plan
