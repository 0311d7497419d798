"""Fair use: how many runs of one person and of one channel work at the same time, and how often they may ask."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, NamedTuple

from runtime.budget.ledger import Ledger
from runtime.session.events import NoteCode, RunNoted
from runtime.session.ids import SessionKey
from runtime.session.state import RunState
from runtime.session.writer import SessionWriter
from runtime.settings_budget import FairSettings
from runtime.store.connection import translated
from runtime.store.redis_store import milliseconds
from runtime.store.scripts import items, number, text

SEAT_FOR: Final = timedelta(minutes=21)
"""How long a seat is kept that nobody renews, which happens between steps; its run is then thought to be gone."""
WINDOW: Final = timedelta(hours=1)
SCHEDULES: Final = "schedules"
EXPECTED: Final = "expected"
"""Whose places are those of schedules that were begun and are not at work yet."""
EXPECTED_FOR: Final = timedelta(seconds=30)
MANY: Final = 1_000_000


class TooMany(NamedTuple):
    """Who made too many requests lately."""

    whose: str
    """`person` or `channel`."""
    limit: int
    wait: timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class Seats:
    """Places at work, over all replicas."""

    ledger: Ledger
    settings: FairSettings
    concurrency: int = 8
    """How many sessions one process runs at once; work on schedules gets half of them at most."""
    kept: timedelta = SEAT_FOR
    """Longer than a step may take."""

    @property
    def scheduled(self) -> int:
        """How many runs of schedules may be at work."""
        return min(self.settings.runs_scheduled, max(1, self.concurrency // 2))

    async def has_room(self) -> bool:
        """Whether one more run of a schedule would find a place now.

        Raises:
            StoreUnavailable: Redis is away.
        """
        taken = [number(await self.ledger.run("seated", whose=whose)) for whose in (SCHEDULES, EXPECTED)]
        return sum(taken) < self.scheduled

    async def expect(self, schedule_id: str) -> None:
        """A run of this schedule is about to take its place."""
        seats = [EXPECTED, str(MANY)]
        await self.ledger.run("seat", sid=schedule_id, ttl_ms=milliseconds(EXPECTED_FOR), seats=seats)

    def places(self, session: SessionWriter, run: RunState) -> Sequence[str]:
        """Whose places a run takes, and how many there are. What is scheduled takes none of a person's."""
        if run.schedule_id:
            return (SCHEDULES, str(self.scheduled))
        key = SessionKey.parse(session.session_id)
        person, channel = f"person/{key.team}/{run.requester}", f"channel/{key.team}/{key.channel}"
        return (person, str(self.settings.runs_per_person), channel, str(self.settings.runs_per_channel))

    async def take(self, session: SessionWriter) -> bool:
        """Take or keep the active run's place; where there is none, the person is told once."""
        run = session.state.active_run
        if run is None:
            return True
        places = self.places(session, run)
        reply = items(
            await self.ledger.run("seat", sid=session.session_id, ttl_ms=milliseconds(self.kept), seats=list(places))
        )
        if not reply:
            if run.schedule_id:
                await self.stand_up(EXPECTED, run.schedule_id)
            return True
        note_id = f"queued:{run.run_id}"
        if not run.schedule_id and all(note.noted.note_id != note_id for note in run.notes):
            about = {"whose": text(reply[0]).partition("/")[0], "limit": str(number(reply[1]))}
            await session.commit(RunNoted(run_id=run.run_id, note_id=note_id, code=NoteCode.QUEUED, about=about))
        return False

    async def leave(self, session: SessionWriter) -> None:
        """Give the places back, whoever the session's runs were for; a lease may have seen several of them."""
        taken = [whose for run in session.state.runs for whose in self.places(session, run)[::2]]
        for whose in dict.fromkeys(taken):
            await self.stand_up(whose, session.session_id)

    async def stand_up(self, whose: str, name: str) -> None:
        """Give one place back."""
        with translated(self.ledger.clients.shown_url):
            await self.ledger.clients.commands.zrem(f"{self.ledger.keys.base}:seats:{whose}", name)


async def too_many(ledger: Ledger, settings: FairSettings, key: SessionKey, user: str, ts: str) -> TooMany | None:
    """Count one request; who has made too many within an hour, if anybody.

    Args:
        ledger: for all replicas.
        settings: how many are fair.
        key: where it was made.
        user: who made it.
        ts: names it, so that a redelivery is not counted again.
    """
    rates = [
        f"person/{key.team}/{user}",
        str(settings.requests_per_person),
        f"channel/{key.team}/{key.channel}",
        str(settings.requests_per_channel),
    ]
    reply = items(await ledger.run("start", id=f"{key}/{ts}", window_ms=milliseconds(WINDOW), rates=rates))
    if not reply:
        return None
    whose, limit, wait_ms = reply
    return TooMany(text(whose).partition("/")[0], number(limit), timedelta(milliseconds=number(wait_ms)))
