"""Each atomic move: what it lets through, what it refuses, and that a refusal changes nothing."""

import asyncio
from datetime import timedelta

import pytest

from runtime.store.errors import JournalConflict, LeaseLost
from runtime.store.redis_store import SessionStore
from runtime.store.values import Due, LogRecord
from tests.store.session import SID, TTL, append, claimed, say
from tests.support.redis import MoveClock


async def test_an_entry_delivered_twice_is_taken_once(store: SessionStore) -> None:
    """Slack redelivers: the second delivery of an id is told apart and adds nothing."""
    assert [await say(store, "Ev1"), await say(store, "Ev1")] == ["ok", "dup"]
    assert [entry.payload for entry in await store.read_inbox(SID)] == ['{"said":"Ev1"}']


async def test_a_full_inbox_refuses_messages_but_never_an_urgent_entry(store: SessionStore) -> None:
    """A stop must reach a session that is flooded; a refused message may be delivered again later."""
    assert [await say(store, f"Ev{n}") for n in range(3)] == ["ok", "ok", "full"]
    assert await say(store, "stop", kind="stop", urgent=True) == "ok"
    lease = await claimed(store)
    await append(store, lease, "{}", consume=[entry.id for entry in await store.read_inbox(SID)])
    assert await say(store, "Ev2") == "ok"


async def test_the_same_entry_id_in_two_sessions_is_two_entries(store: SessionStore) -> None:
    """Deduplication is per session."""
    assert await store.push("a", "Ev1", "message", "{}", urgent=False) == "ok"
    assert await store.push("b", "Ev1", "message", "{}", urgent=False) == "ok"


async def test_a_claimed_session_is_nobody_elses(store: SessionStore) -> None:
    """While a lease lasts, further entries do not put its session back into the queue."""
    await say(store, "Ev1")
    await claimed(store)
    await say(store, "Ev2")
    assert await store.claim("two", TTL, 1) is None


async def test_sessions_are_served_in_the_order_they_became_ready(store: SessionStore, move_clock: MoveClock) -> None:
    """First come, first served across sessions; one that asks again goes to the end."""
    for sid in ("c", "a", "b"):
        await store.push(sid, "Ev1", "message", "{}", urgent=False)
        await move_clock(timedelta(milliseconds=5))
    first = await claimed(store)
    await store.release(first.sid, first.token, again=True)
    assert [first.sid] + [(await claimed(store)).sid for _ in range(3)] == ["c", "a", "b", "c"]


async def test_a_commit_appends_consumes_and_answers_where_the_journal_stands(store: SessionStore) -> None:
    """Events get consecutive positions and the server's time, and the consumed entry is gone."""
    await say(store, "Ev1")
    lease = await claimed(store)
    (entry,) = await store.read_inbox(SID)
    done = await append(store, lease, '{"n":1}', '{"n":2}', consume=[entry.id])
    assert done.seq == 2
    assert await store.read_log(SID) == [LogRecord(1, done.at_ms, '{"n":1}'), LogRecord(2, done.at_ms, '{"n":2}')]
    assert [record.seq for record in await store.read_log(SID, after_seq=1)] == [2]
    assert await store.read_inbox(SID) == []


async def test_a_commit_sent_twice_conflicts_and_is_stored_once(store: SessionStore) -> None:
    """When the first reply was lost, the repetition is refused, so a caller may always ask again."""
    await say(store, "Ev1")
    lease = await claimed(store)
    await append(store, lease, "{}")
    with pytest.raises(JournalConflict) as refused:
        await append(store, lease, "{}")
    assert (refused.value.expected_seq, refused.value.actual_seq) == (0, 1)
    assert len(await store.read_log(SID)) == 1


async def test_progress_forgets_the_crashes_before_it(store: SessionStore, move_clock: MoveClock) -> None:
    """What was only intended does not: a run that dies of the same call again and again is recognised."""
    await say(store, "Ev1")
    counted: list[int] = []
    for is_progress in (False, False, True, False):
        lease = await claimed(store)
        counted.append(lease.crashes)
        await store.commit(
            SID, lease.token, lease.seq, events=["{}"], status="running", reader_version=1, is_progress=is_progress
        )
        await move_clock(timedelta(milliseconds=2 * TTL))
    assert counted == [0, 1, 2, 1]


