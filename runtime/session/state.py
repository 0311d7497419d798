"""What a journal folds to: one frozen value that agent, policy, budget and delivery read. Nothing here does I/O.

The classes have no slots, since `folding.replace` copies a state many times a step by its dictionary.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from runtime.session.approval_events import ApprovalVoided, ArgumentsEdited, GrantGiven, GrantRevoked
from runtime.session.events import (
    ApprovalDecided,
    ApprovalRequested,
    CallFinished,
    MessageReceived,
    MoreOffer,
    NoticeQueued,
    PostDone,
    ProposedCall,
    QuestionAnswered,
    QuestionAsked,
    RunLimits,
    RunOutcome,
    Usage,
)
from runtime.session.limit_state import AwayState, LimitState, NoteState
from runtime.session.mind_state import CheckState, DoubtState, FlowState
from runtime.session.verbosity import Choice
from tools.plan import Plan


class AgentState(StrEnum):
    """The life of a run's agent. `MOVES` lists every legal move."""

    IDLE = "idle"
    RUNNING = "running"
    WAITING = "waiting"
    FINISHED = "finished"
    ERROR = "error"


MOVES: Mapping[AgentState, frozenset[AgentState]] = {
    AgentState.IDLE: frozenset({AgentState.RUNNING}),
    AgentState.RUNNING: frozenset({AgentState.WAITING, AgentState.FINISHED, AgentState.ERROR}),
    AgentState.WAITING: frozenset({AgentState.RUNNING, AgentState.FINISHED, AgentState.ERROR}),
    AgentState.FINISHED: frozenset(),
    AgentState.ERROR: frozenset(),
}


PARKED = "parked"
"""The status of a session that nobody has spoken in for long."""


class IllegalMove(Exception):
    """A journal moves a run in a way the table does not allow: a bug, seen by the operator."""


@dataclass(frozen=True, kw_only=True)
class CallState:
    """One proposed call: how far it got."""

    call: ProposedCall
    step: int
    attempt: int = 0
    """How often an intent was journalled; 0 = not started."""
    begun_at_ms: int = 0
    """When the newest intent was journalled."""
    used_approval: str = ""
    """The approval that the newest attempt used up."""
    result: CallFinished | None = None
    approval_id: str = ""
    """The newest approval request for it."""
    edited_by: str = ""
    """Whoever changed its arguments last."""


@dataclass(frozen=True, kw_only=True)
class QuestionState:
    """A question and, when it came, its answer."""

    asked: QuestionAsked
    seq: int
    at_ms: int
    """When it was asked."""
    answered: QuestionAnswered | None = None


@dataclass(frozen=True, kw_only=True)
class ApprovalState:
    """A request for approval and, when it came, the verdict."""

    requested: ApprovalRequested
    seq: int
    at_ms: int
    """When it was requested."""
    decided: ApprovalDecided | None = None
    votes: tuple[str, ...] = ()
    """Who approved so far, where a quorum is needed."""
    escalated: bool = False
    voided: ApprovalVoided | None = None
    edited: ArgumentsEdited | None = None

    @property
    def approvers(self) -> tuple[str, ...]:
        """Who may decide now."""
        more = self.requested.escalate_to if self.escalated else ()
        return (*self.requested.approvers, *(who for who in more if who not in self.requested.approvers))

    @property
    def is_open(self) -> bool:
        """Whether nothing has ended it yet."""
        return self.decided is None and self.voided is None and self.edited is None


@dataclass(frozen=True, kw_only=True)
class GrantState:
    """An allowance for the thread."""

    given: GrantGiven
    seq: int
    revoked: GrantRevoked | None = None
    uses: int = 0

    def is_live(self, now_ms: int) -> bool:
        """Whether calls may run on it."""
        return self.revoked is None and now_ms < self.given.expires_at_ms


@dataclass(frozen=True, kw_only=True)
class StepState:
    """One step for people and for the trace: what the model said and which calls it made."""

    number: int
    seq: int
    text: str
    call_ids: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Spent:
    """What a run has used so far."""

    steps: int = 0
    working_ms: int = 0
    """Time in model requests and tools; waiting for people does not count."""
    usage: Usage = field(default_factory=Usage)
    micros: int = 0


