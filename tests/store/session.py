"""One session as the tests of the store speak to it."""

from collections.abc import Sequence

from runtime.store.redis_store import SessionStore
from runtime.store.values import Claimed, Committed, Due

SID = "T0LOCAL:C0DATA:1767326125.870439"
TTL = 20_000


async def say(
    store: SessionStore, entry_id: str, *, kind: str = "message", urgent: bool = False, maxlen: int = 2
) -> str:
    """Push one entry into the session's inbox."""
    return await store.push(SID, entry_id, kind, f'{{"said":"{entry_id}"}}', maxlen=maxlen, urgent=urgent)


async def claimed(store: SessionStore, *, worker: str = "one", reader_version: int = 1) -> Claimed:
    """Claim the session, which must be there."""
    found = await store.claim(worker, TTL, reader_version)
    assert found is not None
    return found


async def append(
    store: SessionStore,
    lease: Claimed,
    *events: str,
    seq: int | None = None,
    consume: Sequence[str] = (),
    deadlines: Sequence[Due] = (),
    reader_version: int = 1,
) -> Committed:
    """Commit events at the lease's position, or at another one."""
    return await store.commit(
        lease.sid,
        lease.token,
        lease.seq if seq is None else seq,
        events=events,
        consume_ids=consume,
        deadlines=deadlines,
        status="running",
        reader_version=reader_version,
    )