async def test_a_patient_release_waits_although_something_is_urgent(store: SessionStore) -> None:
    """A paused session is not claimed over and over because of a click that is kept for later."""
    await say(store, "stop", kind="stop", urgent=True)
    lease = await claimed(store)
    assert await store.release(SID, lease.token, again=True, is_patient=True, delay_ms=60_000) == "queued"
    assert await store.claim("two", TTL, 1) is None


async def test_a_commit_of_an_entry_already_consumed_changes_nothing(store: SessionStore) -> None:
    """A commit without events does not move the position; its repetition is recognised by its entries."""
    await say(store, "Ev1")
    lease = await claimed(store)
    (entry,) = await store.read_inbox(SID)
    await append(store, lease, consume=[entry.id])
    with pytest.raises(JournalConflict):
        await append(store, lease, "{}", consume=[entry.id])
    assert await store.read_log(SID) == []


async def test_a_runner_that_lost_its_lease_can_write_nothing(store: SessionStore, move_clock: MoveClock) -> None:
    """A paused runner wakes after a takeover: commit, renewal and release are all refused."""
    await say(store, "Ev1")
    old = await claimed(store, worker="paused")
    await move_clock(timedelta(milliseconds=TTL + 1))
    new = await claimed(store, worker="next")
    assert new.token > old.token
    with pytest.raises(LeaseLost):
        await append(store, old, "{}", deadlines=[Due(kind="wall", id="1", after=timedelta(0))])
    assert await store.renew(SID, old.token, TTL) == "fenced"
    assert await store.release(SID, old.token) == "fenced"
    assert await store.read_log(SID) == []
    assert await store.sweep() == 0
    assert (await append(store, new, "{}")).seq == 1


async def test_a_lapse_nobody_used_is_healed_by_a_renewal(store: SessionStore, move_clock: MoveClock) -> None:
    """After a short sleep of the machine the step goes on, because no one else can have run."""
    await say(store, "Ev1")
    lease = await claimed(store)
    await move_clock(timedelta(milliseconds=TTL + 1))
    assert await store.renew(SID, lease.token, TTL) == "ok"
    assert await store.claim("two", TTL, 1) is None


async def test_a_vanished_runner_is_counted_and_a_clean_release_clears_the_count(
    store: SessionStore, move_clock: MoveClock
) -> None:
    """A run that kills its worker must be recognised before it kills the next."""
    await say(store, "Ev1")
    crashes: list[int] = []
    for _ in range(3):
        lease = await claimed(store)
        crashes.append(lease.crashes)
        await move_clock(timedelta(milliseconds=TTL + 1))
    lease = await claimed(store)
    await store.release(SID, lease.token, again=True)
    assert [*crashes, lease.crashes, (await claimed(store)).crashes] == [0, 1, 2, 3, 0]


async def test_a_worker_that_was_only_paused_takes_its_crash_back(store: SessionStore, move_clock: MoveClock) -> None:
    """Whoever can still say that it lost its lease did not crash on the run."""
    await say(store, "Ev1")
    paused = await claimed(store)
    await move_clock(timedelta(milliseconds=TTL + 1))
    assert (await claimed(store)).crashes == 1
    assert [await store.renew(SID, paused.token, TTL) for _ in range(2)] == ["fenced", "fenced"]
    await move_clock(timedelta(milliseconds=TTL + 1))
    assert (await claimed(store)).crashes == 1


async def test_an_urgent_entry_in_the_inbox_makes_renewals_urgent_until_it_is_consumed(store: SessionStore) -> None:
    """Renewal reports it too, so that a lost doorbell delays a stop by a quarter of a lease at most."""
    await say(store, "Ev1")
    lease = await claimed(store)
    assert await store.renew(SID, lease.token, TTL) == "ok"
    await say(store, "stop", kind="stop", urgent=True, maxlen=1)
    assert await store.renew(SID, lease.token, TTL) == "urgent"
    await append(store, lease, consume=[entry.id for entry in await store.read_inbox(SID)])
    assert await store.renew(SID, lease.token, TTL) == "ok"


