"""The boundary between what runs a session and what decides where and when it runs.

Above: the bot, which pushes entries and may wait for a session to come to rest. Below: a machinery that gives each
session to one runner at a time, survives the death of that runner, and comes back when something arrives.
Implementations: `runtime.engine.redis_engine.RedisEngine`. Another one (an entity workflow of Temporal, say) hosts the
same `SessionRunner` and is held to the same contract suite, `tests/engine/test_engine_contract.py`.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from runtime.engine.lease import Lease


class Engine(Protocol):
    """Runs sessions."""

    async def run_until_idle(self, session_id: str) -> None:
        """Return when the session has nothing to do: it is finished, or waits for a person or a deadline."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOutcome:
    """Why a runner returned."""

    again: bool
    """There is more to do: the session goes to the end of the queue."""
    delay: timedelta | None = None
    """Come back after this long, also when `again` is false. An urgent entry ends the delay."""
    is_patient: bool = False
    """What is urgent in the inbox waits for the delay as well: nothing may be done now."""


class SessionRunner(Protocol):
    """Runs one session while it is held; the runtime implements it."""

    async def run(self, lease: Lease, preempt: asyncio.Event, slice_over: Callable[[], bool]) -> RunOutcome:
        """Work until there is nothing to do or the turn is over.

        Whatever is in the inbox must be consumed before returning with nothing to do; else the session comes back at
        once. Cancelled when the lease is lost or the process has to end.

        Args:
            lease: the right to run; `is_safe` is to be asked before every effect outside the store.
            preempt: set when an urgent entry waits. The runner clears it, then looks into the inbox.
            slice_over: to be asked between steps; true when others wait or the process ends.

        Raises:
            LeaseLost: the session is another runner's; nothing is released.
            JournalConflict: the journal stands elsewhere than thought; the session is loaded again.
            StoreUnavailable: the store is away; the session is loaded again when it is back.
        """
        ...
