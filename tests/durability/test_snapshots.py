"""Snapshots: a bounded part of the journal is read, and what comes out is the same as from the whole of it."""

import time
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.engine.lease import Lease
from runtime.session import snapshot
from runtime.session.events import READER_VERSION, AnyEvent, EntryIgnored, load_event
from runtime.session.fold import FOLD_VERSION, fold
from runtime.session.opening import open_writer
from runtime.session.state import IllegalMove, SessionState
from runtime.session.writer import SessionWriter
from runtime.store.redis_store import SessionStore
from tests.durability.stories import SESSION, STORIES


def folded(state: SessionState, story: list[tuple[AnyEvent, int]]) -> SessionState:
    """Fold events as they come back from the store."""
    for event, at_ms in story:
        state = fold(state, load_event(event.model_dump_json()), at_ms=at_ms)
    return state


@settings(max_examples=150, deadline=None)
@given(story=STORIES, data=st.data())
def test_a_snapshot_and_the_tail_fold_to_what_the_whole_journal_folds_to(
    story: list[tuple[AnyEvent, int]], data: st.DataObject
) -> None:
    """For any story and any place to cut it, through the bytes of the snapshot."""
    cut = data.draw(st.integers(0, len(story)), label="cut")
    whole = folded(SessionState(session_id=SESSION), story)
    kept = snapshot.STATE.dump_json(folded(SessionState(session_id=SESSION), story[:cut]))
    assert folded(snapshot.STATE.validate_json(kept), story[cut:]) == whole


async def claimed(store: SessionStore, every: int) -> SessionWriter:
    """A writer for the session under a new lease."""
    assert await store.push(SESSION, f"e{time.monotonic_ns()}", "message", "{}", urgent=False) == "ok"
    found = await store.claim("w", 60_000, READER_VERSION)
    assert found is not None
    return await open_writer(store, Lease.of(found, timedelta(seconds=60), time.monotonic()), every)


async def test_the_holder_of_the_lease_stores_a_snapshot_every_so_many_events(store: SessionStore) -> None:
    """Not with each commit, and never behind more than that many events."""
    writer = await claimed(store, 5)
    positions: list[int] = []
    for n in range(12):
        await writer.commit(EntryIgnored(entry=f"e{n}", reason="r"))
        stored = await store.load_snapshot(SESSION)
        positions.append(stored.seq if stored else 0)
    assert positions == [0, 0, 0, 0, 5, 5, 5, 5, 5, 10, 10, 10]


async def test_opening_reads_the_snapshot_and_only_the_tail(store: SessionStore) -> None:
    """What stands before the snapshot is not read again: it may even be gone."""
    writer = await claimed(store, 5)
    for n in range(7):
        await writer.commit(EntryIgnored(entry=f"e{n}", reason="r"))
    await store.release(SESSION, writer.lease.token)
    await store.clients.commands.xtrim(store.keys.session(SESSION).log, minid="6-0")
    again = await claimed(store, 5)
    assert (again.state, again.snapshot_seq) == (writer.state, 5)


async def test_a_snapshot_of_another_version_is_thrown_away(store: SessionStore) -> None:
    """Of a newer or older fold, of broken bytes or of another session: the journal is folded instead."""
    writer = await claimed(store, 100)
    for n in range(3):
        await writer.commit(EntryIgnored(entry=f"e{n}", reason="r"))
    good = snapshot.STATE.dump_json(writer.state).decode()
    other = snapshot.STATE.dump_json(SessionState(session_id="T:C:2", seq=3)).decode()
    for version, body in (
        (FOLD_VERSION + 1, good),
        (FOLD_VERSION - 1, good),
        (FOLD_VERSION, "{"),
        (FOLD_VERSION, other),
    ):
        assert await store.save_snapshot(SESSION, writer.lease.token, version, 3, body)
        assert await snapshot.load(store, SESSION) == (writer.state, 0)


async def test_a_journal_is_trimmed_under_its_snapshots_by_setting(store: SessionStore) -> None:
    """What is left folds to the same state; a late snapshot from before the cut is refused, and no gap is folded."""
    store.journal_events = 4
    writer = await claimed(store, 5)
    for n in range(12):
        await writer.commit(EntryIgnored(entry=f"e{n}", reason="r"))
    assert [record.seq for record in await store.read_log(SESSION)] == [7, 8, 9, 10, 11, 12]
    early = snapshot.STATE.dump_json(SessionState(session_id=SESSION, seq=3)).decode()
    assert not await store.save_snapshot(SESSION, writer.lease.token, FOLD_VERSION, 3, early)
    assert await snapshot.load(store, SESSION) == (writer.state, 10)
    await store.release(SESSION, writer.lease.token)
    again = await claimed(store, 5)
    state = await again.commit(EntryIgnored(entry="one more", reason="r"))
    assert state.seq == 13
    whole = snapshot.STATE.dump_json(state).decode()
    assert await store.save_snapshot(SESSION, again.lease.token, FOLD_VERSION + 1, 13, whole)
    assert (await snapshot.load(store, SESSION)).state == state
    assert await store.save_snapshot(SESSION, again.lease.token, FOLD_VERSION, 13, "{")
    with pytest.raises(IllegalMove, match="was trimmed"):
        await snapshot.load(store, SESSION)


async def test_a_step_costs_the_same_however_long_the_journal_is(store: SessionStore) -> None:
    """What a commit sends to the server does not grow with the history."""
    writer = await claimed(store, 100_000)
    sent: list[int] = []
    for n in range(400):
        before = await received_bytes(store)
        await writer.commit(EntryIgnored(entry="e", reason="r"))
        if n in {20, 399}:
            sent.append(await received_bytes(store) - before)
    assert abs(sent[0] - sent[1]) < 200


async def received_bytes(store: SessionStore) -> int:
    """How many bytes the server has read so far."""
    # redis-py leaves the keywords of `info` without a type.
    info = cast("Callable[[str], Awaitable[dict[str, int]]]", store.clients.commands.info)  # pyright: ignore[reportUnknownMemberType]
    return (await info("stats"))["total_net_input_bytes"]
