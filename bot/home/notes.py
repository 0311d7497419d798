"""A sentence about what was just done, shown in App Home for a minute: each opening draws the tab anew."""

from collections.abc import Awaitable
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, cast

from runtime.store.connection import translated
from runtime.store.redis_store import SessionStore

KEPT: Final = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Notes:
    """One workspace's notes, for all replicas. Every method may raise `StoreUnavailable`."""

    store: SessionStore
    team: str

    def key(self, user: str) -> str:
        """The Redis key."""
        return f"{self.store.keys.namespace}:home-note:{self.team}:{user}"

    async def write(self, user: str, words: str) -> None:
        """Show it from now on."""
        with translated(self.store.clients.shown_url):
            done = self.store.clients.commands.set(self.key(user), words, ex=int(KEPT.total_seconds()))
            await cast("Awaitable[object]", done)

    async def read(self, user: str) -> str:
        """What is to be shown; empty when there is nothing."""
        with translated(self.store.clients.shown_url):
            found = await cast("Awaitable[bytes | None]", self.store.clients.commands.get(self.key(user)))
        return (found or b"").decode()
