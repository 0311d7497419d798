"""A flow: a plan whose steps are done one after the other by the agents they are for, each proved before it counts.

Everything is folded from the journal, so a flow goes on in the middle of a step after a crash. What to do next
follows from the folded state alone: plan, work on the step under way, begin the next one, plan anew, or end.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import ClassVar

from runtime.agent.asking import plan_question
from runtime.agent.context import AgentContext
from runtime.agent.spending import Paid, paid_reply
from runtime.agent.toolcall import ToolCallAgent
from runtime.budget.values import Refused
from runtime.flow.executors import executor_of, kinds_of
from runtime.flow.planner import TRIES, Planned, PlanUnreadable, heard, plan_request, read_plan
from runtime.flow.scope import FlowScope
from runtime.llm.errors import ModelError
from runtime.llm.port import ModelRequest
from runtime.llm.tokens import BYTES_PER_TOKEN
from runtime.memory.people import said_in
from runtime.session.events import RunFinished, RunOutcome
from runtime.session.limit_events import RunNoted
from runtime.session.messages import serialised
from runtime.session.mind_events import FlowPlanned, FlowStep, FlowStepEnded, FlowStepStarted
from runtime.session.mind_state import FlowState
from runtime.session.plan_intake import waits_for_plan
from runtime.session.state import RunState
from runtime.session.usage import Usage, added
from tools.plan import StepStatus
from tools.text import cap

REPLANS = 2
"""How often a flow is planned anew because of a failure."""
OVERTAKEN = 3
"""How often a plan is asked for anew because a person changed the one before meanwhile."""
EDITED = "a person changed the plan meanwhile. It stands above as it is now; keep what they made of it"
PASSED_ON_CHARS = 1_200
HEARD_SHARE = 4
"""What people said may take a fourth of what the model reads at once."""
BAD = frozenset({StepStatus.FAILED, StepStatus.BLOCKED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Drafted:
    """What came of asking for a plan, and what that cost."""

    planned: Planned | None = None
    """None: no reply could be read."""
    mark: int = 0
    """Index in the session's memory of the newest message that the planner was shown."""
    usage: Usage = field(default_factory=Usage)
    micros: int = 0
    elapsed_ms: int = 0
    notes: tuple[RunNoted, ...] = ()

    def with_cost(self, paid: Paid) -> "Drafted":
        """The same with what one more reply cost."""
        return replace(
            self,
            usage=added(self.usage, paid.reply.usage),
            micros=self.micros + paid.micros,
            elapsed_ms=self.elapsed_ms + paid.elapsed_ms,
            notes=(*self.notes, *paid.notes_beside),
        )


