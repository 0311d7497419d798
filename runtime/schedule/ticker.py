"""What happens periodically in every process: above all, the sweep of due deadlines.

Deadlines are data in the store; APScheduler only ticks, with its jobs in memory. Any number of processes tick at once
and none leads. Its stores are not shared: two schedulers on one job store double and lose jobs, and one of them stops
silently (APScheduler 3.11.3, and its issues 231 and 303).
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple, Protocol, cast

from apscheduler.schedulers.asyncio import AsyncIOScheduler  # pyright: ignore[reportMissingTypeStubs] # it has none

from runtime.store.errors import StoreUnavailable
from runtime.store.redis_store import SessionStore

LOG: Final = logging.getLogger(__name__)
SWEEP_EVERY: Final = timedelta(milliseconds=250)
SWEEP_LIMIT: Final = 100
DEAD_AFTER: Final = timedelta(seconds=15)
"""Longer than a request to a stalled store takes to give up, so that only a dead ticker is taken for one."""

Job = Callable[[], Awaitable[object]]


class Periodic(NamedTuple):
    """A job and how often it runs."""

    every: timedelta
    name: str
    job: Job


class Scheduler(Protocol):
    """What is used of APScheduler, which has no annotations."""

    @property
    def running(self) -> bool:
        """Whether it was started and not shut down."""
        ...

    def add_job(
        self,
        func: Job,
        trigger: str,
        *,
        seconds: float,
        id: str,  # noqa: A002 # its name
        next_run_time: datetime,
    ) -> object:
        """Call `func` periodically, first at a time."""
        ...

    def start(self) -> None:
        """Begin to tick."""
        ...

    def shutdown(self, wait: bool) -> None:
        """Tick no more."""
        ...


def new_scheduler() -> Scheduler:
    """A scheduler that keeps its jobs in memory, runs each once at a time and never gives one up for being late."""
    # At INFO it would log every sweep.
    logging.getLogger("apscheduler").setLevel(logging.ERROR)
    defaults = {"coalesce": True, "max_instances": 1, "misfire_grace_time": None}
    make = cast("Callable[..., Scheduler]", AsyncIOScheduler)
    return make(job_defaults=defaults, timezone=UTC)


class Ticker:
    """Sweeps deadlines and runs further periodic jobs; notices when it has died, and begins anew."""

    def __init__(
        self, store: SessionStore, *, every: timedelta = SWEEP_EVERY, dead_after: timedelta = DEAD_AFTER
    ) -> None:
        self.store = store
        self.dead_after = dead_after
        self.jobs: dict[str, tuple[Job, timedelta]] = {"sweep": (self.sweep, every)}
        self.scheduler: Scheduler | None = None
        self.watchdog: asyncio.Task[None] | None = None
        self.running: set[asyncio.Task[object]] = set()
        self.last_tick = time.monotonic()
        self.last_sweep_at: datetime | None = None
        """When a sweep last succeeded, by this process's clock."""
        self.restarts = 0
        self.outage = ""
        """Why the last sweep failed; empty when it did not."""

    def every(self, period: timedelta, name: str, job: Job) -> None:
        """Add a periodic job, before the start. It may raise `StoreUnavailable`; its next turn tries again."""
        self.jobs[name] = (job, period)

    def start(self) -> None:
        """Begin to tick in the running event loop."""
        self.begin()
        self.watchdog = asyncio.create_task(self.watch(), name="watchdog of the ticker")

    async def stop(self) -> None:
        """End; a job under way is cancelled."""
        if self.watchdog is not None:
            self.watchdog.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self.watchdog
        await self.end()

    def silence(self) -> str:
        """That nothing ticks, which a new process would mend; empty when something does."""
        silent = time.monotonic() - self.last_tick
        return f"the ticker has been silent for {silent:.0f} s" if silent > self.dead_after.total_seconds() else ""

    def unwell(self) -> str:
        """What is wrong, for the health page; empty when nothing is."""
        return self.silence() or (f"deadlines are not swept: {self.outage}" if self.outage else "")

    async def sweep(self) -> None:
        """Deliver every due deadline."""
        self.last_tick = time.monotonic()
        try:
            while await self.store.sweep(SWEEP_LIMIT) >= SWEEP_LIMIT:
                pass
        except StoreUnavailable as error:
            self.outage = str(error)
            raise
        self.outage = ""
        self.last_sweep_at = datetime.now(UTC)

    def guarded(self, name: str, job: Job) -> Job:
        """The job as the scheduler calls it: tracked, and an outage is not an error."""

        async def call() -> None:
            task = cast("asyncio.Task[object]", asyncio.current_task())
            self.running.add(task)
            try:
                await job()
            except StoreUnavailable as error:
                LOG.debug("job %s waits for the store: %s", name, error)
            except asyncio.CancelledError:
                # The task ends here in any case; APScheduler would log its cancellation as an error.
                LOG.debug("job %s is cancelled", name)
            finally:
                self.running.discard(task)

        return call

    def begin(self) -> None:
        """Start a fresh scheduler with all jobs."""
        self.last_tick = time.monotonic()
        self.scheduler = new_scheduler()
        for name, (job, period) in self.jobs.items():
            # Now as well: a process that never lives for an hour would never do what is done hourly.
            self.scheduler.add_job(
                self.guarded(name, job),
                "interval",
                seconds=period.total_seconds(),
                id=name,
                next_run_time=datetime.now(UTC),
            )
        self.scheduler.start()

    async def end(self) -> None:
        """Stop the scheduler and what it runs."""
        if self.scheduler is not None and self.scheduler.running:
            self.scheduler.shutdown(wait=False)
        self.scheduler = None
        running = list(self.running)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    async def watch(self) -> None:
        """Begin anew when no sweep has even started for too long."""
        while True:
            await asyncio.sleep(self.dead_after.total_seconds() / 4)
            if time.monotonic() - self.last_tick > self.dead_after.total_seconds():
                self.restarts += 1
                LOG.error("the ticker has stopped; starting it again")
                await self.end()
                self.begin()
