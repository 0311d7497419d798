"""One journey with everything in it, driven as people would, through any number of deaths; and what must hold after."""

import itertools
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from runtime.session.events import AnyEvent, CallFinished, MessageReceived, QuestionAnswered, load_event
from runtime.session.ids import SessionKey
from runtime.session.interrupted import AGAIN, GO_ON, WORKED
from runtime.session.state import SessionState
from runtime.session.writer import load_state
from runtime.store.redis_store import SessionStore
from tests.durability.bots import Bot, Zygote
from tests.durability.plan import Ablation, Fate, Plan, Point
from tests.durability.playing import turns
from tests.support.model import call
from tests.support.redis import advance
from tests.support.slack import LocalSlack, Person, SlackMessage, SlackRefused
from tests.waiting import wait_until

CHANNEL = "C0DATA"
TEAM = "T0LOCAL"
FIRST = "<@U0HANDRAIL> Pay Bob and note it."
SECOND = "Also thank him."
ANSWER = "Bob is paid.\n\n" + "\n\n".join(f"Line {n} of the account, in a sentence of its own." for n in range(260))
REPLIES = turns(
    call("planning", command="create", title="Pay", steps=["Note", "Pay", "Publish"]),
    call("str_replace_editor", command="create", path="etl/notes.txt", file_text="paid Bob\n"),
    call("ask_human", question="From which account?", choices=["Summer", "Winter"]),
    call("pay", to="Bob"),
    call("publish", mount="etl", message="The note."),
    ANSWER,
)
WITHIN = 90.0
SETTINGS = """
data_dir = "{folder}/data"
[engine]
lease = "{lease}"
snapshot_every = 5
[fair]
runs_per_person = 1000
runs_per_channel = 1000
requests_per_person = 1_000_000
requests_per_channel = 1_000_000
[budget.person]
per_day_usd = 10_000
[budget.workspace]
per_day_usd = 10_000
[[workspace.mounts]]
name = "etl"
path = "{folder}/etl"
"""