class PlanningFlow(ToolCallAgent):
    """Plans, then lets each step be done by the agent it is for."""

    name: ClassVar[str] = "planning"

    def system_prompt(self, run: RunState) -> str:
        """A flow never asks the model in its own name."""
        return ""

    def __init__(self, context: AgentContext) -> None:
        """Take up the session's active run."""
        super().__init__(context)
        self.at_work: tuple[int, ToolCallAgent] | None = None
        """Who does the step that began there, kept so that it notices tools that come and go."""

    async def step(self) -> None:
        """Bring the flow one step further."""
        run = self.current
        if run.flow is None:
            await self.plan_anew(reason="")
        elif run.flow.current:
            await self.work(run, run.flow)
        elif waits_for_plan(run):
            await self.ask_for_start(run, run.flow)
        else:
            await self.go_on(run, run.flow)

    async def work(self, run: RunState, flow: FlowState) -> None:
        """One step of the step's executor, within the step's own budget."""
        step = flow.step
        assert step is not None
        if not run.unresolved and run.spent.steps - flow.began_at_step >= step.max_steps:
            await self.commit(ended(run, step, StepStatus.FAILED, f"it used up its {step.max_steps} requests"))
            return
        if self.at_work is None or self.at_work[0] != flow.began_seq:
            present = self.context.present_tools
            context = replace(self.context, tools=present()) if present is not None else self.context
            self.at_work = flow.began_seq, executor_of(step.kind)(context, scope=FlowScope())
        await self.at_work[1].step()

    async def go_on(self, run: RunState, flow: FlowState) -> None:
        """What comes after a step: another plan, the next step, or the end."""
        spoken = said_in(self.context.session.latest.memory[flow.mark + 1 :])
        if spoken:
            await self.plan_anew(reason=f"the person says: {spoken[-1]}", by=run.requester)
            return
        failed = [step for step in flow.steps if flow.status(step.id) in BAD]
        if failed and flow.revision <= REPLANS:
            await self.plan_anew(reason="; ".join(f"{step.title}: {why(flow, step)}" for step in failed))
            return
        ready = next((step for step in flow.steps if is_ready(flow, step)), None)
        if ready is not None:
            await self.commit(self.started(run, flow, ready))
            return
        left = [step for step in flow.steps if flow.status(step.id).is_open]
        skipped = [ended(run, step, StepStatus.SKIPPED, "a step that it needs was not completed") for step in left]
        await self.commit(*skipped, self.last_word(flow, left))

    async def ask_for_start(self, run: RunState, flow: FlowState) -> None:
        """Let a person approve the plan; what they say instead makes another one."""
        spoken = said_in(self.context.session.latest.memory[flow.mark + 1 :])
        if spoken:
            await self.plan_anew(reason=f"the person says: {spoken[-1]}", by=run.requester)
        else:
            asked = plan_question(self.context, run, f"{run.run_id}.plan{self.context.session.latest.seq}")
            await self.commit(asked)

    async def plan_anew(self, *, reason: str, by: str = "") -> None:
        """Make another plan; where the planner gives none, the whole task is one step."""
        drafted = await self.drafted(reason)
        if drafted is None:
            return
        run, planned = self.current, drafted.planned
        if planned is None and run.flow is not None:
            if not said_in(self.context.session.latest.memory[drafted.mark + 1 :]):
                await self.commit(*drafted.notes, self.gave_up(run.flow))
                return
            # It stays as it is for now: the planner is asked again with what was said.
            planned = Planned(title=run.flow.title, steps=run.flow.steps)
        made = planned or Planned(title="Plan", steps=(FlowStep(id="s1", title="Do what was asked", check="judge"),))
        event = FlowPlanned(
            run_id=run.run_id,
            # What a person wants changed does not count as a failure.
            revision=(run.flow.revision if run.flow else 0) + (0 if by else 1),
            title=made.title,
            steps=made.steps,
            reason=reason,
            by=by,
            mark=drafted.mark,
            usage=drafted.usage,
            micros=drafted.micros,
            elapsed_ms=drafted.elapsed_ms,
        )
        await self.commit(event, *drafted.notes)

    async def drafted(self, reason: str) -> Drafted | None:
        """Ask the planner; a reply that is no plan is told so once, and one that a person's edit overtook is asked
        for anew. None where it did not answer, which is told already.
        """
        draft: Drafted = Drafted()
        problem, number, edits = "", 0, 0
        while draft.planned is None and number < TRIES:
            run = self.current
            draft = replace(draft, mark=len(self.context.session.latest.memory) - 1)
            request_of = partial(self.planning_request, run, reason, problem, number)
            try:
                paid = await paid_reply(self.context, run, request_of, model=self.context.planner)
            except ModelError as error:
                await self.without_reply(error)
                return None
            if isinstance(paid, Refused):
                await self.refused(paid)
                return None
            draft = draft.with_cost(paid)
            if edits < OVERTAKEN and steps_of(self.current) != steps_of(run):
                edits, problem = edits + 1, EDITED
                continue
            try:
                draft = replace(draft, planned=read_plan(paid.reply.text, tuple(kinds_of(self.context))))
            except PlanUnreadable as error:
                number, problem = number + 1, str(error)
        return draft

    def planning_request(self, run: RunState, reason: str, problem: str, number: int, share: float) -> ModelRequest:
        """The request for a plan, with what people asked for; less of it after the model found it too long."""
        state, model = self.context.session.latest, self.context.planner or self.context.model
        return plan_request(
            run,
            heard(said_in(state.memory), room_for_words(model.traits.context_window), share),
            kinds_of(self.context),
            reason=reason,
            problem=problem,
            step_id=f"{state.session_id}.{run.run_id}.plan{state.seq}.{number}",
        )

    def started(self, run: RunState, flow: FlowState, step: FlowStep) -> FlowStepStarted:
        """The step with everything its executor has to know."""
        asked = said_in(self.context.session.latest.memory)
        room = room_for_words(self.context.settings.model.context_window)
        lines = [
            f"You do one step of a larger plan ({flow.title}): {step.title}",
            f"It is done when: {step.criterion or step.title}. Only tool results count as proof.",
            "Do this step only, then answer with its result in a few sentences.",
            "If it cannot be done, call terminate with failure and the reason.",
            "",
            "What people asked for, as a whole:",
            *heard(asked, room),
        ]
        done = [known for known in flow.steps if known.id in flow.ended and known.id != step.id]
        if done:
            lines += ["", "What the steps before came to:"]
            lines += [f"- {known.title}: {cap(flow.ended[known.id].summary, PASSED_ON_CHARS)}" for known in done]
        brief = serialised({"role": "user", "content": "\n".join(lines)})
        return FlowStepStarted(run_id=run.run_id, step_id=step.id, brief=brief)

    def last_word(self, flow: FlowState, skipped: Sequence[FlowStep]) -> RunFinished:
        """The end: success only where every step was proved."""
        undone = [step for step in flow.steps if flow.status(step.id) is not StepStatus.COMPLETED]
        done = [flow.ended[step.id].summary for step in flow.steps if step not in undone and step.id in flow.ended]
        if not undone:
            return self.finished(RunOutcome.ANSWERED, answer=done[-1] if done else flow.title)
        lines = [f"- {step.title}: {'skipped' if step in skipped else why(flow, step)}" for step in undone]
        found = ["", "Done so far:", *done] if done else []
        return self.finished(RunOutcome.FAILED, answer="\n".join(["Not done:", *lines, *found]), detail="flow")

    def gave_up(self, flow: FlowState) -> RunFinished:
        """No other plan could be made."""
        return self.last_word(flow, [step for step in flow.steps if flow.status(step.id).is_open])


def room_for_words(context_window: int) -> int:
    """How many characters of what people said a model with that window is told at once."""
    return context_window * BYTES_PER_TOKEN // HEARD_SHARE


def steps_of(run: RunState) -> tuple[FlowStep, ...]:
    """The steps of the run's flow; none while it has none."""
    return run.flow.steps if run.flow is not None else ()


def is_ready(flow: FlowState, step: FlowStep) -> bool:
    """Whether the step is open and everything it needs is done."""
    return flow.status(step.id).is_open and all(flow.status(need) is StepStatus.COMPLETED for need in step.after)


def why(flow: FlowState, step: FlowStep) -> str:
    """Why a step is not completed."""
    known = flow.ended.get(step.id)
    return known.reason if known else flow.status(step.id).value


def ended(run: RunState, step: FlowStep, status: StepStatus, reason: str) -> FlowStepEnded:
    """The end of a step that did not come to its own end."""
    return FlowStepEnded(run_id=run.run_id, step_id=step.id, status=status, summary="", reason=reason)
