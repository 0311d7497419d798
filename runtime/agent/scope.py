"""What an agent works within when it does one step of something larger, instead of a whole run."""

from collections.abc import Sequence
from typing import Protocol

from runtime.agent.context import AgentContext
from runtime.agent.ending import Checked
from runtime.agent.verify import Proposal
from runtime.session.events import AnyEvent, CallFinished, CallStatus, RunOutcome
from runtime.session.state import RunState


class Scope(Protocol):
    """Above: the agent, which proposes to end. Below: a flow, for which that ends a step only.

    Implementation: `runtime.flow.scope.FlowScope`.
    """

    def mark(self, run: RunState) -> int:
        """How many messages of the session stand before the step's own memory."""
        ...

    async def checked(self, context: AgentContext, run: RunState, proposal: Proposal, *, by_call: bool) -> Checked:
        """The proposed end held against what the step was for."""
        ...

    def ended(self, run: RunState, outcome: RunOutcome, *, answer: str, detail: str) -> Sequence[AnyEvent]:
        """What the end means."""
        ...


def left_undone(run: RunState, ended_by: str) -> Sequence[AnyEvent]:
    """What else was called in the turn that ends a step; the end of a run closes these by itself."""
    text = "The step ended before this call; it did not run."
    rest = [call_id for call_id in run.unresolved if call_id != ended_by]
    return [
        CallFinished(run_id=run.run_id, call_id=call_id, status=CallStatus.CANCELLED, output=text) for call_id in rest
    ]
