"""Opening a session under a lease: newest snapshot, then the journal's tail, folded."""

from runtime.engine.lease import Lease
from runtime.session.writer import SessionWriter, load_state
from runtime.store.redis_store import SessionStore


async def open_writer(store: SessionStore, lease: Lease) -> SessionWriter:
    """The session's one writer for the time of this lease.

    Raises:
        IllegalMove: the journal cannot be folded by this version.
    """
    return SessionWriter(store, lease, await load_state(store, lease.sid))
