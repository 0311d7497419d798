"""Sentinel and Cluster: the same moves on real servers, through a failover and across slots."""

import asyncio
from datetime import timedelta
from uuid import uuid4

import pytest

from runtime.engine.redis_engine import RedisEngine
from runtime.store.errors import StoreUnavailable
from runtime.store.redis_store import SessionStore
from runtime.store.topologies import CLUSTER_PARTITIONS, read
from runtime.store.values import Due
from tests.durability.servers import HOST, SERVICE, farm, position, three_masters, watched_pair
from tests.engine.journalling import JournallingRunner, at_work, noted
from tests.waiting import wait_until


async def said(store: SessionStore, sid: str, words: str) -> None:
    """Push until it was recorded, as Slack delivers until it is acknowledged."""

    async def recorded() -> bool:
        try:
            return bool(await store.push(sid, words, "message", words, maxlen=1000, urgent=False))
        except StoreUnavailable:
            return False

    await wait_until("the push is recorded", recorded, within=90)


async def idle(store: SessionStore, sid: str) -> None:
    """Wait until the session has come to rest, whatever the store says meanwhile."""

    async def rests() -> bool:
        try:
            return await store.is_idle(sid)
        except StoreUnavailable:
            return False

    await wait_until(f"{sid} rests", rests, within=90)


@pytest.mark.timeout(400)
async def test_a_failover_under_load_loses_and_repeats_nothing() -> None:
    """The master is killed; the Sentinels promote its replica; clients find it by themselves."""
    with farm() as servers:
        master, replica, sentinels = await asyncio.to_thread(watched_pair, servers)
        hosts = ",".join(f"{HOST}:{port}" for port in sentinels)
        store = await SessionStore.open(f"redis+sentinel://{hosts}/{SERVICE}/0")
        sids = [f"T:C:{n}" for n in range(4)]
        async with at_work(JournallingRunner(store=store, name="w"), ttl=timedelta(seconds=2)):
            for n in range(10):
                await asyncio.gather(*(said(store, sid, f"{n:02}") for sid in sids))
            for sid in sids:
                await idle(store, sid)
            # What the replica lacks at a failover is lost, whatever a client does; see docs/reliability.md.
            await wait_until("the replica has everything", lambda: position(replica) == position(master))
            servers.kill(master)
            for n in range(10, 20):
                await asyncio.gather(*(said(store, sid, f"{n:02}") for sid in sids))
            for sid in sids:
                await idle(store, sid)
        assert [await noted(store, sid) for sid in sids] == [[f"{n:02}" for n in range(20)]] * 4
        await store.aclose()


@pytest.mark.timeout(400)
async def test_every_move_works_on_a_cluster_of_three_masters() -> None:
    """Sessions spread over the nodes; each transition stays one script, and the doorbell rings everywhere."""
    with farm() as servers:
        ports = await asyncio.to_thread(three_masters, servers)
        url = "redis+cluster://" + ",".join(f"{HOST}:{port}" for port in ports)
        store, other = await SessionStore.open(url), await SessionStore.open(url)
        assert store.keys.partitions == CLUSTER_PARTITIONS
        sids = [f"T:C:{uuid4().hex[:8]}" for _ in range(12)]
        assert len({store.keys.partition_of(sid) for sid in sids}) > 3
        async with at_work(JournallingRunner(store=store, name="a")), at_work(JournallingRunner(store=other, name="b")):
            for n in range(5):
                await asyncio.gather(*(said(store, sid, f"{n}") for sid in sids))
            for sid in sids:
                await RedisEngine(store).run_until_idle(sid)
        assert [await noted(store, sid) for sid in sids] == [["0", "1", "2", "3", "4"]] * len(sids)
        await deadlines_and_snapshots(store, sids[0])
        assert {row.sid for row in await store.list_sessions()} == set(sids)
        await store.pause("*", "{}")
        assert await other.pauses() == {"*": "{}"}
        for sid in sids:
            assert await store.forget(sid)
        await store.aclose()
        await other.aclose()


async def deadlines_and_snapshots(store: SessionStore, sid: str) -> None:
    """The moves that the load above does not make."""
    await said(store, sid, "again")
    claimed = await store.claim("c", 60_000, 1)
    assert claimed is not None
    taken = [entry.id for entry in await store.read_inbox(sid)]
    due = [Due(kind="run", id="r1", after=timedelta(0))]
    done = await store.commit(
        sid,
        claimed.token,
        claimed.seq,
        events=["{}"],
        consume_ids=taken,
        deadlines=due,
        status="waiting",
        reader_version=1,
    )
    assert await store.renew(sid, claimed.token, 60_000) == "ok"
    assert await store.save_snapshot(sid, claimed.token, 1, done.seq, "{}")
    await store.release(sid, claimed.token)
    await wait_until("the deadline fires", store.sweep)
    assert [entry.kind for entry in await store.read_inbox(sid)] == ["deadline"]


@pytest.mark.parametrize(
    ("url", "hosts", "service", "database", "password"),
    [
        ("redis+sentinel://:word@a:1,b/main/3", (("a", 1), ("b", 26379)), "main", 3, "word"),
        ("redis+cluster://me:w%40rd@a,b:7", (("a", 6379), ("b", 7)), "", 0, "w@rd"),
    ],
)
def test_an_address_with_several_hosts_is_read(
    url: str, hosts: tuple[tuple[str, int], ...], service: str, database: int, password: str
) -> None:
    """Ports may be left out, a password may be quoted."""
    place = read(url)
    assert (place.hosts, place.service, place.database, place.password) == (hosts, service, database, password)


@pytest.mark.parametrize("url", ["redis+sentinel://a:26379", "redis+cluster://:7000", "redis+cluster://a:b"])
async def test_an_address_that_cannot_be_read_is_explained(url: str) -> None:
    """The sentence says what is wrong and how it is written."""
    with pytest.raises(StoreUnavailable, match="Write it as"):
        await SessionStore.open(url)
