"""Claims sessions as they become ready and runs several at once, each in its own task."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Final

from runtime.engine.lease import Lease
from runtime.engine.port import SessionRunner
from runtime.engine.switch import pause_of
from runtime.engine.tenure import Tenure
from runtime.store.errors import StoreUnavailable
from runtime.store.redis_store import SessionStore, milliseconds

LOG: Final = logging.getLogger(__name__)
LEASE: Final = timedelta(seconds=20)
TURN: Final = timedelta(seconds=2)
"""How long a session may keep its turn while others wait."""
POLL: Final = timedelta(seconds=1)
"""How often the worker looks without having been rung; a lost doorbell costs this much."""
LONGEST_OUTAGE_PAUSE: Final = 5.0
GRACE: Final = timedelta(seconds=25)
"""How long a stopping worker waits for its sessions to reach the end of a step."""


class Worker:
    """Runs sessions of one store until it is stopped."""

    def __init__(
        self,
        store: SessionStore,
        runner: SessionRunner,
        *,
        name: str,
        reader_version: int,
        concurrency: int = 8,
        ttl: timedelta = LEASE,
        turn: timedelta = TURN,
        poll: timedelta = POLL,
    ) -> None:
        self.store = store
        self.runner = runner
        self.name = name
        self.reader_version = reader_version
        self.concurrency = concurrency
        self.ttl = ttl
        self.turn = turn
        self.poll = poll
        self.tenures: dict[str, Tenure] = {}
        self.tasks: set[asyncio.Task[None]] = set()
        self.wake = asyncio.Event()
        self.stopping = False
        self.others_wait = False
        self.pauses: Mapping[str, str] = {}
        self.outage = ""
        """Why the store cannot be used at the moment; empty while it can."""

    async def run(self, grace: timedelta = GRACE) -> None:
        """Claim and run until `stop` was called and the sessions at hand were released.

        When cancelled, the steps under way are cancelled and their sessions released.
        """
        listener = asyncio.create_task(self.listen(), name=f"doorbell of {self.name}")
        try:
            outages = 0
            while not self.stopping:
                outages = 0 if await self.fill() else outages + 1
                await self.rest(outages)
            if self.tasks:
                await asyncio.wait(self.tasks, timeout=grace.total_seconds())
        finally:
            await self.clear(listener)

    def stop(self) -> None:
        """Begin to drain: claim nothing more, end each turn at the next step boundary."""
        self.stopping = True
        self.wake.set()

    async def fill(self) -> bool:
        """Claim while there is room; False when the store is away."""
        try:
            await self.obey()
            while len(self.tasks) < self.concurrency and not self.stopping:
                sent_at = time.monotonic()
                claimed = await self.store.claim(self.name, milliseconds(self.ttl), self.reader_version)
                if claimed is None:
                    self.others_wait = False
                    break
                self.begin(Lease.of(claimed, self.ttl, sent_at))
            else:
                self.others_wait = await self.store.waiting() > 0
        except StoreUnavailable as error:
            if not self.outage:
                LOG.warning("the store is away; trying again: %s", error)
            self.outage = str(error)
            return False
        if self.outage:
            LOG.warning("the store is back")
        self.outage = ""
        return True

    async def obey(self) -> None:
        """Look at the kill switch, and cancel the steps of what was paused; their sessions are released."""
        self.pauses = await self.store.pauses()
        for sid, tenure in self.tenures.items():
            if tenure.task is not None and not tenure.lease.paused and pause_of(self.pauses, sid):
                tenure.task.cancel()

    def begin(self, lease: Lease) -> None:
        """Run one session in a task of its own."""
        lease.paused = pause_of(self.pauses, lease.sid)
        tenure = Tenure(store=self.store, runner=self.runner, lease=lease, slice_over=self.new_turn())
        self.tenures[lease.sid] = tenure
        task = asyncio.create_task(tenure.serve(), name=f"tenure {lease.sid}")
        tenure.task = task
        self.tasks.add(task)

        def end(done: "asyncio.Task[None]") -> None:
            self.tasks.discard(done)
            # The session may have been claimed again already, under a newer lease.
            if self.tenures.get(lease.sid) is tenure:
                del self.tenures[lease.sid]
            self.wake.set()

        task.add_done_callback(end)

    def new_turn(self) -> Callable[[], bool]:
        """A turn that begins now: the question whether it is over."""
        ends_at = time.monotonic() + self.turn.total_seconds()
        return lambda: self.stopping or (self.others_wait and time.monotonic() > ends_at)

    async def rest(self, outages: int) -> None:
        """Wait for the doorbell, a free slot or the next look."""
        seconds = min(self.poll.total_seconds() * 2 ** max(0, outages - 1), LONGEST_OUTAGE_PAUSE)
        # Not `wait_for`, which before Python 3.12 can swallow a cancellation.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.wake.wait()
        self.wake.clear()

    async def listen(self) -> None:
        """Take the doorbell's rings: an urgent one goes to the session's step, any other may be claimed."""
        async with contextlib.aclosing(self.store.bell()) as rings:
            async for ring in rings:
                tenure = self.tenures.get(ring.sid)
                if tenure is not None and ring.urgent:
                    tenure.preempt.set()
                self.wake.set()

    async def clear(self, listener: "asyncio.Task[None]") -> None:
        """End what is left of this worker's tasks."""
        for task in (listener, *self.tasks):
            task.cancel()
        await asyncio.gather(listener, *self.tasks, return_exceptions=True)
