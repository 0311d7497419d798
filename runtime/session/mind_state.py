"""What the events of the agent's mind fold to."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from runtime.session.mind_events import AnswerChecked, FlowStep, FlowStepEnded, ProgressDoubted
from tools.plan import StepStatus


@dataclass(frozen=True, kw_only=True)
class DoubtState:
    """A doubt about progress and its place in the journal."""

    doubted: ProgressDoubted
    seq: int


@dataclass(frozen=True, kw_only=True)
class CheckState:
    """A checked answer and its place in the journal."""

    checked: AnswerChecked
    seq: int


@dataclass(frozen=True, kw_only=True)
class FlowState:
    """A flow: its steps, how far each is, and where the memory of the step under way begins."""

    title: str
    steps: tuple[FlowStep, ...]
    revision: int = 1
    statuses: Mapping[str, StepStatus] = field(default_factory=dict[str, StepStatus])
    ended: Mapping[str, FlowStepEnded] = field(default_factory=dict[str, FlowStepEnded])
    current: str = ""
    """The step under way."""
    mark: int = 0
    """Index in the session's memory of the message that the step's memory begins with."""
    began_at_step: int = 0
    """How many requests the run had made when the step began."""
    began_seq: int = 0
    """Journal position where it began."""

    @property
    def step(self) -> FlowStep | None:
        """The step under way."""
        return next((step for step in self.steps if step.id == self.current), None)

    def status(self, step_id: str) -> StepStatus:
        """How far a step is."""
        return self.statuses.get(step_id, StepStatus.PENDING)
