"""The storm: people who work with the bot, and someone who breaks things meanwhile."""

import asyncio
import random
import signal
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from runtime.session.writer import load_state
from runtime.store.errors import StoreError
from runtime.store.redis_store import SessionStore
from tests.durability.bots import Bot, Zygote, zygote
from tests.durability.journey import ANSWER, CHANNEL, Journey
from tests.durability.plan import Ablation, Plan
from tests.durability.playing import steady_model, turns
from tests.support.model import call
from tests.support.redis import RedisServer, remove, start_server
from tests.support.slack import LocalSlack, SlackRefused, local_slack
from tests.waiting import wait_until

LEASE = timedelta(seconds=2)
"""Short, so that a bot can be frozen for longer; who freezes none takes a longer one."""
REPLIES = turns(
    call("planning", command="create", title="Pay", steps=["Ask", "Pay"]),
    call("ask_human", question="From which account?", choices=["Summer", "Winter"]),
    call("pay", to="Bob"),
    ANSWER,
)
AT_ONCE = 4
"""Threads that are worked on at the same time."""
SCENE = {"settings": {"redelivery_seconds": 6, "file_share_seconds": 0.01}}
AFTERWARDS = 120.0
"""Seconds in which everything must have come to its end once the storm is over."""


@dataclass(slots=True, kw_only=True)
class Storm:
    """What is going on, and what was counted."""

    slack: LocalSlack
    redis: RedisServer
    store: SessionStore
    zygote: Zygote
    folder: Path
    model_url: str
    replicas: int
    lease: timedelta = LEASE
    without: tuple[Ablation, ...] = ()
    dice: random.Random = field(default_factory=lambda: random.Random(7))  # noqa: S311 - a storm, not a secret
    bots: list[Bot] = field(default_factory=list[Bot])
    started: int = 0
    journeys: list[Journey] = field(default_factory=list[Journey])
    counts: Counter[str] = field(default_factory=Counter[str])
    over: bool = False

    def new_journey(self) -> Journey:
        """A thread whose bots are this storm's."""
        return Journey(
            slack=self.slack,
            store=self.store,
            zygote=self.zygote,
            folder=self.folder,
            redis_url=self.redis.url,
            model_url=self.model_url,
            lease=self.lease,
            calls=len(REPLIES) - 1,
            publishes=False,
            may_wake=True,
        )

    async def start_bot(self, *command: str) -> Bot:
        """One more replica; by default one that serves."""
        template = self.new_journey().plan(without=self.without)
        folder = str(self.folder / f"bot{self.started}")
        self.started += 1
        plan = Plan(environment=template.environment, folder=folder, without=self.without)
        return await self.zygote.start(plan.model_copy(update={"command": command}) if command else plan)

    async def keep_replicas(self) -> None:
        """Start again what has ended."""
        for index, bot in enumerate(self.bots):
            if bot.ended.is_set():
                self.bots[index] = await self.start_bot()

    async def one_person(self) -> None:
        """Ask, answer, approve, sometimes twice; then ask again in a new thread."""
        while not self.over:
            journey = self.new_journey()
            await journey.begin()
            self.journeys.append(journey)
            self.counts["threads"] += 1
            while not self.over and not await self.has_ended(journey):
                await self.act(journey)
                await asyncio.sleep(0.05)

    async def act(self, journey: Journey) -> None:
        """What a person does now; a button stays clickable until it has had its effect."""
        before = set(journey.clicked)
        await journey.act(await self.slack.messages(CHANNEL, journey.thread, user="U0ANA"))
        fresh = journey.clicked - before
        self.counts["clicks"] += len(fresh)
        if self.dice.random() < 0.1:
            # A click that came to nothing is made again; one that had its effect finds no button.
            journey.clicked.clear()
            self.counts["clicks made again"] += 1

    async def has_ended(self, journey: Journey) -> bool:
        """Whether the thread has its answer, as far as can be told in this weather."""
        try:
            return await journey.is_done()
        except StoreError:
            return False

    async def break_things(self) -> None:
        """One misfortune after the other."""
        acts: tuple[tuple[int, Callable[[], Awaitable[None]]], ...] = (
            (5, self.kill_bot),
            (3, self.freeze_bot),
            (1, self.kill_redis),
            (3, self.deliver_again),
            (1, self.drop_sockets),
        )
        weights = [weight for weight, _ in acts]
        # Each once to begin with: chance alone would leave one out now and then, on a busy machine more often.
        ahead = [act for _, act in acts]
        while not self.over:
            await asyncio.sleep(self.dice.uniform(0.3, 1.2))
            (chosen,) = [ahead.pop(0)] if ahead else self.dice.choices([act for _, act in acts], weights)
            await chosen()
            await self.keep_replicas()

    async def kill_bot(self) -> None:
        """Kill -9."""
        await self.dice.choice(self.bots).kill()
        self.counts["bots killed"] += 1

    async def freeze_bot(self) -> None:
        """SIGSTOP for longer than a lease."""
        bot = self.dice.choice(self.bots)
        await bot.freeze()
        await asyncio.sleep(self.lease.total_seconds() * self.dice.uniform(1.1, 1.6))
        bot.signal(signal.SIGCONT)
        self.counts["bots frozen longer than the lease"] += 1

    async def kill_redis(self) -> None:
        """A power cut, and back."""
        await asyncio.to_thread(self.redis.kill)
        await asyncio.sleep(self.dice.uniform(0.1, 0.8))
        await asyncio.to_thread(self.redis.start_again)
        self.counts["Redis killed"] += 1

    async def deliver_again(self) -> None:
        """Slack sends an old event once more."""
        events = [one for one in await self.slack.deliveries() if one["kind"] == "events_api"]
        if events:
            await self.slack.deliver(self.dice.choice(events[-20:])["payload"])
            self.counts["events delivered again"] += 1

    async def drop_sockets(self) -> None:
        """Every connection to Slack breaks."""
        await self.slack.drop_sockets()
        self.counts["sockets dropped"] += 1

    async def blow(self, seconds: float) -> None:
        """Let it rage, then let everything come to its end."""
        self.bots = [await self.start_bot() for _ in range(self.replicas)]
        people = [asyncio.create_task(self.one_person(), name=f"person {n}") for n in range(AT_ONCE)]
        breaker = asyncio.create_task(self.break_things(), name="misfortune")
        await asyncio.wait({breaker, *people}, timeout=seconds, return_when=asyncio.FIRST_EXCEPTION)
        self.over = True
        await asyncio.gather(breaker, *people)
        await self.keep_replicas()

    async def calm(self) -> None:
        """Everybody finishes what was begun."""

        async def all_done() -> bool:
            for journey in self.journeys:
                if not await self.has_ended(journey):
                    await self.act(journey)
            return all([await self.has_ended(journey) for journey in self.journeys])

        try:
            await wait_until("every thread has its answer", all_done, within=AFTERWARDS)
        except AssertionError as error:
            stuck = [await self.described(one) for one in self.journeys if not await self.has_ended(one)]
            msg = f"{error}; {len(stuck)} of {len(self.journeys)} are stuck: {stuck[:3]}"
            raise AssertionError(msg) from None

    async def described(self, journey: Journey) -> str:
        """Where a thread stands: its journal, its inbox, what is seen of it, and what Slack could not deliver."""
        seen = [message.words[:120] for message in await self.slack.messages(CHANNEL, journey.thread, user="U0ANA")]
        inbox = [entry.kind for entry in await self.store.read_inbox(journey.sid)]
        failed = [one["n"] for one in await self.slack.deliveries() if one["state"] == "failed"]
        return f"{journey.sid}: {(await journey.kinds())[-12:]}, inbox {inbox}, seen {seen}, undelivered {failed}"

    async def judge(self) -> list[str]:
        """Every broken promise, in words."""
        broken: list[str] = []
        for journey in self.journeys:
            try:
                state = await journey.check()
            except AssertionError as error:
                broken.append(f"{journey.sid}: {error}")
                continue
            self.counts["answers"] += 1
            run = state.run
            self.counts["questions about lost calls"] += sum(
                question.asked.purpose == "outcome_unknown" for question in (run.questions.values() if run else ())
            )
            self.counts["events journalled"] += (await load_state(self.store, journey.sid)).seq
        self.counts["promises broken"] = len(broken)
        return broken


@asynccontextmanager
async def storm(
    folder: Path, *, replicas: int = 3, lease: timedelta = LEASE, without: tuple[Ablation, ...] = ()
) -> AsyncGenerator[Storm]:
    """Everything a storm needs, gone afterwards."""
    folder.mkdir(parents=True, exist_ok=True)
    redis = await asyncio.to_thread(start_server, "--appendonly", "yes", "--appendfsync", "everysec")
    try:
        async with (
            local_slack(folder, SCENE) as slack,
            steady_model(REPLIES) as model_url,
            zygote() as forking,
        ):
            store = await SessionStore.open(redis.url)
            made = Storm(
                slack=slack,
                redis=redis,
                store=store,
                zygote=forking,
                folder=folder,
                model_url=model_url,
                replicas=replicas,
                lease=lease,
                without=without,
            )
            made.new_journey().prepare()
            try:
                yield made
            finally:
                await forking.kill_all()
                await store.aclose()
    finally:
        remove(redis)


__all__ = ["SlackRefused", "Storm", "storm"]