@dataclass(slots=True, kw_only=True)
class Journey:
    """One thread and the bots that serve it, one after the other."""

    slack: LocalSlack
    store: SessionStore
    zygote: Zygote
    folder: Path
    redis_url: str
    model_url: str
    lease: timedelta = timedelta(seconds=30)
    bots: list[Bot] = field(default_factory=list[Bot])
    thread: str = ""
    sent: list[str] = field(default_factory=list[str])
    clicked: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    journals: list[list[str]] = field(default_factory=list[list[str]])
    """What was recorded whenever a bot died."""
    calls_before: int = 0
    calls: int = len(REPLIES) - 1
    """How many calls the model makes."""
    publishes: bool = True
    doomed: tuple[Point, int, Fate] | None = None
    """How further bots end as well, as long as `deaths` is not reached; None: the second one lives."""
    deaths: int = 1
    may_wake: bool = False
    """Whether a bot may have been frozen on its way to the payment, and wake after a person had it repeated."""

    @property
    def ana(self) -> Person:
        """Who asks."""
        return self.slack.person("U0ANA")

    @property
    def sid(self) -> str:
        """The thread's session."""
        return str(SessionKey(team=TEAM, channel=CHANNEL, thread_ts=self.thread))

    @property
    def published(self) -> Path:
        """What the approved publication writes."""
        return self.folder / "etl" / "notes.txt"

    @property
    def payments(self) -> list[str]:
        """Every payment that was made."""
        ledgers = sorted(self.folder.glob("bot*/ledger"))
        lines = [line for path in ledgers for line in path.read_text().splitlines()]
        return [line for line in lines if line.startswith(f"{self.sid} ")]

    def prepare(self) -> None:
        """The host's directory and the settings."""
        (self.folder / "etl").mkdir(parents=True)
        (self.folder / "etl" / "old.txt").write_text("old\n")
        lease = f"{round(self.lease.total_seconds() * 1000)}ms"
        (self.folder / "handrail.toml").write_text(SETTINGS.format(folder=self.folder, lease=lease))

    def plan(
        self, point: Point = "commit", at: int = 0, fate: Fate = "dies before", without: tuple[Ablation, ...] = ()
    ) -> Plan:
        """A bot of this journey with a fate."""
        environment = {
            **self.slack.environment,
            "REDIS_URL": self.redis_url,
            "OPENAI_BASE_URL": self.model_url,
            "OPENAI_MODEL": "scripted",
            "HANDRAIL_CONFIG": str(self.folder / "handrail.toml"),
        }
        folder = self.folder / f"bot{len(self.bots)}"
        return Plan(environment=environment, folder=str(folder), point=point, at=at, fate=fate, without=without)

    async def start(self, plan: Plan | None = None) -> Bot:
        """Start a bot; a doomed one may die before it serves."""
        bot = await self.zygote.start(plan or self.plan())
        self.bots.append(bot)
        self.clicked.clear()
        return bot

    async def begin(self) -> None:
        """Ana asks."""
        self.calls_before = max([made["n"] for made in await self.slack.calls("auth.test")], default=0)
        sent = await self.ana.send(CHANNEL, FIRST)
        self.thread = sent.ts
        self.sent.append(sent.ts)

    async def succeed(self, without: tuple[Ablation, ...] = ()) -> Bot:
        """The bot is dead: its lease lapses and another one takes over."""
        self.journals.append([record.event for record in await self.store.read_log(self.sid)])
        await advance(self.store.keys, self.store, self.lease + timedelta(seconds=1))
        if self.doomed is not None and len(self.bots) < self.deaths:
            return await self.start(self.plan(*self.doomed, without=without))
        return await self.start(self.plan(without=without))

    async def until_done(self, without: tuple[Ablation, ...] = ()) -> None:
        """Do what people do until the answer stands there and nothing is left to do."""

        async def turn() -> bool:
            if self.bots[-1].ended.is_set():
                await self.succeed(without)
            await self.act(await self.slack.messages(CHANNEL, self.thread, user="U0ANA"))
            return await self.is_done()

        try:
            await wait_until("the journey's end", turn, within=WITHIN)
        except AssertionError as error:
            seen = [(m.user, m.words[:200]) for m in await self.slack.messages(CHANNEL, self.thread, user="U0ANA")]
            msg = f"{error}; in the thread: {seen}; journal: {await self.kinds()}; log: {self.bots[-1].log[-2000:]}"
            raise AssertionError(msg) from None

    async def is_done(self) -> bool:
        """Everything said was heard, the run has ended, all of it is shown, and nobody holds the session."""
        state = await load_state(self.store, self.sid)
        run = state.run
        if run is None or run.is_active or not await self.store.is_idle(self.sid):
            return False
        heard = sum(isinstance(event, MessageReceived) for event in await self.events())
        return heard >= len(self.sent) and all(post.done is not None for post in state.posts.values())

    async def act(self, messages: list[SlackMessage]) -> None:
        """Click what is armed, once for each bot; say the second thing while the payment waits."""
        for message in messages:
            for label in self.labels(message):
                if (message.ts, label) not in self.clicked:
                    self.clicked.add((message.ts, label))
                    await self.click(message, label)
                    return

    def labels(self, message: SlackMessage) -> list[str]:
        """Which button of a message a person would use now."""
        if message.has_button(WORKED):
            return [WORKED if self.payments else AGAIN]
        return [label for label in ("Summer", "Approve", GO_ON) if message.has_button(label)]

    async def click(self, message: SlackMessage, label: str) -> None:
        """Click; nobody may be there to take it."""
        if label == "Approve" and len(self.sent) == 1:
            self.sent.append((await self.ana.send(CHANNEL, SECOND, self.thread)).ts)
        try:
            await self.ana.click(message, label)
        except SlackRefused:
            self.clicked.discard((message.ts, label))

    async def events(self) -> list[AnyEvent]:
        """The whole journal."""
        return [load_event(record.event) for record in await self.store.read_log(self.sid)]

    async def kinds(self) -> list[str]:
        """The kinds of all events, in order."""
        return [event.kind for event in await self.events()]

    async def check(self) -> SessionState:
        """Every invariant. Raises AssertionError."""
        events = await self.events()
        state = await load_state(self.store, self.sid)
        self.check_journal(events, [record.event for record in await self.store.read_log(self.sid)])
        self.check_effects(events)
        await self.check_thread(state)
        return state

    def check_journal(self, events: list[AnyEvent], raw: list[str]) -> None:
        """No message lost, doubled or out of order; nothing recorded is gone; every call has one result."""
        heard = [event.ts for event in events if isinstance(event, MessageReceived)]
        assert heard == self.sent, f"messages {heard} instead of {self.sent}"
        for recorded in self.journals:
            assert raw[: len(recorded)] == recorded, "something recorded before a death is gone"
        results = [event.call_id for event in events if isinstance(event, CallFinished)]
        assert len(results) == len(set(results)) == self.calls, f"results of calls: {results}"

    def check_effects(self, events: list[AnyEvent]) -> None:
        """Paid once, unless a person asked for it again; published as approved."""
        again = sum(isinstance(event, QuestionAnswered) and event.answer == AGAIN for event in events)
        assert 1 <= len(self.payments) <= 1 + again * self.may_wake, f"paid {self.payments}, {again} repeats wanted"
        assert not self.publishes or self.published.read_text() == "paid Bob\n"

    async def check_thread(self, state: SessionState) -> None:
        """Each thing is shown once, the answer is whole, and no button is armed."""
        posted = [
            str(made["args"]["metadata"]["event_payload"]["op"])
            for made in await self.slack.calls("chat.postMessage", since=self.calls_before)
            if made["response"] and made["response"].get("ok") and made["args"].get("thread_ts") == self.thread
        ]
        twice = [op for op, group in itertools.groupby(sorted(posted)) if len(list(group)) > 1]
        assert not twice, f"posted twice: {twice}"
        assert {"plan:r1", "answer:r1:0", "answer:r1:1"} <= set(posted), posted
        messages = await self.slack.messages(CHANNEL, self.thread, user="U0ANA")
        armed = [
            (m.words[:80], e["action_id"]) for m in messages for e in m.elements if e["action_id"] != "show_output"
        ]
        # A bot frozen between its lease check and the socket may send an older content last: docs/reliability.md.
        assert not armed or self.may_wake, f"still armed: {armed}"
        assert state.run is not None
        # A payment whose result was lost has no receipt to show, only a person's word. What is said after the end of
        # a run begins another one.
        calls = [call for run in state.runs for call in run.calls.values()]
        produced = [file.path for call in calls if call.result for file in call.result.files]
        await wait_until(f"the files {produced} are shown, each once", lambda: self.are_shown(produced))
        assert state.run.answer == ANSWER

    async def are_shown(self, produced: list[str]) -> bool:
        """Whether the thread has these files and no others; Slack shows one a moment after it was shared."""
        messages = await self.slack.messages(CHANNEL, self.thread, user="U0ANA")
        return [file["name"] for message in messages for file in message.files] == produced
