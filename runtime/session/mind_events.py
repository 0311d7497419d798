"""Events of the agent's mind: memory made shorter, doubts about progress, checked answers, and the steps of a flow."""

from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict

from runtime.session.event_base import Event
from runtime.session.usage import Usage
from tools.plan import Plan, StepStatus


class Fact(BaseModel):
    """Something that was found out, and where it comes from: a call id, a person, a file."""

    model_config = ConfigDict(frozen=True)

    text: str
    source: str = ""


class Summary(BaseModel):
    """What stays of a part of the memory."""

    model_config = ConfigDict(frozen=True)

    goal: str = ""
    decisions: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()
    open_questions: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


class MemoryCompacted(Event):
    """The older part of the memory is shown as a summary from now on; the journal keeps every word of it."""

    kind: Literal["memory_compacted"] = "memory_compacted"
    run_id: str
    cut: int
    """How many messages the summary stands for, counted from the first."""
    pinned: tuple[int, ...] = ()
    """Which of them stay word for word before it: the task, and what people said."""
    summary: Summary
    message: str
    """The summary as the serialised message that is sent."""
    by: Literal["rules", "model"] = "rules"
    reason: Literal["size", "refused", "truncated"] = "size"
    """Too long for the window; the service said so; or the service silently dropped a part."""
    room: int = 0
    """Tokens, estimated, that the memory may take from now on; 0: as the settings say."""
    usage: Usage = Usage()
    micros: int = 0
    elapsed_ms: int = 0


class DoubtKind(StrEnum):
    """Which fact says that a run does not get anywhere."""

    SAME_CALL = "same_call"
    SAME_ERROR = "same_error"
    CYCLE = "cycle"
    NOTHING_NEW = "nothing_new"
    PLAN_STANDS = "plan_stands"
    SAME_WORDS = "same_words"


class ProgressDoubted(Event):
    """A run does not get anywhere; what is done about it goes further each time."""

    kind: Literal["progress_doubted"] = "progress_doubted"
    run_id: str
    doubt: DoubtKind
    evidence: str
    """The facts in words: which calls, how often, with which result."""
    rung: Literal["hint", "replan", "ask", "stop"]
    step: int
    """The newest step that was looked at; a later doubt needs later steps."""
    message: str = ""
    """What the model is told, as a serialised message; empty where a person is asked or the run ends."""


class Check(BaseModel):
    """One thing that was checked."""

    model_config = ConfigDict(frozen=True)

    name: Literal["plan", "files", "exit_code", "values", "criterion", "work", "judge"]
    passed: bool
    evidence: str = ""


class AnswerChecked(Event):
    """A proposed end was held against what really happened."""

    kind: Literal["answer_checked"] = "answer_checked"
    run_id: str
    attempt: int
    passed: bool
    checks: tuple[Check, ...]
    by: Literal["rules", "model"] = "rules"
    about: str = ""
    """The flow's step that it is about; empty for the whole run."""
    message: str = ""
    """What the model is told of a failed check, as a serialised message."""
    usage: Usage = Usage()
    micros: int = 0


class FlowStep(BaseModel):
    """One step of a flow: who does it, what has to be done before, and how one can tell that it is done."""

    model_config = ConfigDict(frozen=True)

    id: str
    title: str
    kind: str = "manus"
    """The agent that does it."""
    after: tuple[str, ...] = ()
    criterion: str = ""
    """In words, for people and for whoever does the step."""
    check: str = "judge"
    """`file:PATH`, `exit`, `answer` or `judge`."""
    max_steps: int = 15


class FlowPlanned(Event):
    """A flow's plan, the first one or a new one. Steps that keep their id and are done stay done."""

    kind: Literal["flow_planned"] = "flow_planned"
    run_id: str
    revision: int
    title: str
    steps: tuple[FlowStep, ...]
    reason: str = ""
    """What went wrong before; empty for the first plan."""
    by: str = ""
    """The person who changed it; empty for the planner."""
    edited: bool = False
    """They changed its steps themselves: what is under way goes on, and what failed stays failed."""
    mark: int | None = None
    """Index in the session's memory of the newest message that the planner was shown; None: all there was."""
    usage: Usage = Usage()
    micros: int = 0
    elapsed_ms: int = 0


class FlowStepStarted(Event):
    """A step of the flow begins with a memory of its own."""

    kind: Literal["flow_step_started"] = "flow_step_started"
    run_id: str
    step_id: str
    brief: str
    """The serialised message that the step's memory begins with."""


class FlowStepEnded(Event):
    """A step of the flow is over; what it came to is passed on."""

    kind: Literal["flow_step_ended"] = "flow_step_ended"
    run_id: str
    step_id: str
    status: StepStatus
    summary: str
    """For the steps after it, and for the person."""
    reason: str = ""
    """Why it is not completed."""


MindEvent = MemoryCompacted | ProgressDoubted | AnswerChecked | FlowPlanned | FlowStepStarted | FlowStepEnded


def shown_plan(title: str, steps: tuple[FlowStep, ...], statuses: dict[str, StepStatus], notes: dict[str, str]) -> Plan:
    """A flow as the plan that people watch."""
    return Plan.model_validate(
        {
            "title": title[:150] or "Plan",
            "steps": [
                {
                    "title": step.title[:256],
                    "status": statuses.get(step.id, StepStatus.PENDING),
                    "note": notes.get(step.id, "")[:1000],
                }
                for step in steps
            ],
        }
    )
