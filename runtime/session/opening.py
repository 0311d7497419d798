"""Opening a session under a lease: newest snapshot, then the journal's tail, folded."""

from runtime.engine.lease import Lease
from runtime.session import snapshot
from runtime.session.writer import SessionWriter
from runtime.store.redis_store import SessionStore


async def open_writer(store: SessionStore, lease: Lease, snapshot_every: int) -> SessionWriter:
    """The session's one writer for the time of this lease, which stores a snapshot every so many events.

    Raises:
        IllegalMove: the journal cannot be folded by this version.
    """
    state, snapshot_seq = await snapshot.load(store, lease.sid)
    return SessionWriter(store, lease, state, snapshot_every=snapshot_every, snapshot_seq=snapshot_seq)
