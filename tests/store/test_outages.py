"""What a caller learns when the server refuses, vanishes or does not answer, and that nothing is done twice."""

import asyncio
import signal
from pathlib import Path

import pytest

from runtime.store.errors import JournalConflict, OutcomeUnknown, StoreUnavailable
from runtime.store.patience import POOL_SIZE
from runtime.store.redis_store import SessionStore
from runtime.store.values import Committed
from tests.store.lossy import lossy_door
from tests.support.redis import RedisServer, start_server
from tests.support.redis import remove as remove_server
from tests.waiting import BOUND

SID = "T:C:1"


async def append(store: SessionStore, token: int, *, seq: int = 0) -> Committed:
    """Commit one event, by default at the journal's beginning."""
    return await store.commit(SID, token, seq, events=["{}"], status="running", reader_version=1)


async def leased(store: SessionStore) -> int:
    """Push and claim one session; returns the lease's token."""
    await store.push(SID, "Ev1", "message", "{}", urgent=False)
    claimed = await store.claim("w", 60_000, 1)
    assert claimed is not None
    return claimed.token


async def test_a_lost_reply_is_told_apart_and_the_commit_is_stored_once(own_redis_server: RedisServer) -> None:
    """The caller learns that it cannot know; sending the same commit again conflicts instead of doubling it."""
    async with lossy_door(own_redis_server.url, own_redis_server.folder) as door:
        store = await SessionStore.open(door.url)
        token = await leased(store)
        # The server knows the script from here on; else the swallowed reply would only say that it does not.
        await append(store, token)
        door.swallow = True
        with pytest.raises(OutcomeUnknown, match="REDIS_URL"):
            await append(store, token, seq=1)
        door.swallow = False
        with pytest.raises(JournalConflict):
            await append(store, token, seq=1)
        assert len(await store.read_log(SID)) == 2
        await store.aclose()


async def test_a_server_that_is_not_there_is_named_with_the_setting_and_the_fix(tmp_path: Path) -> None:
    """Nothing was sent, so this is not an unknown outcome."""
    with pytest.raises(StoreUnavailable, match=r"REDIS_URL\) cannot be reached.*Start it or correct") as refused:
        await SessionStore.open(f"unix://{tmp_path / 'nobody.sock'}")
    assert not isinstance(refused.value, OutcomeUnknown)


async def test_an_address_that_is_none_is_refused_with_examples() -> None:
    """The usual slips: a host without a scheme, or another service's scheme."""
    for address in ("localhost:6379", "http://localhost:6379"):
        with pytest.raises(StoreUnavailable, match=r"redis://host:6379/0"):
            await SessionStore.open(address)


async def test_a_wrong_password_is_named_and_never_shown() -> None:
    """The sentence goes to logs and terminals."""
    server = start_server("--requirepass", "right", answers_openly=False)
    try:
        with pytest.raises(StoreUnavailable, match="refuses this user or password") as refused:
            await SessionStore.open(server.url.replace("unix://", "unix://:wrong@"))
        assert "wrong@" not in str(refused.value)
    finally:
        remove_server(server)


@pytest.mark.parametrize(
    ("setting", "value", "harmless", "told"),
    [
        ("min-replicas-to-write", "1", "0", "too few replicas"),
        ("maxmemory", "1", "0", "out of memory"),
    ],
)
async def test_a_server_that_takes_no_writes_changes_nothing_and_is_used_again_afterwards(
    own_redis_server: RedisServer, setting: str, value: str, harmless: str, told: str
) -> None:
    """A refused script has written nothing, not even its first half."""
    store = await SessionStore.open(own_redis_server.url)
    token = await leased(store)
    with own_redis_server.client() as client:
        client.execute_command("CONFIG", "SET", setting, value)
        with pytest.raises(StoreUnavailable, match=told):
            await append(store, token)
        assert await store.read_log(SID) == []
        assert len(await store.read_inbox(SID)) == 1
        client.execute_command("CONFIG", "SET", setting, harmless)
    assert (await append(store, token)).seq == 1
    await store.aclose()


async def test_a_replica_is_recognised_as_one(own_redis_server: RedisServer) -> None:
    """After a failover the address may point at a server that only reads."""
    store = await SessionStore.open(own_redis_server.url)
    with own_redis_server.client() as client:
        client.execute_command("REPLICAOF", "127.0.0.1", 1)
        with pytest.raises(StoreUnavailable, match="read-only replica"):
            await store.push(SID, "Ev1", "message", "{}", urgent=False)
    await store.aclose()


async def test_scripts_survive_a_server_that_forgot_them(redis_server: RedisServer, store: SessionStore) -> None:
    """A restart or a flush loses the scripts; they are sent again, and nothing runs twice."""
    await leased(store)
    with redis_server.client() as client:
        client.execute_command("SCRIPT", "FLUSH")
    assert await store.push(SID, "Ev2", "message", "{}", urgent=False) == "ok"
    assert len(await store.read_inbox(SID)) == 2


async def test_a_call_that_does_not_fit_its_script_fails_here(store: SessionStore) -> None:
    """Names and types are checked before anything is sent."""
    with pytest.raises(TypeError, match="look takes keys"):
        await store.run("look", store.session_names(SID), session=SID)
    with pytest.raises(TypeError, match="ttl_ms must be int, not str"):
        await store.run("renew", store.session_names(SID), sid=SID, token=1, ttl_ms="20")


async def test_a_cancelled_call_is_cancelled_at_whatever_moment_it_is(store: SessionStore) -> None:
    """Also when the cancellation comes together with what the call waited for; else the caller would wait for ever."""

    async def ask_for_ever() -> None:
        while True:
            await store.is_idle(SID)

    for turns in range(400):
        asking = asyncio.create_task(ask_for_ever())
        for _ in range(turns % 40):
            await asyncio.sleep(0)
        asking.cancel()
        _, unfinished = await asyncio.wait({asking}, timeout=BOUND)
        if unfinished:
            asking.cancel()
            await asyncio.wait({asking})
        assert not unfinished, f"after {turns} turns of the loop the cancellation was lost"


async def test_a_burst_waits_for_connections_and_only_then_is_refused(own_redis_server: RedisServer) -> None:
    """More requests at once than connections are all answered; with a server that is frozen they are told apart.

    Those that were sent have an unknown outcome, those that never got a connection do not.
    """
    store = await SessionStore.open(own_redis_server.url)
    await asyncio.gather(*(store.push(f"T:C:{n}", "Ev1", "message", "{}", urgent=False) for n in range(4 * POOL_SIZE)))
    assert len(await store.list_sessions(1000)) == 4 * POOL_SIZE
    own_redis_server.process.send_signal(signal.SIGSTOP)
    asked = [store.read_inbox(f"T:C:{n}") for n in range(2 * POOL_SIZE)]
    said = await asyncio.gather(*asked, return_exceptions=True)
    own_redis_server.process.send_signal(signal.SIGCONT)
    assert {type(error) for error in said} == {OutcomeUnknown, StoreUnavailable}
    assert any("were in use for" in str(error) for error in said)
    await store.ping()
    await store.aclose()
