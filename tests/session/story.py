"""A small story told in events, for tests that need a session in a certain state."""

from runtime.session.events import (
    AnyEvent,
    ApprovalRequested,
    CallFinished,
    CallStarted,
    CallStatus,
    MessageReceived,
    ModelReplied,
    ProposedCall,
    QuestionAsked,
    RunFinished,
    RunLimits,
    RunOutcome,
    RunStarted,
    Usage,
)
from runtime.session.fold import fold
from runtime.session.messages import serialised
from runtime.session.state import SessionState

SESSION = "T1:C1:1700000000.000100"
LIMITS = RunLimits(steps=50, wall_ms=60_000, tokens=10_000, micros=2_500_000)
NOON = 1_700_000_000_000


def said(text: str, ts: str = "1700000000.000100", user: str = "U0ANA") -> MessageReceived:
    """A message of a person."""
    return MessageReceived(ts=ts, user=user, speaker=f"Ana ({user})", text=text)


def started(number: int = 1, requester: str = "U0ANA", ts: str = "1700000000.000100") -> RunStarted:
    """A run begins."""
    return RunStarted(run_id=f"r{number}", requester=requester, request_ts=ts, agent="manus", model="m", limits=LIMITS)


def replied(*tools: str, step: int = 1, text: str = "") -> ModelReplied:
    """The model answers with calls of these tools."""
    calls = tuple(
        ProposedCall(call_id=f"r1.{step}.{n}", model_call_id=f"c{step}{n}", tool=tool, arguments="{}")
        for n, tool in enumerate(tools)
    )
    message = serialised({"role": "assistant", "content": text, "tool_calls": [{"id": c.model_call_id} for c in calls]})
    return ModelReplied(
        run_id="r1", step=step, text=text, message=message, calls=calls, usage=Usage(input=100, output=10), micros=50,
        elapsed_ms=200,
    )  # fmt: skip


def ran(call_id: str = "r1.1.0", output: str = "done", status: CallStatus = CallStatus.OK) -> tuple[AnyEvent, ...]:
    """A call begins and ends."""
    return (
        CallStarted(run_id="r1", call_id=call_id, effect="pure"),
        CallFinished(run_id="r1", call_id=call_id, status=status, output=output, elapsed_ms=300),
    )


def asked(call_id: str = "r1.1.0", *choices: str) -> QuestionAsked:
    """The run waits for an answer of Ana."""
    return QuestionAsked(
        run_id="r1", question_id="q1", call_id=call_id, question="Which?", choices=choices, asked_of="U0ANA",
        expires_at_ms=NOON + 3_600_000, remind_at_ms=NOON + 60_000,
    )  # fmt: skip


def requested(*approvers: str) -> ApprovalRequested:
    """The run waits for a verdict."""
    return ApprovalRequested(
        run_id="r1", approval_id="a1", call_id="r1.1.0", tool="publish", arguments="{}", digest="d", title="Change it",
        body="- a\n+ b", language="diff", reason="unmatched", approvers=approvers, expires_at_ms=NOON + 3_600_000,
    )  # fmt: skip


def finished(outcome: RunOutcome = RunOutcome.ANSWERED, answer: str = "There.") -> RunFinished:
    """The last word."""
    return RunFinished(run_id="r1", outcome=outcome, answer=answer)


def told(*events: AnyEvent, at_ms: int = NOON) -> SessionState:
    """The state after these events."""
    state = SessionState(session_id=SESSION)
    for event in events:
        state = fold(state, event, at_ms=at_ms)
    return state
