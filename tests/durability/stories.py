"""Any story a journal can tell: each event drawn from those that may follow, so that every fold is legal."""

from collections.abc import Callable, Iterator, Mapping

from hypothesis import strategies as st

from runtime.session.events import (
    AnyEvent,
    ApprovalDecided,
    ApprovalRequested,
    CallFinished,
    CallStarted,
    CallStatus,
    EntryIgnored,
    MessageReceived,
    ModelReplied,
    NoticeCode,
    NoticeQueued,
    PostDone,
    PostStarted,
    ProposedCall,
    QuestionAnswered,
    QuestionAsked,
    Quoted,
    ReminderDue,
    RunFinished,
    RunLimits,
    RunOutcome,
    RunStarted,
    Usage,
)
from runtime.session.fold import fold
from runtime.session.messages import serialised
from runtime.session.state import AgentState, RunState, SessionState
from tools.base import ProducedFile
from tools.plan import Plan, PlanStep

SESSION = "T1:C1:1700000000.000100"
LIMITS = RunLimits(steps=50, wall_ms=60_000, tokens=10_000, micros=2_500_000)
Move = Callable[[SessionState, int], AnyEvent]
"""An event that may follow a state; the number makes it differ from others of its kind."""


def message(state: SessionState, n: int) -> AnyEvent:
    """Somebody speaks, perhaps with earlier messages."""
    context = (Quoted(speaker="Ben", text="before", ts=f"0.{n}"),) if n % 3 == 0 else ()
    user = f"U{n % 2}"
    return MessageReceived(ts=f"{state.seq}.{n}", user=user, speaker=f"P {user}", text=f"say {n} ü", context=context)


def start(state: SessionState, _: int) -> AnyEvent:
    """A run begins."""
    return RunStarted(
        run_id=f"r{len(state.runs) + 1}", requester="U0", request_ts="1.0", agent="manus", model="m", limits=LIMITS
    )


def reply(state: SessionState, n: int) -> AnyEvent:
    """The model answers with up to three calls."""
    run = newest(state)
    step = run.spent.steps + 1
    calls = tuple(
        ProposedCall(call_id=f"{run.run_id}.{step}.{i}", model_call_id=f"c{step}{i}", tool="bash", arguments="{}")
        for i in range(n % 4)
    )
    sent = serialised({"role": "assistant", "content": f"words {n}"})
    usage = Usage(input=n, output=1, estimated=n % 2 == 0)
    return ModelReplied(
        run_id=run.run_id, step=step, text=f"words {n}", message=sent, calls=calls, usage=usage, micros=n, elapsed_ms=n
    )


def begin(state: SessionState, _: int) -> AnyEvent:
    """A call begins, perhaps not for the first time."""
    run = newest(state)
    call_id = run.unresolved[0]
    return CallStarted(run_id=run.run_id, call_id=call_id, effect="pure", attempt=run.calls[call_id].attempt + 1)


def finish_call(state: SessionState, n: int) -> AnyEvent:
    """A call ends."""
    run = newest(state)
    plan = Plan(title="t", steps=(PlanStep(title=f"s{n}"),)) if n % 3 == 0 else None
    files = (ProducedFile(path=f"f{n}.txt"),) if n % 2 else ()
    return CallFinished(
        run_id=run.run_id, call_id=run.unresolved[0], status=CallStatus.OK, output=f"out {n}", plan=plan, files=files
    )


def ask(state: SessionState, n: int) -> AnyEvent:
    """A question of any kind."""
    run = newest(state)
    purposes = ("ask", "outcome_unknown", "keeps_crashing", "long_ago")
    call_id = run.unresolved[0] if run.unresolved and n % 2 else ""
    about = {
        "run_id": run.run_id, "question_id": f"q{state.seq}", "call_id": call_id, "purpose": purposes[n % 4],
        "question": f"Which {n}?", "choices": ("a", "b"), "asked_of": "U0", "expires_at_ms": 10 + n,
    }  # fmt: skip
    return QuestionAsked.model_validate(about)


