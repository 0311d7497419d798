"""Begins work that is due: in its owner's name, if they still may, as one message to one session.

Exactly once across replicas and crashes: a schedule is given to one process at a time, and the message it pushes has
the same id whoever pushes it. After a downtime each schedule is begun once, however often it was due.
"""

import logging
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Protocol

from runtime.schedule.records import BadTimes, Schedule
from runtime.schedule.store import Schedules, Taken
from runtime.session.commands import Commands
from runtime.session.entries import MessageEntry
from runtime.session.ids import SessionKey
from runtime.store.redis_store import SessionStore

LOG: Final = logging.getLogger(__name__)
PATIENCE_MS: Final = timedelta(minutes=5) // timedelta(milliseconds=1)
"""So long work on a schedule stands back while people wait for a worker."""


class NotNow(Exception):
    """The place cannot be asked or reached at the moment; it is tried again."""


class Places(Protocol):
    """Where scheduled work happens. Implementation: `bot.delivery.scheduled.ScheduledPlaces`."""

    async def refusal(self, schedule: Schedule) -> str:
        """Why its owner may not have it run any more, by a code; empty when they may.

        Raises:
            NotNow: that cannot be told now.
        """
        ...

    async def open(self, schedule: Schedule, at_ms: int) -> SessionKey:
        """The thread of one occurrence, the same one when asked again.

        Raises:
            NotNow: it cannot be opened now.
        """
        ...

    async def tell_paused(self, schedule: Schedule) -> None:
        """Tell the owner that it no longer runs, and why. Never raises."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Firing:
    """The job of every process."""

    schedules: Schedules
    sessions: SessionStore
    places: Places

    async def tick(self) -> None:
        """Begin what is due. People come first: nothing is begun while somebody waits for a worker."""
        crowded = await self.sessions.waiting() > 0
        for taken in await self.schedules.take():
            if crowded and taken.now_ms - taken.at_ms < PATIENCE_MS:
                await self.schedules.done(taken, taken.schedule, taken.at_ms)
                continue
            try:
                await self.fire(taken)
            except NotNow as error:
                # Its lease lapses and it is taken again.
                LOG.warning("schedule %s waits: %s", taken.schedule.id, error)

    async def fire(self, taken: Taken) -> None:
        """One occurrence."""
        schedule = taken.schedule
        refusal = await self.places.refusal(schedule)
        if refusal:
            paused = schedule.model_copy(update={"paused": True, "why_paused": refusal})
            if await self.schedules.done(taken, paused, 0):
                await self.places.tell_paused(paused)
            return
        key = await self.places.open(schedule, taken.at_ms)
        ts = f"{taken.at_ms / 1000:.6f}"
        entry = MessageEntry(
            entry_id=f"s:{schedule.id}:{taken.at_ms}",
            ts=ts,
            user=schedule.owner,
            text=schedule.prompt,
            mentions_bot=True,
        )
        await Commands(self.sessions).submit(key, entry)
        fired = schedule.model_copy(update={"fired_ms": taken.at_ms})
        try:
            next_ms = schedule.next_ms(taken.now_ms)
        except BadTimes as error:
            LOG.warning("schedule %s: %s", schedule.id, error)
            next_ms = 0
        await self.schedules.done(taken, fired if next_ms else None, next_ms)
