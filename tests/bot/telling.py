"""A journal while it is told: the state after each event, and how its parts are drawn."""

from dataclasses import dataclass, field

from hypothesis import strategies as st

from runtime.session.events import AnyEvent, ReminderDue
from runtime.session.fold import fold
from runtime.session.state import SessionState
from tests.bot import hostile
from tests.session.story import NOON, SESSION
from tools.plan import Plan, PlanStep, StepStatus

ANA, BEN = "U0ANA", "U0BEN"


def plans(draw: st.DrawFn) -> Plan:
    """A plan with up to fifty steps."""
    titles = st.one_of(st.sampled_from(("Read the log", "Fix it", " ")), hostile.texts)
    steps = tuple(
        PlanStep(
            title=(draw(titles) or "-")[:256],
            status=draw(st.sampled_from(StepStatus)),
            note=draw(st.one_of(st.just(""), hostile.texts))[:1000],
        )
        for _ in range(draw(st.sampled_from((1, 3, 50))))
    )
    return Plan(title=(draw(hostile.short) or "-")[:150], steps=steps)


@dataclass(slots=True)
class Telling:
    """A journal while it is told."""

    draw: st.DrawFn
    state: SessionState = field(default_factory=lambda: SessionState(session_id=SESSION))
    number: int = 0
    newest_ts: str = ""
    """Of the message that asked for the newest run."""
    kinds: set[str] = field(default_factory=set[str])
    """Of every event told."""

    def tell(self, *events: AnyEvent) -> None:
        """One more commit."""
        for event in events:
            self.number += 1
            self.kinds.add(event.kind)
            self.state = fold(self.state, event, at_ms=NOON + self.number * 1000)

    def text(self) -> str:
        """Some words."""
        return self.draw(hostile.texts)

    def maybe_remind(self, run_id: str, about: str) -> None:
        """Sometimes somebody has to be reminded."""
        if self.draw(st.booleans()):
            self.tell(ReminderDue(run_id=run_id, about=about))
