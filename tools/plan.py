"""The plan of a run: what people watch tick off, as plain values."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field


class StepStatus(StrEnum):
    """Where one step of a plan stands."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    BLOCKED = "blocked"
    FAILED = "failed"
    SKIPPED = "skipped"

    @property
    def is_open(self) -> bool:
        """True while the step still has to be worked on."""
        return self in {StepStatus.PENDING, StepStatus.IN_PROGRESS}


class PlanStep(BaseModel):
    """One step: its words, its status and, where it did not go well, why."""

    model_config = ConfigDict(frozen=True)

    title: str = Field(min_length=1, max_length=256)
    status: StepStatus = StepStatus.PENDING
    note: str = Field(default="", max_length=1000)


class Plan(BaseModel):
    """An ordered list of steps with a title. A new version replaces the old one; it is never edited in place."""

    model_config = ConfigDict(frozen=True)

    title: str = Field(min_length=1, max_length=150)
    steps: tuple[PlanStep, ...] = Field(min_length=1, max_length=50)

    @property
    def has_open_steps(self) -> bool:
        """True while any step is pending or in progress."""
        return any(step.status.is_open for step in self.steps)


MARKS = {
    StepStatus.PENDING: " ",
    StepStatus.IN_PROGRESS: ">",
    StepStatus.COMPLETED: "x",
    StepStatus.BLOCKED: "!",
    StepStatus.FAILED: "!",
    StepStatus.SKIPPED: "-",
}


def described(plan: Plan) -> str:
    """The plan as text, a line per step with its index."""
    lines = [plan.title]
    for index, step in enumerate(plan.steps):
        note = f" ({step.note})" if step.note else ""
        lines.append(f"{index}. [{MARKS[step.status]}] {step.title}{note} ({step.status.value})")
    return "\n".join(lines)
