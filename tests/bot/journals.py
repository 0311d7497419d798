"""Any journal: legal stories with hostile words, for tests of whatever is made of them."""

from dataclasses import dataclass

from hypothesis import strategies as st

from runtime.session.events import (
    ApprovalDecided,
    ApprovalRequested,
    CallFinished,
    CallStarted,
    CallStatus,
    ModelReplied,
    NoticeCode,
    NoticeQueued,
    ProposedCall,
    QuestionAnswered,
    QuestionAsked,
    RunFinished,
    RunOutcome,
    RunStarted,
    Usage,
)
from runtime.session.state import AgentState, SessionState
from tests.bot import hostile
from tests.bot.happenings import BETWEEN_STEPS, OF_A_CARD, before_the_verdict
from tests.bot.telling import ANA, BEN, Telling, plans
from tests.session.story import LIMITS, NOON, said
from tools.base import ProducedFile

PEOPLE = frozenset({ANA, BEN})
TOOLS = ("python_execute", "bash", "publish", "no`such`tool<!channel>")


@dataclass(slots=True)
class Story(Telling):
    """A whole one."""

    def step(self, run_id: str, step: int) -> None:
        """A reply with calls, and what becomes of the first ones."""
        tools = self.draw(st.lists(st.sampled_from(TOOLS), min_size=1, max_size=3))
        calls = tuple(
            ProposedCall(call_id=f"{run_id}.{step}.{n}", model_call_id=f"c{n}", tool=tool, arguments=self.text())
            for n, tool in enumerate(tools)
        )
        usage = Usage(input=self.draw(st.integers(0, 10**6)), output=5, estimated=self.draw(st.booleans()))
        self.tell(
            ModelReplied(
                run_id=run_id, step=step, text=self.text(), message="{}", calls=calls, usage=usage,
                micros=self.draw(st.integers(0, 10**8)), elapsed_ms=self.draw(st.integers(0, 10**8)),
            )
        )  # fmt: skip
        for call in calls:
            if not self.carry_out(run_id, call.call_id):
                return

    def carry_out(self, run_id: str, call_id: str) -> bool:
        """One call; False when the run waits for a person or the call goes on."""
        kind = self.draw(st.sampled_from(("ran", "ran", "planned", "question", "approval", "running")))
        if kind == "question" and not self.question(run_id, call_id):
            return False
        if kind == "approval" and not self.approval(run_id, call_id):
            return False
        if kind == "running":
            self.tell(CallStarted(run_id=run_id, call_id=call_id, effect="pure"))
            return False
        files = self.draw(st.lists(st.sampled_from(("chart.png", "out.csv", "a/b.txt")), max_size=2))
        if self.state.runs[-1].calls[call_id].result is None:
            self.tell(
                CallFinished(
                    run_id=run_id,
                    call_id=call_id,
                    status=self.draw(st.sampled_from(CallStatus)),
                    output=self.text(),
                    brief=self.draw(st.one_of(st.just(""), hostile.short))[:200],
                    files=tuple(ProducedFile(path=path) for path in files),
                    plan=plans(self.draw) if kind == "planned" else None,
                )
            )
        return True

    def question(self, run_id: str, call_id: str) -> bool:
        """A question; whether it was answered."""
        choices = tuple(dict.fromkeys(self.draw(st.lists(hostile.at_most(150), max_size=10))))
        question_id = f"{call_id}.q"
        self.tell(
            QuestionAsked(
                run_id=run_id, question_id=question_id, call_id=call_id, question=self.text() or "?", choices=choices,
                purpose=self.draw(st.sampled_from(("ask", "ask", "outcome_unknown", "keeps_crashing"))),
                asked_of=ANA, expires_at_ms=NOON + self.draw(st.integers(1, 10**9)),
            )
        )  # fmt: skip
        self.maybe_remind(run_id, question_id)
        how = self.draw(st.sampled_from(("", "button", "modal", "typed", "expired")))
        if how in {"button", "modal", "typed", "expired"}:
            answer = {"run_id": run_id, "question_id": question_id, "answer": self.text(), "by": BEN, "how": how}
            self.tell(QuestionAnswered.model_validate(answer))
        return bool(how)

    def approval(self, run_id: str, call_id: str) -> bool:
        """A request for approval; whether the call may have a result."""
        approval_id = f"a{call_id}"
        requested = (
            ApprovalRequested(
                run_id=run_id, approval_id=approval_id, call_id=call_id, tool="publish", arguments="{}", digest="d",
                title=self.text(), body=self.text(), language="diff",
                notes=tuple(self.draw(st.lists(hostile.texts, max_size=3))),
                reason=self.draw(st.sampled_from(("rule", "unmatched", "else <!here>"))),
                approvers=self.draw(st.sampled_from(((), ("requester",), (BEN,), (BEN, "@oncall")))),
                quorum=self.draw(st.integers(1, 2)), expires_at_ms=NOON + 3_600_000,
            )
        )  # fmt: skip
        self.tell(requested)
        self.maybe_remind(run_id, approval_id)
        if not before_the_verdict(self, requested):
            return True
        verdict = self.draw(st.sampled_from(("", "approved", "approved", "denied", "expired", "void")))
        if verdict:
            decision = {
                "run_id": run_id,
                "approval_id": approval_id,
                "verdict": verdict,
                "by": BEN,
                "reason": self.text(),
            }
            self.tell(ApprovalDecided.model_validate(decision))
        return bool(verdict)

    def maybe_notify(self) -> None:
        """Sometimes somebody is told something privately."""
        if self.draw(st.booleans()):
            about = {"approvers": BEN, "by": ANA, "verdict": "denied", "answer": self.text()}
            code = self.draw(st.sampled_from(NoticeCode))
            self.tell(NoticeQueued(notice_id=f"notice:{self.number}", code=code, to=ANA, about=about))

    def happen(self, run_id: str) -> None:
        """Sometimes something happens between two steps."""
        for happening in self.draw(st.lists(st.sampled_from(tuple(BETWEEN_STEPS)), max_size=2, unique=True)):
            happening(self, run_id)

    def run(self, number: int, *, must_end: bool) -> None:
        """A whole run or the beginning of one."""
        run_id, self.newest_ts = f"r{number}", f"17000000{number}0.000100"
        self.tell(
            said(self.text(), ts=self.newest_ts),
            RunStarted(
                run_id=run_id, requester=ANA, request_ts=f"17000000{number}0.000100", agent="manus", model="m",
                scripted=self.draw(st.booleans()), limits=LIMITS,
            ),
        )  # fmt: skip
        for step in range(1, self.draw(st.integers(0, 4)) + 1):
            if self.state.runs[-1].unresolved or self.state.runs[-1].state is not AgentState.RUNNING:
                break
            self.happen(run_id)
            self.step(run_id, step)
        self.maybe_notify()
        if must_end or self.draw(st.booleans()):
            self.tell(
                RunFinished(
                    run_id=run_id,
                    outcome=self.draw(st.sampled_from(RunOutcome)),
                    answer=self.draw(st.one_of(st.just(""), hostile.texts)),
                    detail=self.draw(st.sampled_from(("", "steps", "usd", "wall", "model_silent:ab12", "other"))),
                    by=self.draw(st.sampled_from(("", BEN))),
                )
            )


@st.composite
def journals(draw: st.DrawFn) -> SessionState:
    """The state after any story."""
    story = Story(draw)
    runs = draw(st.integers(1, 2))
    for number in range(1, runs + 1):
        story.run(number, must_end=number < runs)
    return story.state


BASIC = frozenset(
    {
        "message_received", "run_started", "model_replied", "call_started", "call_finished", "question_asked",
        "question_answered", "approval_requested", "approval_decided", "reminder_due", "notice_queued", "run_finished",
    }
)  # fmt: skip
"""What every story is made of."""
KINDS = BASIC | OF_A_CARD | {kind for kinds in BETWEEN_STEPS.values() for kind in kinds}
