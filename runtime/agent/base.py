"""The life of a run: steps until it is answered, waits for a person, or has used up what it may.

An agent holds no state of its own. What it knows is the folded journal; every move it makes is an event committed
there, and `runtime.session.state.MOVES` lists the legal ones. So a step can be taken by any process, after any crash.
"""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from typing import ClassVar

from runtime.agent.context import AgentContext
from runtime.agent.progress import is_stuck
from runtime.budget.limits import exceeded
from runtime.session.events import AnyEvent, RunFinished, RunOutcome
from runtime.session.state import AgentState, RunState


class BaseAgent(ABC):
    """Works on one run of one session while a lease lasts."""

    name: ClassVar[str]

    def __init__(self, context: AgentContext) -> None:
        """Take up the session's active run.

        Raises:
            ValueError: the session has none.
        """
        run = context.session.state.active_run
        if run is None:
            raise ValueError(f"{context.session.session_id} has no active run")
        self.context = context
        self.run_id = run.run_id

    @property
    def current(self) -> RunState:
        """The run as the journal has it now."""
        return next(run for run in reversed(self.context.session.state.runs) if run.run_id == self.run_id)

    @property
    def state(self) -> AgentState:
        """Idle, running, waiting, finished or error."""
        return self.current.state

    @property
    def memory(self) -> tuple[str, ...]:
        """The model's messages, serialised."""
        return self.context.session.state.memory

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
        while self.state is AgentState.RUNNING and not await pause() and self.state is AgentState.RUNNING:
            limit = exceeded(self.current) or ("stuck" if is_stuck(self.current) else "")
            if limit:
                await self.commit(self.finished(RunOutcome.LIMIT, detail=limit))
            else:
                await self.step()

    @abstractmethod
    async def step(self) -> None:
        """Bring the run one step further, by committing at least one event."""

    async def commit(self, *events: AnyEvent) -> None:
        """Append events to the journal."""
        await self.context.session.commit(*events)

    def finished(self, outcome: RunOutcome, *, answer: str = "", detail: str = "") -> RunFinished:
        """The run's end, with every file its calls produced."""
        results = (call.result for call in self.current.calls.values())
        files = {file.path: file for result in results if result is not None for file in result.files}
        return RunFinished(
            run_id=self.run_id, outcome=outcome, answer=answer, detail=detail, files=tuple(files.values())
        )
