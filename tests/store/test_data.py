"""What is kept of sessions: deletion, snapshots, partitions."""

from datetime import timedelta

import pytest

from runtime.store.errors import LeaseLost, StoreMismatch
from runtime.store.redis_store import SessionStore
from runtime.store.values import Due
from tests.store.session import SID, append, claimed, say


async def test_a_deleted_session_leaves_nothing_and_fences_its_runner(store: SessionStore) -> None:
    """After deletion neither the old runner, nor a late snapshot, nor a deadline brings anything back."""
    await say(store, "Ev1")
    old = await claimed(store)
    await append(store, old, "{}", deadlines=[Due(kind="wall", id="1", after=timedelta(0))])
    await store.save_snapshot(SID, old.token, 1, 1, "{}")
    assert await store.forget(SID)
    with pytest.raises(LeaseLost):
        await append(store, old, "{}", seq=1)
    assert not await store.save_snapshot(SID, old.token, 1, 1, "{}")
    await store.sweep()
    assert (await store.read_log(SID), await store.read_inbox(SID), await store.load_snapshot(SID)) == ([], [], None)
    assert await store.list_sessions() == []
    await say(store, "Ev2")
    new = await claimed(store)
    assert new.token > old.token
    await append(store, new, "{}")
    # Its journal is as long as the old snapshot, which must not become the fold of it.
    assert not await store.save_snapshot(SID, old.token, 1, 1, "{}")


async def test_a_snapshot_comes_back_as_it_was_stored(store: SessionStore) -> None:
    """The state is kept to the byte, line breaks included."""
    await say(store, "Ev1")
    lease = await claimed(store)
    await append(store, lease, "{}")
    assert await store.save_snapshot(SID, lease.token, 3, 1, '{"a":\n"ö"}')
    assert await store.load_snapshot(SID) == (3, 1, '{"a":\n"ö"}')


async def test_another_number_of_partitions_is_refused(redis_url: str, store: SessionStore) -> None:
    """A session id names its partition; with another number, old sessions could not be found."""
    with pytest.raises(StoreMismatch, match="written with 1 partitions"):
        await SessionStore.open(redis_url, partitions=16)
    unsure = await SessionStore.open(redis_url)
    assert unsure.keys.partitions == store.keys.partitions
    await unsure.aclose()


async def test_sessions_of_several_partitions_are_all_served(redis_url: str) -> None:
    """Claims go round the partitions, and so do sweeps and lists."""
    store = await SessionStore.open(redis_url, partitions=4, namespace="four")
    sids = {f"T:C:{n}" for n in range(40)}
    for sid in sids:
        await store.push(sid, "Ev1", "message", "{}", urgent=False)
    assert {store.keys.partition_of(sid) for sid in sids} == {0, 1, 2, 3}
    assert {(await claimed(store)).sid for _ in sids} == sids
    assert {row.sid for row in await store.list_sessions()} == sids
    await store.aclose()
