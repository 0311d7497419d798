"""Reading what waits in an inbox: what an entry says, and what the outside adds to it unless a stop comes first."""

import asyncio
from collections.abc import Coroutine
from datetime import timedelta
from typing import Any, Final

from pydantic import ValidationError

from runtime.session.entries import AnyEntry, load_entry
from runtime.session.stopping import is_vain, unread
from runtime.session.writer import SessionWriter
from runtime.store.redis_store import SessionStore
from runtime.store.values import InboxRecord

LOOK: Final = timedelta(seconds=0.3)
"""How often the inbox is looked at for a stop while names and files of an entry are fetched."""


def readable(record: InboxRecord) -> AnyEntry | None:
    """The entry of an inbox record; None for one that this version does not know."""
    try:
        return load_entry(record)
    except ValidationError:
        return None


async def unless_stopped(
    entry: AnyEntry, reading: Coroutine[Any, Any, AnyEntry], session: SessionWriter, store: SessionStore
) -> AnyEntry:
    """The entry as the outside completes it; as it is, with its files unread, once a stop makes that vain.

    A decision is never cut short: without what the outside knows of a person it would count as a member's.
    """
    task = asyncio.create_task(reading, name=f"read {entry.entry_id}")
    try:
        while not (await asyncio.wait({task}, timeout=LOOK.total_seconds()))[0]:
            waiting = [readable(record) for record in await store.read_inbox(session.session_id)]
            if is_vain(entry, waiting, session.state):
                return unread(entry)
        return task.result()
    finally:
        task.cancel()
        await asyncio.wait({task})
