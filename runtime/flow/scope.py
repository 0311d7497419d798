"""One step of a flow as its executor sees it: a memory of its own, and an end that has to be proved."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from runtime.agent.context import AgentContext
from runtime.agent.ending import Checked
from runtime.agent.judge import Judgement, judged, product_judged
from runtime.agent.verify import NO_WORK, RAN, Proposal, file_checks, size_of, told, unproven
from runtime.flow.product import says_something
from runtime.session.events import AnyEvent, CallStatus, RunOutcome
from runtime.session.messages import serialised
from runtime.session.mind_events import AnswerChecked, Check, FlowStep, FlowStepEnded
from runtime.session.state import CallState, RunState
from runtime.session.usage import Usage
from tools.plan import StepStatus
from tools.text import cap
from tools.workspace import Workspace

SENT_BACK = 2
"""How often the end of a step goes back at most."""
SUMMARY_CHARS = 3_000
REASON_CHARS = 600


@dataclass(frozen=True, slots=True)
class FlowScope:
    """Implements `runtime.agent.scope.Scope`."""

    def mark(self, run: RunState) -> int:
        """Where the step's memory begins."""
        return run.flow.mark if run.flow is not None else 0

    async def checked(self, context: AgentContext, run: RunState, proposal: Proposal, *, by_call: bool) -> Checked:
        """Completed needs its criterion checked; words alone complete nothing."""
        step = run.flow.step if run.flow is not None else None
        if step is None or not proposal.succeeded:
            return Checked()
        checks = list(by_rules(run, step, proposal, context.workspace))
        usage, micros = Usage(), 0
        notes: Sequence[AnyEvent] = ()
        if is_for_a_judge(step, proposal) and all(check.passed for check in checks):
            verdict = await judgement(context, run, step, proposal)
            checks.append(Check(name="judge", passed=verdict.met, evidence=verdict.why))
            usage, micros, notes = verdict.usage, verdict.micros, verdict.notes
        passed = all(check.passed for check in checks)
        back = not passed and len(failures(run, step)) < SENT_BACK
        words = told(checks) if back else ""
        event = AnswerChecked(
            run_id=run.run_id,
            attempt=len(run.checks) + 1,
            passed=passed,
            checks=tuple(checks),
            by="model" if usage.total else "rules",
            about=step.id,
            message=serialised({"role": "user", "content": words}) if back and not by_call else "",
            usage=usage,
            micros=micros,
        )
        return Checked(events=[event, *notes], goes_back=back, words=words, detail=unproven(checks))

    def ended(self, run: RunState, outcome: RunOutcome, *, answer: str, detail: str) -> Sequence[AnyEvent]:
        """The step's end, whatever it came to."""
        if run.flow is None:
            return ()
        done = outcome is RunOutcome.ANSWERED and not detail.startswith("unproven")
        obstacle = "" if done else obstacle_of(run)
        status = StepStatus.COMPLETED if done else StepStatus.BLOCKED if obstacle else StepStatus.FAILED
        reason = "" if done else "; ".join(filter(None, (obstacle, detail or answer or outcome.value)))
        ended = FlowStepEnded(
            run_id=run.run_id,
            step_id=run.flow.current,
            status=status,
            summary=cap(answer, SUMMARY_CHARS),
            reason=cap(reason, REASON_CHARS),
        )
        return (ended,)


def is_for_a_judge(step: FlowStep, proposal: Proposal) -> bool:
    """Whether rules alone cannot tell that the step is done."""
    return step.check == "judge" or (step.check == "answer" and is_product(step, proposal) is None)


def is_product(step: FlowStep, proposal: Proposal) -> bool | None:
    """Whether the answer is the step's product and no mere claim; None where rules cannot tell."""
    return says_something(proposal.answer, f"{step.title} {step.criterion}")


async def judgement(context: AgentContext, run: RunState, step: FlowStep, proposal: Proposal) -> Judgement:
    """The verdict on the records, or on the text where that is the product."""
    criterion = step.criterion or step.title
    if step.check == "answer":
        return await product_judged(context, run, criterion=criterion, answer=proposal.answer)
    return await judged(context, run, deeds_in_step(run), criterion=criterion, answer=proposal.answer)


def by_rules(run: RunState, step: FlowStep, proposal: Proposal, workspace: Workspace) -> Iterator[Check]:
    """What can be checked without a model."""
    deeds = deeds_in_step(run)
    worked = [call for call in deeds if call.result is not None and call.result.status is CallStatus.OK]
    if step.check == "answer":
        only_claims = is_product(step, proposal) is False
        evidence = "the answer only says that it is done" if only_claims else "the answer says more than that"
        yield Check(name="criterion", passed=not only_claims, evidence=evidence)
    else:
        yield Check(name="work", passed=bool(worked), evidence=f"{len(worked)} calls in this step did something")
    if step.check.startswith("file:"):
        path = step.check.removeprefix("file:").strip()
        size = size_of(path, workspace)
        there = "is not in the workspace" if size is None else f"has {size} bytes"
        yield Check(name="criterion", passed=bool(size), evidence=f"{path} {there}")
    elif step.check == "exit":
        yield exit_criterion(deeds)
    yield from file_checks(proposal.answer, workspace)


def exit_criterion(deeds: Sequence[CallState]) -> Check:
    """The step's last program has to have worked."""
    ran = [call.result for call in deeds if call.call.tool in RAN and call.result is not None]
    if not ran:
        return Check(name="criterion", passed=False, evidence="no program was run in this step")
    worked = ran[-1].status is CallStatus.OK and ran[-1].exit_code in {0, None}
    return Check(name="criterion", passed=worked, evidence=f"the last program: {ran[-1].brief or ran[-1].status.value}")


def deeds_in_step(run: RunState) -> list[CallState]:
    """The calls of the step under way that were no mere words."""
    began = run.flow.began_at_step if run.flow is not None else 0
    ids = [call_id for step in run.steps if step.number > began for call_id in step.call_ids]
    return [
        run.calls[call_id] for call_id in ids if call_id in run.calls and run.calls[call_id].call.tool not in NO_WORK
    ]


def obstacle_of(run: RunState) -> str:
    """What people or rules kept the step from: a call that was not allowed, a question nobody answered; else empty."""
    denied = [
        call.call.tool
        for call in deeds_in_step(run)
        if call.result is not None and call.result.status is CallStatus.DENIED
    ]
    if denied:
        return f"{denied[-1]} was not allowed"
    began = run.flow.began_seq if run.flow is not None else 0
    asked = [known for known in run.questions.values() if known.seq > began and known.answered is not None]
    expired = any(known.answered is not None and known.answered.how == "expired" for known in asked)
    return "a question was not answered in time" if expired else ""


def failures(run: RunState, step: FlowStep) -> list[AnswerChecked]:
    """Earlier ends of this attempt at the step that were not taken."""
    began = run.flow.began_seq if run.flow is not None else 0
    since = [known.checked for known in run.checks if known.seq > began]
    return [checked for checked in since if checked.about == step.id and not checked.passed]
