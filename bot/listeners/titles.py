"""Titles of threads that a person gave: they stay, whatever the plan is called later."""

from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final, cast

from runtime.session.ids import SessionKey
from runtime.store.connection import translated
from runtime.store.redis_store import SessionStore

KEPT: Final = timedelta(days=30)


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenTitles:
    """Remembers, for all replicas, that a thread was named by a person; the name itself is Slack's."""

    store: SessionStore
    team: str
    bot_user: str

    def key(self, channel: str, thread_ts: str) -> str:
        """The Redis key."""
        return f"{self.store.keys.namespace}:titled:{self.team}:{channel}:{thread_ts}"

    async def changed(self, event: Mapping[str, Any]) -> None:
        """Slack's `agent_session_title_changed`: ours as well as theirs."""
        user, channel, thread_ts = (str(event.get(name) or "") for name in ("user", "channel", "thread_ts"))
        if not (user and channel and thread_ts) or user == self.bot_user:
            return
        with translated(self.store.clients.shown_url):
            kept = self.store.clients.commands.set(self.key(channel, thread_ts), "1", ex=int(KEPT.total_seconds()))
            await cast("Awaitable[object]", kept)

    async def given(self, key: SessionKey) -> bool:
        """Whether a person named the thread.

        Raises:
            StoreError: the store does not answer.
        """
        with translated(self.store.clients.shown_url):
            return bool(await self.store.clients.commands.exists(self.key(key.channel, key.thread_ts)))
