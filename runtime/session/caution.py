"""When a run does not simply go on after an interruption: a person says first whether it should."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from runtime.engine.lease import Lease
from runtime.session.events import QuestionAsked
from runtime.session.interrupted import WAYS
from runtime.session.state import AgentState, SessionState
from runtime.store.values import InboxRecord

MILLISECOND = timedelta(milliseconds=1)
Reason = Literal["keeps_crashing", "long_ago"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Caution:
    """What is bearable without asking."""

    crashes: int = 1
    """Runners in a row that may vanish; the one after that many more asks."""
    park_after: timedelta = timedelta(hours=24)
    """Silence after which nobody may still want the result."""
    question: timedelta = timedelta(hours=72)
    reminder: timedelta = timedelta(minutes=30)

    def reason(self, lease: Lease, state: SessionState, inbox: list[InboxRecord]) -> Reason | None:
        """Why a person should be asked before the session's run goes on.

        Args:
            lease: the new right to run it.
            state: as it was left.
            inbox: what waits, not yet consumed.
        """
        if lease.crashes > self.crashes:
            return "keeps_crashing"
        begun = [record.at_ms for record in inbox if record.kind != "deadline"]
        run = state.active_run
        if run is not None and run.state is AgentState.RUNNING:
            begun.append(state.at_ms)
        return "long_ago" if begun and lease.now_ms() - min(begun) > self.park_after // MILLISECOND else None

    def question_about(self, reason: Reason, state: SessionState, now_ms: int) -> QuestionAsked | None:
        """The question to the run's requester; None where no run would go on."""
        run = state.active_run
        if run is None or run.state is not AgentState.RUNNING:
            return None
        return QuestionAsked(
            run_id=run.run_id,
            question_id=f"{run.run_id}.p{state.seq}",
            call_id="",
            purpose=reason,
            question="",
            choices=WAYS,
            asked_of=run.requester,
            expires_at_ms=now_ms + self.question // MILLISECOND,
            remind_at_ms=now_ms + self.reminder // MILLISECOND,
        )


USUAL = Caution()
"""Where the settings say nothing."""
