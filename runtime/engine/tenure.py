"""One session in the hands of this process: run it, keep its lease, give it back."""

import asyncio
import contextlib
import logging
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from runtime.context import WORK, Work
from runtime.engine.lease import Lease
from runtime.engine.port import RunOutcome, SessionRunner
from runtime.store.errors import JournalConflict, LeaseLost, StoreUnavailable
from runtime.store.redis_store import SessionStore, milliseconds

LOG: Final = logging.getLogger(__name__)
FIRST_BACK_OFF: Final = timedelta(seconds=1)
LONGEST_BACK_OFF: Final = timedelta(minutes=5)
RELOAD_AFTER: Final = timedelta(milliseconds=200)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How the session is given back."""

    again: bool
    failed: bool = False
    delay: timedelta = timedelta(0)
    is_patient: bool = False


@dataclass(slots=True, kw_only=True)
class Tenure:
    """A lease and what runs under it."""

    store: SessionStore
    runner: SessionRunner
    lease: Lease
    slice_over: Callable[[], bool]
    preempt: asyncio.Event = field(default_factory=asyncio.Event)
    lost: bool = False
    task: "asyncio.Task[None] | None" = None
    """The task that serves it, for who has to cancel it."""

    async def serve(self) -> None:
        """Run the session, then release it. When cancelled, the step under way is cancelled and the session released.

        Never raises but `CancelledError`: what the runner raised is logged with a reference, and the session waits.
        """
        WORK.set(Work(session=self.lease.sid))
        run = asyncio.create_task(self.run(), name=f"run {self.lease.sid}")
        keeper = asyncio.create_task(self.keep(run), name=f"keep {self.lease.sid}")
        ending = Ending(again=True)
        try:
            await asyncio.wait({run})
            # Stands only when the runner was cancelled by no one we know: it must not come back at once for ever.
            ending = Ending(again=True, failed=True, delay=FIRST_BACK_OFF)
        finally:
            run.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                ending = await run
            keeper.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await keeper
            await self.release(ending)

    async def run(self) -> Ending:
        """Call the runner and turn what it raises into an ending. The worker's boundary: nothing passes."""
        try:
            outcome = await self.runner.run(self.lease, self.preempt, self.slice_over)
        except LeaseLost:
            self.lost = True
            return Ending(again=False)
        except (JournalConflict, StoreUnavailable) as error:
            LOG.warning("session %s is loaded again: %s", self.lease.sid, error)
            return Ending(again=True, delay=RELOAD_AFTER)
        except Exception:
            delay = min(FIRST_BACK_OFF * 2 ** min(self.lease.failures, 10), LONGEST_BACK_OFF)
            reference = secrets.token_hex(4)
            LOG.exception("session %s failed [%s]; again in %s", self.lease.sid, reference, delay)
            return Ending(again=True, failed=True, delay=delay)
        return as_ending(outcome)

    async def keep(self, run: "asyncio.Task[Ending]") -> None:
        """Renew until cancelled; cancel the runner when the session is, or may be, another's."""
        ttl = self.lease.ttl
        while not self.lost:
            await asyncio.sleep(ttl.total_seconds() / 4)
            sent_at = time.monotonic()
            try:
                outcome = await self.store.renew(self.lease.sid, self.lease.token, milliseconds(ttl))
            except StoreUnavailable:
                self.lost = self.lease.is_past()
                continue
            if outcome == "fenced":
                self.lost = True
                continue
            self.lease.renewed_at = sent_at
            if outcome == "urgent":
                self.preempt.set()
        LOG.warning("the lease %s of session %s is lost; its step is cancelled", self.lease.token, self.lease.sid)
        run.cancel()

    async def release(self, ending: Ending) -> None:
        """Give the session back; for a bounded time also against an outage, since a lapse would count as a crash."""
        for attempt in range(6):
            try:
                await self.store.release(
                    self.lease.sid,
                    self.lease.token,
                    again=ending.again,
                    failed=ending.failed,
                    is_patient=ending.is_patient,
                    delay_ms=milliseconds(ending.delay),
                )
            except StoreUnavailable:
                await asyncio.sleep(0.1 * 2**attempt)
            else:
                return


def as_ending(outcome: RunOutcome) -> Ending:
    """A delay means to come back, whether or not there is more to do now."""
    return Ending(
        again=outcome.again or outcome.delay is not None,
        delay=outcome.delay or timedelta(0),
        is_patient=outcome.is_patient,
    )
