"""A desk for one agent: a real journal in a real store, a scripted model over HTTP, real tools."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from runtime.agent.context import AgentContext
from runtime.agent.manus import Manus
from runtime.budget.limits import run_limits
from runtime.policy.engine import Policy
from runtime.session.entries import AnswerEntry, AnyEntry, DecisionEntry, MessageEntry
from runtime.session.events import AnyEvent, RunStarted, load_event
from runtime.session.intake import take_in
from runtime.session.state import RunState
from runtime.session.writer import SessionWriter, load_state
from runtime.settings import Settings
from runtime.settings_file import parse_settings
from runtime.store.redis_store import SessionStore
from tests.agent.sample_tools import Hangs, Launches, Pays
from tests.support.model import ModelDouble, Turn
from tools.collection import ToolCollection

SID = "T1:C1:1.0"
SECRET = "the-secret-word"


async def never() -> bool:
    """A pause that never comes."""
    return False


@dataclass(slots=True, kw_only=True)
class Desk:
    """What a test of the agent holds in its hands."""

    store: SessionStore
    session: SessionWriter
    context: AgentContext
    model: ModelDouble
    hangs: Hangs
    launches: Launches
    pays: Pays
    settings: Settings = field(default_factory=Settings)

    @property
    def run(self) -> RunState:
        """The newest run."""
        run = self.session.state.run
        assert run is not None
        return run

    def script(self, *turns: Turn) -> None:
        """What the model will answer."""
        self.model.add(*turns)

    async def hear(
        self, text: str, *, ts: str = "2.0", user: str = "U1", scripted: bool = False, plan_first: bool = False
    ) -> None:
        """A person says something; a run starts where none is active, of the rehearsal model if `scripted`."""
        await self.take_in(MessageEntry(entry_id=f"m:{ts}", ts=ts, user=user, text=text, mentions_bot=True))
        if self.session.state.active_run is None:
            started = RunStarted(
                run_id=f"r{len(self.session.state.runs) + 1}",
                requester=user,
                request_ts=ts,
                agent="manus",
                model="m",
                scripted=scripted,
                plan_first=plan_first,
                limits=run_limits(self.settings.budget.run),
            )
            await self.session.commit(started)

    async def take_in(self, entry: AnyEntry) -> None:
        """What the runner does with an entry of the inbox."""
        await self.session.commit(*take_in(self.session.state, entry, now_ms=self.session.lease.now_ms()))

    async def work(self) -> RunState:
        """Let an agent, made anew, work until it stops; return the run."""
        await Manus(self.context).run(never)
        return self.run

    async def decide(self, verdict: str, *, by: str = "U1", for_thread: bool = False) -> None:
        """Click on the open card."""
        entry = {"entry_id": "d", "approval_id": self.run.open_approval, "verdict": verdict, "by": by, "reason": "why"}
        await self.take_in(DecisionEntry.model_validate({**entry, "for_thread": for_thread}))

    async def answer(self, text: str) -> None:
        """Click on a button of the open question."""
        question_id = self.run.open_question
        await self.take_in(AnswerEntry(entry_id="a", question_id=question_id, answer=text, by="U1", how="button"))

    async def restart(self) -> None:
        """Forget everything in memory and fold the journal again, as after a crash."""
        state = await load_state(self.store, SID)
        self.session = SessionWriter(self.store, self.session.lease, state)
        self.context = replace(self.context, session=self.session)

    def configure(self, text: str) -> None:
        """Other settings, as TOML."""
        self.settings = parse_settings(text)
        policy = Policy.of(self.settings.policy, contains=True, expires=self.settings.timeouts.approval)
        self.context = replace(self.context, settings=self.settings, policy=policy)

    def use(self, tools: ToolCollection) -> None:
        """Offer the agent other tools."""
        self.context = replace(self.context, tools=tools)

    async def journal(self) -> Sequence[AnyEvent]:
        """Everything that happened."""
        return [load_event(record.event) for record in await self.store.read_log(SID)]

    async def kinds(self) -> list[str]:
        """The kinds of everything that happened, in order."""
        return [event.kind for event in await self.journal()]
