"""Which processes are there: each says so again and again, and is forgotten when it stops."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Protocol, cast

from runtime.store.connection import translated
from runtime.store.redis_store import SessionStore, milliseconds


class Scanning(Protocol):
    """What is used of redis-py's client where its own annotations are incomplete."""

    def scan_iter(self, match: str, count: int, /) -> AsyncIterator[bytes]:
        """Every key's name."""
        ...


LIVES: Final = timedelta(seconds=45)


@dataclass(frozen=True, slots=True)
class Presence:
    """One process's sign of life."""

    store: SessionStore
    name: str
    concurrency: int

    async def renew(self) -> None:
        """Say that it is there, for the next while."""
        body = json.dumps({"name": self.name, "concurrency": self.concurrency})
        key = f"{self.store.keys.namespace}:worker:{self.name}"
        with translated(self.store.clients.shown_url):
            await self.store.clients.commands.set(key, body, px=milliseconds(LIVES))


async def present(store: SessionStore) -> list[str]:
    """The names of the processes that are there."""
    prefix = f"{store.keys.namespace}:worker:"
    with translated(store.clients.shown_url):
        wire = cast("Scanning", store.clients.commands)
        found = [key async for key in wire.scan_iter(f"{prefix}*", 1000)]
    return sorted(key.decode().removeprefix(prefix) for key in found)
