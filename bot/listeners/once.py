"""What is said once: a delivery that comes again, on whatever replica, is not answered again."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final, cast

from runtime.store.connection import translated
from runtime.store.redis_store import SessionStore

KEPT: Final = timedelta(hours=2)
"""Slack delivers an event again within minutes; older ones it drops."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Once:
    """Marks in Redis that lapse by themselves."""

    store: SessionStore

    async def first(self, what: str) -> bool:
        """Whether nobody has marked it before; it is marked now.

        Raises:
            StoreError: the store does not answer.
        """
        key = f"{self.store.keys.namespace}:said:{what}"
        # The annotations of redis-py's client leave its answers open.
        client = cast("Any", self.store.clients.commands)
        with translated(self.store.clients.shown_url):
            return bool(await client.set(key, "1", nx=True, ex=int(KEPT.total_seconds())))
