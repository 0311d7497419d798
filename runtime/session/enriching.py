"""Adding to an entry what only the outside knows, for as long as nobody stops what it asks for."""

import asyncio
from collections.abc import Awaitable
from typing import NamedTuple

from runtime.session.entries import AnyEntry, MessageEntry, StopEntry, load_entry
from runtime.store.redis_store import SessionStore

LOOK_AGAIN = 1.0
"""Seconds after which the inbox is looked at without a bell, which can be lost."""


class Enriched(NamedTuple):
    """An entry, and whether it is only as it came because of a stop."""

    entry: AnyEntry
    is_cut_short: bool = False


async def until_stopped(
    store: SessionStore, session_id: str, entry: AnyEntry, adding: Awaitable[AnyEntry], bell: asyncio.Event
) -> Enriched:
    """The entry with what is added to it, or as it came where a stop arrives meanwhile: files can take minutes.

    Args:
        store: where a stop would wait.
        session_id: of which session.
        entry: as it came.
        adding: what makes it complete.
        bell: rings for every urgent entry; it is as it was afterwards, or rung.

    Raises:
        StoreUnavailable: Redis is away.
    """
    if not isinstance(entry, MessageEntry):
        # Of a click it says who may decide: never left out.
        return Enriched(await adding)
    task = asyncio.ensure_future(adding)
    is_rung = False
    try:
        while not task.done():
            # It may have come before anybody listened for the bell.
            if await is_stopped(store, session_id, entry):
                return Enriched(entry, is_cut_short=True)
            ringing = asyncio.create_task(bell.wait())
            await asyncio.wait({task, ringing}, timeout=LOOK_AGAIN, return_when=asyncio.FIRST_COMPLETED)
            ringing.cancel()
            if bell.is_set():
                is_rung = True
                bell.clear()
        return Enriched(await task)
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        if is_rung:
            bell.set()


async def is_stopped(store: SessionStore, session_id: str, said: MessageEntry) -> bool:
    """Whether a stop of what was said waits in the inbox."""
    stops = [load_entry(record) for record in await store.read_inbox(session_id) if record.kind == "stop"]
    return any(isinstance(stop, StopEntry) and float(stop.before_ts) > float(said.ts) for stop in stops)
