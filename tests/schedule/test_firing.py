"""Work that is due begins once: across replicas, after a crash, after a downtime, and only while its owner may."""

import asyncio
from dataclasses import dataclass, field
from datetime import timedelta

from runtime.budget.ledger import Ledger
from runtime.budget.seats import EXPECTED_FOR, Seats
from runtime.schedule.firing import Firing, NotNow, Opened, PlaceGone
from runtime.schedule.records import Schedule
from runtime.schedule.store import LEASE, Schedules
from runtime.session.ids import SessionKey
from runtime.settings_budget import FairSettings
from runtime.store.redis_store import SessionStore
from tests.engine.journalling import say
from tests.support.redis import MoveClock

KEY = SessionKey(team="T", channel="C1", thread_ts="1.0")
HOUR = timedelta(hours=1)


@dataclass(slots=True)
class Here:
    """One place, whose owner may or may not."""

    why_not: str = ""
    is_away: bool = False
    is_gone: bool = False
    told: list[str] = field(default_factory=list[str])

    async def refusal(self, schedule: Schedule) -> str:
        """As set."""
        if self.is_away:
            raise NotNow("Slack does not answer")
        return self.why_not

    async def open(self, schedule: Schedule, at_ms: int) -> Opened:
        """Its own thread."""
        if self.is_gone:
            raise PlaceGone("is_archived")
        key = SessionKey(team=schedule.team, channel=schedule.channel, thread_ts=schedule.thread_ts)
        return Opened(key, f"{at_ms / 1000:.6f}")

    async def tell_paused(self, schedule: Schedule) -> None:
        """Keep what was told."""
        self.told.append(schedule.why_paused)


async def now_ms(store: SessionStore) -> int:
    """The server's time with the test's clock."""
    taken = await Schedules.beside(store).run("take", limit=0, lease_ms=1, kept_ms=1000)
    assert isinstance(taken, list)
    assert isinstance(taken[0], int)
    return taken[0]


async def hourly(store: SessionStore, name: str = "s1", thread: str = "1.0") -> Schedule:
    """A schedule that is due in an hour, and every hour."""
    schedule = Schedule(
        id=name,
        owner="U1",
        team="T",
        channel="C1",
        thread_ts=thread,
        target="thread",
        prompt="look",
        kind="interval",
        spec="1h",
        zone="UTC",
        created_ms=await now_ms(store),
    )
    await Schedules.beside(store).put(schedule, schedule.next_ms(schedule.created_ms))
    return schedule


def firing(store: SessionStore, places: Here) -> Firing:
    """The job of one process."""
    return Firing(schedules=Schedules.beside(store), sessions=store, places=places)


async def test_three_replicas_begin_it_once_each_time(
    redis_url: str, store: SessionStore, move_clock: MoveClock
) -> None:
    """All tick at once; the session gets one message an hour."""
    await hourly(store)
    stores = [await SessionStore.open(redis_url) for _ in range(3)]
    for times in (1, 2):
        await move_clock(HOUR)
        for _ in range(2):
            await asyncio.gather(*(firing(each, Here()).tick() for each in stores))
        assert len(await store.read_inbox(str(KEY))) == times
        if (claimed := await store.claim("w", 60_000, 9)) is not None:
            # Nobody waits for a worker in the next hour.
            await store.release(claimed.sid, claimed.token, delay_ms=10 * 3_600_000)
    for each in stores:
        await each.aclose()


async def test_after_a_downtime_it_begins_once(store: SessionStore, move_clock: MoveClock) -> None:
    """Due ten times while nobody ticked: one message, and the next one in order."""
    await hourly(store)
    await move_clock(HOUR * 10)
    await firing(store, Here()).tick()
    await firing(store, Here()).tick()
    assert len(await store.read_inbox(str(KEY))) == 1
    kept = await Schedules.beside(store).get("s1")
    assert kept is not None
    assert kept.fired_ms


async def test_a_process_that_dies_while_it_begins_loses_and_doubles_nothing(
    store: SessionStore, move_clock: MoveClock
) -> None:
    """Dead before or after the push: another process ends it, and the message is there once."""
    await hourly(store)
    await move_clock(HOUR)
    (taken,) = await Schedules.beside(store).take()
    await firing(store, Here()).tick()
    assert not await store.read_inbox(str(KEY))
    await move_clock(LEASE)
    await firing(store, Here()).tick()
    await firing(store, Here()).fire(taken)
    assert len(await store.read_inbox(str(KEY))) == 1


