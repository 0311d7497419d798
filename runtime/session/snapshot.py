"""A folded state as the bytes of a snapshot, and back. Safe to throw away: the journal alone is the truth."""

import logging
from typing import Final, NamedTuple

from pydantic import TypeAdapter, ValidationError

from runtime.session.events import load_event
from runtime.session.fold import FOLD_VERSION, fold
from runtime.session.state import IllegalMove, SessionState
from runtime.store.errors import StoreUnavailable
from runtime.store.redis_store import SessionStore

LOG: Final = logging.getLogger(__name__)
STATE: Final[TypeAdapter[SessionState]] = TypeAdapter(SessionState)


class Loaded(NamedTuple):
    """A session as the store has it."""

    state: SessionState
    snapshot_seq: int
    """The position of the snapshot it was folded from; 0 when the whole journal was read."""


async def load(store: SessionStore, session_id: str) -> Loaded:
    """Fold the newest usable snapshot and the journal's tail after it.

    Raises:
        StoreUnavailable: the store does not answer.
        IllegalMove: the journal cannot be folded by this version.
    """
    for any_version in (False, False, True):
        begin = await newest(store, session_id, any_version=any_version) or SessionState(session_id=session_id)
        records = await store.read_log(session_id, after_seq=begin.seq)
        # Between the two reads another process may have stored a newer snapshot and trimmed the journal under it.
        if not records or records[0].seq == begin.seq + 1:
            break
    else:
        raise IllegalMove(f"the journal of {session_id} was trimmed and its snapshot cannot be read by this version")
    state = begin
    for record in records:
        state = fold(state, load_event(record.event), at_ms=record.at_ms)
    return Loaded(state, begin.seq)


async def newest(store: SessionStore, session_id: str, *, any_version: bool = False) -> SessionState | None:
    """The stored snapshot; None where there is none, or one that another version of the fold made.

    Of a trimmed journal it is all there is: then one of any version is taken that fits the state's shape.
    """
    found = await store.load_snapshot(session_id)
    if found is None or not (any_version or found.version == FOLD_VERSION):
        return None
    try:
        state = STATE.validate_json(found.state)
    except ValidationError:
        LOG.warning("the snapshot of session %s cannot be read; the journal is folded instead", session_id)
        return None
    return state if state.seq == found.seq and state.session_id == session_id else None


async def save(store: SessionStore, token: int, state: SessionState) -> bool:
    """Store a snapshot under a lease; False when that was not possible now, which loses nothing but time."""
    try:
        body = STATE.dump_json(state).decode()
        return await store.save_snapshot(state.session_id, token, FOLD_VERSION, state.seq, body)
    except StoreUnavailable as error:
        LOG.info("no snapshot of session %s: %s", state.session_id, error)
        return False
