"""The life of a run: steps until it is answered, waits for a person, or has used up what it may.

An agent holds no state of its own. What it knows is the folded journal; every move it makes is an event committed
there, and `runtime.session.state.MOVES` lists the legal ones. So a step can be taken by any process, after any crash.
"""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import ClassVar

from runtime.agent.context import AgentContext
from runtime.agent.progress import doubt_of, looks_up
from runtime.agent.stuck import consequences
from runtime.budget.limits import exceeded
from runtime.session.events import AnyEvent, RunFinished, RunOutcome
from runtime.session.limit_events import Limited
from runtime.session.limit_intake import own_limit
from runtime.session.state import AgentState, RunState


class BaseAgent(ABC):
    """Works on one run of one session while a lease lasts."""

    name: ClassVar[str]

    def __init__(self, context: AgentContext) -> None:
        """Take up the session's active run.

        Raises:
            ValueError: the session has none.
        """
        run = context.session.latest.active_run
        if run is None:
            raise ValueError(f"{context.session.session_id} has no active run")
        self.context = context
        self.run_id = run.run_id
        self.polling = frozenset(tool.name for tool in context.tools if tool.polls)
        self.reading = frozenset(tool.name for tool in context.tools if looks_up(tool))

    @property
    def current(self) -> RunState:
        """The run as the journal has it now, with what the step before ended with."""
        runs = self.context.session.latest.runs
        # Nearly always the newest; another one only once this agent's is over.
        return runs[-1] if runs[-1].run_id == self.run_id else next(run for run in runs if run.run_id == self.run_id)

    @property
    def state(self) -> AgentState:
        """Idle, running, waiting, finished or error."""
        return self.current.state

    @property
    def memory(self) -> tuple[str, ...]:
        """The model's messages, serialised; of a step, its own only."""
        return self.context.session.latest.memory[self.mark :]

    @property
    def mark(self) -> int:
        """How many messages of the session stand before `memory`."""
        return 0

    @property
    def max_steps(self) -> int:
        """How many model requests the run may make."""
        return self.current.limits.steps

    async def run(self, pause: Callable[[], Awaitable[bool]]) -> None:
        """Take steps.

        Args:
            pause: called before each step; takes in what arrived, and says whether to stop stepping for now.

        Raises:
            RunOver: the run was ended by somebody else during a step.
            LeaseLost: another runner holds the session.
        """
        async with self.context.session.settling():
            while self.state is AgentState.RUNNING and not await pause() and self.state is AgentState.RUNNING:
                self.context.session.check()
                limit = exceeded(self.current)
                if limit is not None:
                    await self.halt(limit)
                elif (doubt := doubt_of(self.current, self.polling, self.reading)) is not None:
                    await self.commit(*consequences(self.context, self.current, doubt))
                else:
                    await self.timed_step()

    async def halt(self, limit: Limited) -> None:
        """Stop at one of the run's own limits: with a card where somebody may add to it, else for good."""
        card = own_limit(self.current, limit, self.context.session.lease.now_ms())
        await self.commit(card or self.finished(RunOutcome.LIMIT, detail=limit))

    async def timed_step(self) -> None:
        """A step within its time; one that takes longer is cancelled with all it started, and the run ends."""
        limit = self.context.settings.timeouts.step
        bound = None
        try:
            async with self.context.patience.bound(limit) as bound:
                await self.step()
        except TimeoutError:
            if bound is None or not bound.expired():
                raise
            detail = f"step::{limit // timedelta(milliseconds=1)}"
            await self.commit(self.finished(RunOutcome.LIMIT, detail=detail))

    @abstractmethod
    async def step(self) -> None:
        """Bring the run one step further, by committing at least one event."""

    async def commit(self, *events: AnyEvent, beside: bool = False) -> None:
        """Append events to the journal, after what went before them.

        Args:
            events: in order.
            beside: what follows only reads or asks, so it need not wait until they are stored.
        """
        session = self.context.session
        if beside:
            await session.commit_soon(*events)
        else:
            await session.settled()
            await session.commit(*events)

    def finished(self, outcome: RunOutcome, *, answer: str = "", detail: str = "") -> RunFinished:
        """The run's end, with every file its calls produced."""
        results = (call.result for call in self.current.makers)
        files = {file.path: file for result in results if result is not None for file in result.files}
        return RunFinished(
            run_id=self.run_id, outcome=outcome, answer=answer, detail=detail, files=tuple(files.values())
        )
