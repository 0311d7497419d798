"""Places at work and requests an hour, per person and per channel, over all replicas."""

import asyncio
from datetime import timedelta
from pathlib import Path

from bot.terminal.conversation import Screen, TerminalConversation
from runtime.budget.ledger import Ledger
from runtime.budget.seats import SCHEDULES, Seats, too_many
from runtime.session.events import MessageReceived, RunFinished, RunOutcome
from runtime.session.ids import SessionKey
from runtime.session.runner import Runner, Turn
from runtime.settings_budget import FairSettings
from runtime.store.redis_store import SessionStore, milliseconds
from runtime.store.scripts import Reply
from tests.agent.conftest import desk
from tests.agent.desk import SID, Desk
from tests.agent.test_plan_first import house_of
from tests.support.redis import MoveClock, redis_server, redis_url, store

__all__ = ["desk", "redis_server", "redis_url", "store"]

KEY = SessionKey(team="T", channel="C1", thread_ts="1.0")
MINUTE = timedelta(minutes=1)


async def sit(ledger: Ledger, sid: str, *seats: str) -> Reply:
    """Let a session take its places; who has none left, if anybody."""
    return await ledger.run("seat", sid=sid, ttl_ms=milliseconds(MINUTE * 2), seats=list(seats))


async def test_requests_are_counted_per_person_and_per_channel(store: SessionStore, move_clock: MoveClock) -> None:
    """Each has its own limit; a redelivery counts once, and after an hour there is room again."""
    ledger = Ledger.beside(store)
    per_person = FairSettings(requests_per_person=1, requests_per_channel=100)
    assert await too_many(ledger, per_person, KEY, "U1", "1.1") is None
    assert await too_many(ledger, per_person, KEY, "U1", "1.1") is None
    refused = await too_many(ledger, per_person, KEY, "U1", "1.2")
    assert refused is not None
    assert (refused.whose, refused.limit) == ("person", 1)
    per_channel = FairSettings(requests_per_person=100, requests_per_channel=2)
    assert await too_many(ledger, per_channel, KEY, "U2", "1.3") is None
    refused = await too_many(ledger, per_channel, KEY, "U3", "1.4")
    assert refused is not None
    assert (refused.whose, refused.limit) == ("channel", 2)
    await move_clock(MINUTE * 61)
    assert await too_many(ledger, per_channel, KEY, "U3", "1.4") is None


async def test_places_are_counted_over_all_replicas(redis_url: str, store: SessionStore, move_clock: MoveClock) -> None:
    """Who sits keeps the seat; a process that vanished loses it after two minutes."""
    other = await SessionStore.open(redis_url)
    here, there = Ledger.beside(store), Ledger.beside(other)
    for whose in ("person/T/U1", "channel/T/C1"):
        assert await sit(here, "a", whose, "1") == []
        assert await sit(there, "a", whose, "1") == []
        assert await sit(there, "b", whose, "1") == [whose.encode(), 1]
        await move_clock(MINUTE * 3)
        assert await sit(there, "b", whose, "1") == []
    await other.aclose()


async def test_work_on_schedules_has_places_of_its_own(store: SessionStore) -> None:
    """Never more than half of what one process runs at once, and one at least."""
    ledger = Ledger.beside(store)
    for concurrency, expected in ((1, 1), (2, 1), (8, 4), (40, 4)):
        assert Seats(ledger=ledger, settings=FairSettings(), concurrency=concurrency).scheduled == expected
    seats = Seats(ledger=ledger, settings=FairSettings(), concurrency=2)
    assert await seats.has_room()
    await sit(ledger, "a", SCHEDULES, "1")
    assert not await seats.has_room()
    await seats.stand_up(SCHEDULES, "a")
    assert await seats.has_room()
    await seats.expect("s1")
    assert not await seats.has_room()


async def test_the_next_run_under_a_lease_keeps_no_place_of_the_run_before(desk: Desk, tmp_path: Path) -> None:
    """Ana's place is free as soon as Ben's run begins, and the end of the lease frees whatever was taken."""
    seats = Seats(ledger=Ledger.beside(desk.store), settings=FairSettings(runs_per_person=1))
    terminal = TerminalConversation(screen=Screen(write=print))
    turn = Turn(
        runner=Runner(store=desk.store, house=house_of(desk, tmp_path), conversation=terminal, places=seats),
        session=desk.session,
        workspace=desk.context.workspace,
        preempt=asyncio.Event(),
        slice_over=lambda: False,
    )
    await desk.hear("first")
    assert await seats.take(desk.session)
    assert await sit(seats.ledger, "other", "person/T1/U1", "1") == [b"person/T1/U1", 1]
    await desk.session.commit(
        RunFinished(run_id="r1", outcome=RunOutcome.ANSWERED),
        MessageReceived(ts="3.0", user="U2", speaker="Ben", text="second"),
    )
    await turn.start_if_asked()
    assert desk.run.requester == "U2"
    assert await sit(seats.ledger, "other", "person/T1/U1", "1") == []
    await seats.stand_up("person/T1/U1", "other")
    await sit(seats.ledger, SID, "person/T1/U1", "1")
    assert await seats.take(desk.session)
    await seats.leave(desk.session)
    for person in ("U1", "U2"):
        assert await sit(seats.ledger, "other", f"person/T1/{person}", "1") == []