def answer(state: SessionState, n: int) -> AnyEvent:
    """The open question is answered."""
    run = newest(state)
    how = ("button", "modal", "typed", "expired")[n % 4]
    about = {"run_id": run.run_id, "question_id": run.open_question, "answer": f"a{n}", "by": "U1", "how": how}
    return QuestionAnswered.model_validate(about)


def request(state: SessionState, n: int) -> AnyEvent:
    """A call needs approval."""
    run = newest(state)
    return ApprovalRequested(
        run_id=run.run_id, approval_id=f"a{state.seq}", call_id=run.unresolved[0], tool="bash", arguments="{}",
        binding={"n": n, "deep": {"list": [1, None, "x"]}}, digest="d", title="t", body="b", language="json",
        reason="unmatched", approvers=("requester",), expires_at_ms=10,
    )  # fmt: skip


def decide(state: SessionState, n: int) -> AnyEvent:
    """The open request is decided."""
    run = newest(state)
    verdict = ("approved", "denied", "expired", "void")[n % 4]
    about = {"run_id": run.run_id, "approval_id": run.open_approval, "verdict": verdict, "by": "U1"}
    return ApprovalDecided.model_validate(about)


def remind(state: SessionState, _: int) -> AnyEvent:
    """A reminder is due."""
    run = newest(state)
    return ReminderDue(run_id=run.run_id, about=run.open_question or run.open_approval)


def finish(state: SessionState, n: int) -> AnyEvent:
    """The run ends."""
    outcomes = tuple(RunOutcome)
    return RunFinished(run_id=newest(state).run_id, outcome=outcomes[n % len(outcomes)], answer=f"There {n}.")


def notice(_: SessionState, n: int) -> AnyEvent:
    """Somebody is to be told."""
    return NoticeQueued(notice_id=f"notice:{n}", code=NoticeCode.USE_BUTTONS, to="U1", about={"approval": "x"})


def post(_: SessionState, n: int) -> AnyEvent:
    """Something is about to be posted."""
    return PostStarted(op=f"op:{n}", file_id="F1" if n % 2 else "")


def posted(state: SessionState, n: int) -> AnyEvent:
    """Slack took it, or a queued notice went out."""
    waiting = (*state.notices, *state.posts)
    return PostDone(op=waiting[n % len(waiting)] if waiting else f"op:{n}", ts=f"{n}.0", digest="d")


def ignore(_: SessionState, n: int) -> AnyEvent:
    """Nothing came of an entry."""
    return EntryIgnored(entry=f"e{n}", reason="old")


def newest(state: SessionState) -> RunState:
    """The active run."""
    run = state.active_run
    assert run is not None
    return run


ALWAYS: tuple[Move, ...] = (message, notice, post, posted, ignore)
RUNNING: tuple[Move, ...] = (reply, ask, finish)
WITH_CALLS: tuple[Move, ...] = (begin, finish_call, request, ask, finish)
WAITING: Mapping[bool, tuple[Move, ...]] = {True: (answer, remind, finish), False: (decide, remind, finish)}


def possible(state: SessionState) -> tuple[Move, ...]:
    """What may follow."""
    run = state.active_run
    if run is None:
        return (*ALWAYS, start) if state.untaken else ALWAYS
    if run.state is AgentState.WAITING:
        return (*ALWAYS, *WAITING[bool(run.open_question)])
    return (*ALWAYS, *(WITH_CALLS if run.unresolved else RUNNING))


def told(draws: list[tuple[int, int]]) -> Iterator[tuple[AnyEvent, int]]:
    """The events that the draws choose, each with the time of its append."""
    state = SessionState(session_id=SESSION)
    at_ms = 1_700_000_000_000
    for choice, n in draws:
        moves = possible(state)
        event = moves[choice % len(moves)](state, n)
        at_ms += n
        state = fold(state, event, at_ms=at_ms)
        yield event, at_ms


STORIES = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 50)), max_size=80).map(lambda draws: list(told(draws)))
