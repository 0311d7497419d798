"""A session runner for tests: it journals what it consumes, and lets a test decide what a step does meanwhile."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta

from runtime.engine.lease import Lease
from runtime.engine.port import RunOutcome
from runtime.engine.worker import Worker
from runtime.store.redis_store import SessionStore

Step = Callable[["Turn"], Awaitable[RunOutcome | None]]


@dataclass(slots=True, kw_only=True)
class Turn:
    """What one run of a session looks like from inside."""

    store: SessionStore
    lease: Lease
    preempt: asyncio.Event
    slice_over: Callable[[], bool]
    by: str
    seq: int

    async def take_in(self) -> list[str]:
        """Consume what the inbox holds and journal it; returns the payloads."""
        entries = await self.store.read_inbox(self.lease.sid)
        for entry in entries:
            await self.note(entry.payload, consume=(entry.id,))
        return [entry.payload for entry in entries]

    async def note(self, what: str, *, consume: tuple[str, ...] = ()) -> None:
        """Append one event."""
        done = await self.store.commit(
            self.lease.sid,
            self.lease.token,
            self.seq,
            events=[json.dumps({"what": what, "by": self.by, "token": self.lease.token})],
            consume_ids=consume,
            status="running",
            reader_version=1,
        )
        self.seq = done.seq


async def nothing_more(turn: Turn) -> None:
    """A step that only takes in."""
    while await turn.take_in():
        pass


@dataclass(slots=True, kw_only=True)
class JournallingRunner:
    """Implements `SessionRunner`, and sees whether two of its kind ever run one session at once."""

    store: SessionStore
    name: str
    step: Step = nothing_more
    inside: Counter[str] = field(default_factory=Counter[str])
    """Sessions being run now, over all runners that share it."""
    overlaps: list[str] = field(default_factory=list[str])

    async def run(self, lease: Lease, preempt: asyncio.Event, slice_over: Callable[[], bool]) -> RunOutcome:
        """One turn."""
        self.inside[lease.sid] += 1
        if self.inside[lease.sid] > 1:
            self.overlaps.append(lease.sid)
        try:
            turn = Turn(
                store=self.store, lease=lease, preempt=preempt, slice_over=slice_over, by=self.name, seq=lease.seq
            )
            return await self.step(turn) or RunOutcome(again=False)
        finally:
            self.inside[lease.sid] -= 1


@asynccontextmanager
async def at_work(
    runner: JournallingRunner,
    *,
    concurrency: int = 4,
    ttl: timedelta = timedelta(seconds=20),
    turn: timedelta = timedelta(seconds=2),
    grace: timedelta = timedelta(seconds=5),
) -> AsyncGenerator[Worker]:
    """A worker with this runner, drained at the end of the block."""
    worker = Worker(
        runner.store,
        runner,
        name=runner.name,
        reader_version=1,
        concurrency=concurrency,
        ttl=ttl,
        turn=turn,
        poll=timedelta(milliseconds=100),
    )
    task = asyncio.create_task(worker.run(grace), name=f"worker {runner.name}")
    try:
        yield worker
    finally:
        worker.stop()
        await task


async def say(store: SessionStore, sid: str, what: str, *, urgent: bool = False) -> None:
    """Push one entry, which must be taken."""
    pushed = await store.push(sid, what, "stop" if urgent else "message", what, maxlen=1000, urgent=urgent)
    assert pushed == "ok"


async def noted(store: SessionStore, sid: str) -> list[str]:
    """What the session's journal says, in order."""
    return [json.loads(record.event)["what"] for record in await store.read_log(sid)]