async def test_an_owner_who_may_no_more_is_told_and_it_pauses(store: SessionStore, move_clock: MoveClock) -> None:
    """Nothing runs in the name of somebody without authority, ever again until it is resumed."""
    await hourly(store)
    places = Here(why_not="person")
    await move_clock(HOUR)
    await firing(store, places).tick()
    await move_clock(HOUR)
    await firing(store, places).tick()
    assert places.told == ["person"]
    assert not await store.read_inbox(str(KEY))
    (kept,) = await Schedules.beside(store).of("U1")
    assert kept.paused


async def test_while_the_place_is_away_it_is_tried_again(store: SessionStore, move_clock: MoveClock) -> None:
    """Whether the owner may is never guessed."""
    await hourly(store)
    places = Here(is_away=True)
    await move_clock(HOUR)
    await firing(store, places).tick()
    places.is_away = False
    await move_clock(LEASE)
    await firing(store, places).tick()
    assert len(await store.read_inbox(str(KEY))) == 1


async def test_people_come_before_schedules(store: SessionStore, move_clock: MoveClock) -> None:
    """While somebody waits for a worker nothing on a schedule begins, for a bounded time."""
    await hourly(store)
    await move_clock(HOUR)
    await say(store, "T:C2:9", "a person")
    await firing(store, Here()).tick()
    assert not await store.read_inbox(str(KEY))
    claimed = await store.claim("w", 60_000, 9)
    assert claimed is not None
    assert claimed.sid == "T:C2:9"
    await firing(store, Here()).tick()
    assert len(await store.read_inbox(str(KEY))) == 1


async def test_a_place_that_is_gone_pauses_it_and_the_owner_is_told(store: SessionStore, move_clock: MoveClock) -> None:
    """An archived channel does not come back by trying again."""
    await hourly(store)
    places = Here(is_gone=True)
    await move_clock(HOUR)
    await firing(store, places).tick()
    assert places.told == ["place"]
    assert not await store.read_inbox(str(KEY))


async def test_what_is_due_together_begins_one_by_one_so_that_a_person_is_next(
    store: SessionStore, move_clock: MoveClock
) -> None:
    """USER_REPORTS row 25: ten schedules are due at once, and whoever speaks waits for one of them at most."""
    for number in range(10):
        await hourly(store, f"s{number}", f"{number}.0")
    await move_clock(HOUR)
    await firing(store, Here()).tick()
    await firing(store, Here()).tick()
    await say(store, "T:C2:9", "a person")
    await firing(store, Here()).tick()
    order = [claimed.sid for _ in range(3) if (claimed := await store.claim("w", 60_000, 9))]
    assert order == ["T:C1:0.0", "T:C2:9"]


async def test_schedules_beyond_their_places_wait(store: SessionStore, move_clock: MoveClock) -> None:
    """While all places for schedules are taken nothing begins, however long it was due."""
    await hourly(store)
    await move_clock(HOUR * 3)

    seats = Seats(ledger=Ledger.beside(store), settings=FairSettings(), concurrency=2)
    for number in range(2):
        await hourly(store, f"t{number}", f"{number}.5")
    await move_clock(HOUR)
    one_at_once = Firing(schedules=Schedules.beside(store), sessions=store, places=Here(), room=seats)
    await one_at_once.tick()
    await store.claim("w", 60_000, 9)
    await one_at_once.tick()
    assert len(await store.list_sessions()) == 1
    await move_clock(EXPECTED_FOR)
    await one_at_once.tick()
    assert len(await store.list_sessions()) == 2


async def test_a_thread_at_work_is_not_spoken_into(store: SessionStore, move_clock: MoveClock) -> None:
    """What is said into a run steers it; the schedule's turn comes when the run has ended."""
    await hourly(store)
    await move_clock(HOUR)
    await say(store, str(KEY), "a person")
    claimed = await store.claim("w", 60_000, 9)
    assert claimed is not None
    await store.commit(claimed.sid, claimed.token, 0, events=["{}"], status="waiting", reader_version=1)
    await firing(store, Here()).tick()
    assert len(await store.read_inbox(str(KEY))) == 1
    await store.commit(claimed.sid, claimed.token, 1, events=["{}"], status="finished", reader_version=1)
    await move_clock(LEASE)
    await firing(store, Here()).tick()
    assert [entry.kind for entry in await store.read_inbox(str(KEY))] == ["message", "message"]


async def test_what_was_paused_while_it_began_stays_paused(store: SessionStore, move_clock: MoveClock) -> None:
    """The owner's word is newer than the process that was about to end it."""
    schedule = await hourly(store)
    await move_clock(HOUR)
    (taken,) = await Schedules.beside(store).take()
    await Schedules.beside(store).put(schedule.model_copy(update={"paused": True}), 0)
    assert not await Schedules.beside(store).done(taken, schedule, 1)
    kept = await Schedules.beside(store).get("s1")
    assert kept is not None
    assert kept.paused