async def test_release_looks_for_entries_that_came_after_the_runner_looked(store: SessionStore) -> None:
    """An entry pushed during the lease marks nothing; the release must not leave it lying."""
    await say(store, "Ev1")
    lease = await claimed(store)
    await append(store, lease, consume=[entry.id for entry in await store.read_inbox(SID)])
    await say(store, "Ev2")
    assert await store.release(SID, lease.token) == "queued"
    lease = await claimed(store)
    await append(store, lease, consume=[entry.id for entry in await store.read_inbox(SID)])
    assert await store.release(SID, lease.token) == "idle"
    assert await store.claim("two", TTL, 1) is None


async def test_a_back_off_holds_a_session_back_until_it_ends_or_something_urgent_comes(
    store: SessionStore, move_clock: MoveClock
) -> None:
    """A delayed session waits, messages do not hurry it, a stop does."""
    await say(store, "Ev1")
    lease = await claimed(store)
    await store.release(SID, lease.token, again=True, failed=True, delay_ms=60_000)
    await say(store, "Ev2")
    assert await store.claim("two", TTL, 1) is None
    await say(store, "stop", kind="stop", urgent=True)
    lease = await claimed(store)
    assert lease.failures == 1
    await append(store, lease, consume=[entry.id for entry in await store.read_inbox(SID)])
    await store.release(SID, lease.token, again=True, delay_ms=60_000)
    assert await store.claim("two", TTL, 1) is None
    await move_clock(timedelta(minutes=1))
    assert (await claimed(store)).failures == 0


async def test_a_journal_for_newer_readers_is_put_aside_until_one_looks(store: SessionStore) -> None:
    """During a rolling upgrade an old worker skips what it would misread, and still serves the others."""
    await say(store, "Ev1")
    lease = await claimed(store, reader_version=2)
    await append(store, lease, "{}", reader_version=2)
    await store.release(SID, lease.token, again=True)
    await store.push("other", "Ev1", "message", "{}", urgent=False)
    assert (await claimed(store, reader_version=1)).sid == "other"
    assert await store.claim("old", TTL, 1) is None
    assert (await claimed(store, reader_version=2)).sid == SID


async def test_a_due_deadline_becomes_an_urgent_entry_and_wakes_its_session(
    store: SessionStore, move_clock: MoveClock
) -> None:
    """Deadlines fire after their time, not before; a cleared one never does."""
    await say(store, "Ev1")
    lease = await claimed(store)
    soon = Due(kind="question", id="q1|a", after=timedelta(hours=72))
    never = Due(kind="wall", id="r1", after=timedelta(hours=1))
    await append(store, lease, "{}", consume=[e.id for e in await store.read_inbox(SID)], deadlines=[soon, never])
    await append(store, lease, "{}", seq=1, deadlines=[Due(kind="wall", id="r1", after=None)])
    await store.release(SID, lease.token)
    await move_clock(timedelta(hours=71, minutes=59))
    assert await store.sweep() == 0
    await move_clock(timedelta(minutes=1))
    assert await store.sweep() == 1
    lease = await claimed(store)
    (entry,) = await store.read_inbox(SID)
    assert entry.kind == "deadline"
    assert '"kind":"question"' in entry.payload
    assert '"id":"q1|a"' in entry.payload
    assert await store.renew(SID, lease.token, TTL) == "urgent"


async def test_three_replicas_sweeping_at_once_fire_each_deadline_once(redis_url: str, store: SessionStore) -> None:
    """Any number of processes may sweep; none leads."""
    await say(store, "Ev1")
    lease = await claimed(store)
    await append(store, lease, "{}", deadlines=[Due(kind="wall", id=f"{n}", after=timedelta(0)) for n in range(300)])
    replicas = [await SessionStore.open(redis_url) for _ in range(3)]
    fired: list[int] = []
    while sum(fired) < 300:
        fired += await asyncio.gather(*(replica.sweep(limit=7) for replica in replicas))
    deadlines = [entry for entry in await store.read_inbox(SID) if entry.kind == "deadline"]
    assert (sum(fired), len(deadlines), len({entry.payload for entry in deadlines})) == (300, 300, 300)
    for replica in replicas:
        await replica.aclose()