@dataclass(frozen=True, kw_only=True)
class RunState:
    """One run: from a request to its last word."""

    run_id: str
    requester: str
    request_ts: str
    agent: str
    model: str
    scripted: bool
    limits: RunLimits
    started_at_ms: int
    started_seq: int = 0
    ended_seq: int = 0
    """Journal positions of its first and its last event."""
    opening: int = 0
    """Index in the session's memory of the message that it was started for."""
    state: AgentState = AgentState.RUNNING
    spent: Spent = field(default_factory=Spent)
    steps: tuple[StepState, ...] = ()
    calls: Mapping[str, CallState] = field(default_factory=dict[str, CallState])
    makers_before: tuple[CallState, ...] = ()
    """Calls before those that made files, without what they said."""
    unresolved: tuple[str, ...] = ()
    """Call ids of the newest reply that have no result yet, in order."""
    questions: Mapping[str, QuestionState] = field(default_factory=dict[str, QuestionState])
    approvals: Mapping[str, ApprovalState] = field(default_factory=dict[str, ApprovalState])
    open_question: str = ""
    open_approval: str = ""
    plan: Plan | None = None
    plan_seq: int = 0
    plan_first: bool = False
    plan_approved: bool = False
    plan_edited_seq: int = 0
    """Where a person last changed the plan; 0: never."""
    overtaken: frozenset[str] = frozenset()
    """Calls that had no result when a person changed the plan; what they say of the plan does not count."""
    outcome: RunOutcome | None = None
    answer: str = ""
    detail: str = ""
    ended_by: str = ""
    ended_at_ms: int = 0
    reminders: frozenset[str] = frozenset()
    more: MoreOffer | None = None
    idle_ms: int = 0
    schedule_id: str = ""
    limits_reached: Mapping[str, LimitState] = field(default_factory=dict[str, LimitState])
    open_limit: str = ""
    notes: tuple[NoteState, ...] = ()
    outages: Mapping[str, AwayState] = field(default_factory=dict[str, AwayState])
    doubts: tuple[DoubtState, ...] = ()
    checks: tuple[CheckState, ...] = ()
    flow: FlowState | None = None
    """Where the run works through a flow's steps."""

    @property
    def makers(self) -> tuple[CallState, ...]:
        """Every call that made files, in order."""
        return (*self.makers_before, *(call for call in self.calls.values() if call.result and call.result.files))

    @property
    def away(self) -> AwayState | None:
        """The outage of the model that the run waits out, from its first failure to the next reply."""
        return next((away for away in self.outages.values() if not away.is_over), None) if self.outages else None

    @property
    def is_active(self) -> bool:
        """True until the run has had its last word."""
        return self.state in {AgentState.RUNNING, AgentState.WAITING}


@dataclass(frozen=True, kw_only=True)
class PostState:
    """Something to be shown in Slack under one operation id."""

    op: str
    started_seq: int
    file_id: str = ""
    done: PostDone | None = None


@dataclass(frozen=True, kw_only=True)
class SessionState:
    """The fold of a whole journal."""

    session_id: str
    seq: int = 0
    """Position of the newest event folded in."""
    at_ms: int = 0
    """Server time of that event, milliseconds since the epoch."""
    memory: tuple[str, ...] = ()
    """Model messages without the system prompt, each as the serialised JSON that is sent, never rewritten."""
    held: tuple[MessageReceived, ...] = ()
    """Messages that arrived while calls were unresolved; they enter memory after the results."""
    asides: tuple[str, ...] = ()
    """Model messages about edits and deletions that wait for the same."""
    untaken: tuple[MessageReceived, ...] = ()
    """Messages that no run has taken up yet."""
    said: tuple[MessageReceived, ...] = ()
    """The newest messages that the active run took up while it worked."""
    runs: tuple[RunState, ...] = ()
    posts: Mapping[str, PostState] = field(default_factory=dict[str, PostState])
    notices: Mapping[str, NoticeQueued] = field(default_factory=dict[str, NoticeQueued])
    """Queued and not yet delivered."""
    people: Mapping[str, str] = field(default_factory=dict[str, str])
    """User id -> display name as last seen."""
    grants: Mapping[str, GrantState] = field(default_factory=dict[str, GrantState])
    """Allowances for this thread, revoked and expired ones included."""
    seen_ts: frozenset[str] = frozenset()
    """Timestamps of messages already received, so that history brought along is not told twice."""
    room: int = 0
    """Tokens, estimated, that the model was found to read at once; 0: as the settings say."""
    compactions: int = 0
    """How often the older part of the memory became a summary."""
    unseen: tuple[str, ...] = ()
    """Images of the workspace that wait to be shown to a model, each once."""
    stopped_ts: str = ""
    """The newest moment before which everything said is stopped, by Slack's clock; empty where nobody stopped."""
    stopped_by: str = ""
    choices: tuple[Choice, ...] = ()
    """How much people wanted to be told in this thread, in order; empty: as the settings say."""
    parked: bool = False
    """Silent for so long that replies need a mention again."""

    @property
    def run(self) -> RunState | None:
        """The newest run, active or ended."""
        return self.runs[-1] if self.runs else None

    @property
    def active_run(self) -> RunState | None:
        """The run in progress, if any."""
        run = self.run
        return run if run is not None and run.is_active else None

    @property
    def status(self) -> str:
        """For listings: idle, running, waiting, finished, error or parked."""
        run = self.run
        if self.untaken and (run is None or not run.is_active):
            return AgentState.RUNNING.value
        if self.parked:
            return PARKED
        return run.state.value if run else AgentState.IDLE.value
