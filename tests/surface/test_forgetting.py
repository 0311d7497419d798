"""Which threads a person is offered to delete, among those of everybody."""

import time
from datetime import timedelta

from bot.home.forgetting import OFFERED, PAGE, threads_of
from bot.listeners.forgetting import thread_modal
from runtime.engine.lease import Lease
from runtime.session.events import MessageReceived
from runtime.session.state import SessionState
from runtime.session.writer import SessionWriter
from runtime.store.redis_store import SessionStore


async def spoken(store: SessionStore, sid: str, user: str) -> None:
    """A session in which one person has spoken."""
    assert await store.push(sid, f"{sid}|m", "message", "{}", urgent=False) == "ok"
    sent_at = time.monotonic()
    claimed = await store.claim("w", 60_000, 1)
    assert claimed is not None
    assert claimed.sid == sid
    session = SessionWriter(store, Lease.of(claimed, timedelta(seconds=60), sent_at), SessionState(session_id=sid))
    await session.commit(MessageReceived(ts="1.0", user=user, speaker=user, text="hello"))


async def test_a_persons_threads_are_found_behind_those_of_many_others(store: SessionStore) -> None:
    """Whatever others said since; of more than the form holds the newest are offered, and the form says so."""
    await spoken(store, "T:C1:0.1", "U1")
    for number in range(PAGE + 5):
        await spoken(store, f"T:C1:{number + 1}.0", "U2")
    assert [state.session_id for state in await threads_of(store, "T", "U1")] == ["T:C1:0.1"]
    assert await threads_of(store, "T9", "U1") == ()
    many = await threads_of(store, "T", "U2")
    assert [state.session_id for state in many] == [f"T:C1:{PAGE + 5 - n}.0" for n in range(OFFERED)]
    assert "your 25 newest" in str(thread_modal(many))
    assert "newest" not in str(thread_modal(many[:1]))
