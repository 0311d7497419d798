"""Begins work that is due: in its owner's name, if they still may, as one message to one session.

Exactly once across replicas and crashes: a schedule is given to one process at a time, and the message it pushes has
the same id whoever pushes it. After a downtime each schedule is begun once, however often it was due.

Nobody waits behind it: one at a time is begun, only while nobody waits for a worker and a place for schedules is free.
"""

import logging
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, NamedTuple, Protocol

from runtime.schedule.records import BadTimes, Schedule
from runtime.schedule.store import Schedules, Taken
from runtime.session.commands import Commands
from runtime.session.entries import MessageEntry
from runtime.session.ids import SessionKey
from runtime.store.redis_store import SessionStore

LOG: Final = logging.getLogger(__name__)
PATIENCE_MS: Final = timedelta(minutes=5) // timedelta(milliseconds=1)
"""So long work on a schedule stands back while people wait for a worker."""
AT_WORK: Final = frozenset({"running", "waiting"})
"""What the status of a session says while a run is active in it."""


class NotNow(Exception):
    """The place cannot be asked or reached at the moment; it is tried again."""


class PlaceGone(Exception):
    """The place does not exist any more, or the bot is not in it."""


class Opened(NamedTuple):
    """The thread of one occurrence, and the message in it that says whose schedule it is."""

    key: SessionKey
    ts: str


class Places(Protocol):
    """Where scheduled work happens. Implementation: `bot.delivery.scheduled.ScheduledPlaces`."""

    async def refusal(self, schedule: Schedule) -> str:
        """Why its owner may not have it run any more, by a code; empty when they may.

        Raises:
            NotNow: that cannot be told now.
        """
        ...

    async def open(self, schedule: Schedule, at_ms: int) -> Opened:
        """The thread of one occurrence with its first message, the same when asked again.

        Raises:
            NotNow: it cannot be opened now.
            PlaceGone: it never can.
        """
        ...

    async def tell_paused(self, schedule: Schedule) -> None:
        """Tell the owner that it no longer runs, and why. Never raises."""
        ...


class Room(Protocol):
    """Places at work for runs of schedules. Implementation: `runtime.budget.seats.Seats`.

    Both raise `StoreUnavailable` when Redis is away.
    """

    async def has_room(self) -> bool:
        """Whether one more would find a place now."""
        ...

    async def expect(self, schedule_id: str) -> None:
        """A run of this schedule is about to take its place."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Firing:
    """The job of every process."""

    schedules: Schedules
    sessions: SessionStore
    places: Places
    room: Room | None = None
    """None: as many as there are slots."""

    async def tick(self) -> None:
        """Begin what is due, one after the other, until people would wait for it."""
        while await self.begin_one():
            pass

    async def begin_one(self) -> bool:
        """Begin what has been due for longest; False when that is nothing, or has to stand back."""
        if self.room is not None and not await self.room.has_room():
            return False
        crowded = await self.sessions.waiting() > 0
        for taken in await self.schedules.take(1):
            if crowded and taken.now_ms - taken.at_ms < PATIENCE_MS:
                await self.schedules.done(taken, taken.schedule, taken.at_ms)
                return False
            try:
                await self.fire(taken)
            except NotNow as error:
                # Its lease lapses and it is taken again.
                LOG.info("schedule %s waits: %s", taken.schedule.id, error)
            return not crowded
        return False

    async def fire(self, taken: Taken) -> None:
        """One occurrence.

        Raises:
            NotNow: it cannot begin yet.
        """
        schedule = taken.schedule
        refusal = await self.places.refusal(schedule)
        if refusal:
            await self.pause(taken, refusal)
            return
        if schedule.target == "thread" and await self.is_at_work(schedule):
            # What is said into a run would steer it.
            raise NotNow("a run is active in its thread")
        try:
            opened = await self.places.open(schedule, taken.at_ms)
        except PlaceGone:
            await self.pause(taken, "place")
            return
        await self.push(taken, opened)
        if self.room is not None:
            await self.room.expect(schedule.id)
        fired = schedule.model_copy(update={"fired_ms": taken.at_ms})
        try:
            next_ms = schedule.next_ms(taken.now_ms)
        except BadTimes as error:
            LOG.warning("schedule %s: %s", schedule.id, error)
            next_ms = 0
        await self.schedules.done(taken, fired if next_ms else None, next_ms)

    async def push(self, taken: Taken, opened: Opened) -> None:
        """Say it in the owner's name; the same occurrence is said once.

        Raises:
            NotNow: the thread takes no more messages at the moment.
        """
        schedule = taken.schedule
        entry = MessageEntry(
            entry_id=f"s:{schedule.id}:{taken.at_ms}",
            ts=opened.ts,
            user=schedule.owner,
            text=schedule.prompt,
            mentions_bot=True,
            schedule_id=schedule.id,
        )
        if await Commands(self.sessions).submit(opened.key, entry) == "full":
            raise NotNow("its thread takes no more messages at the moment")

    async def is_at_work(self, schedule: Schedule) -> bool:
        """Whether a run is active in the schedule's own thread."""
        key = SessionKey(team=schedule.team, channel=schedule.channel, thread_ts=schedule.thread_ts)
        return (await self.sessions.row(str(key), 0)).status in AT_WORK

    async def pause(self, taken: Taken, why: str) -> None:
        """It runs no more until its owner resumes it, who is told."""
        paused = taken.schedule.model_copy(update={"paused": True, "why_paused": why})
        if await self.schedules.done(taken, paused, 0):
            await self.places.tell_paused(paused)
