"""What earlier events said of a thread, for when it cannot be read: some installations may read one page a minute.

Kept for a day, the newest thirty messages of a thread, and taken out again when their author edits or deletes them.
"""

import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final, Protocol, cast

from bot import texts_surface
from bot.listeners.agent_view import LookedAt
from bot.listeners.messages import SUBTYPES
from runtime.session.entries import AnyEntry, MessageEntry
from runtime.session.events import Quoted
from runtime.session.ids import SessionKey
from runtime.session.state import SessionState
from runtime.store.connection import translated
from runtime.store.errors import StoreError
from runtime.store.redis_store import SessionStore

log = logging.getLogger(__name__)

KEPT: Final = timedelta(days=1)
MESSAGES: Final = 30
QUOTED: Final = 20
TEXT: Final = 2_000


GONE: Final = ""
"""The record of a message that its author took back."""


class Hashes(Protocol):
    """What is used of redis-py's client, whose own annotations are incomplete."""

    async def hset(self, name: str, key: str, value: str) -> object:
        """Set a field."""
        ...

    async def hsetnx(self, name: str, key: str, value: str) -> object:
        """Set a field that is not there."""
        ...

    async def hdel(self, name: str, *keys: bytes) -> object:
        """Remove fields."""
        ...

    async def hlen(self, name: str) -> int:
        """How many fields there are."""
        ...

    async def hkeys(self, name: str) -> list[bytes]:
        """Their names."""
        ...

    async def hgetall(self, name: str) -> Mapping[bytes, bytes]:
        """All of them."""
        ...

    async def delete(self, name: str) -> object:
        """Remove the whole hash."""
        ...

    async def expire(self, name: str, seconds: int) -> object:
        """The lifetime."""
        ...


def record_of(message: Mapping[str, Any]) -> str:
    """What is kept of a message."""
    return json.dumps(
        {"user": message.get("user", ""), "text": str(message.get("text", ""))[:TEXT]}, ensure_ascii=False
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadMemory:
    """The newest messages of each thread, in Redis."""

    store: SessionStore
    team: str

    def key(self, channel: str, thread_ts: str) -> str:
        """The Redis key: a hash from `ts` to a JSON record."""
        return f"{self.store.keys.namespace}:heard:{self.team}:{channel}:{thread_ts}"

    async def hear(self, event: Mapping[str, Any]) -> None:
        """Take in one event; what is not a person's message in a channel is passed over.

        Events come in no order: an edit or a deletion that is heard before its message still counts.
        """
        if event.get("type") != "message" or str(event.get("channel", "")).startswith("D"):
            return
        subtype = str(event.get("subtype") or "")
        if subtype in {"message_changed", "message_deleted"}:
            await self.correct(event)
        elif subtype in SUBTYPES and event.get("user") and not event.get("bot_id"):
            thread_ts = str(event.get("thread_ts") or event["ts"])
            await self.write(str(event["channel"]), thread_ts, str(event["ts"]), record_of(event), is_new=True)

    async def correct(self, event: Mapping[str, Any]) -> None:
        """Replace or take out what was edited or deleted."""
        now: Mapping[str, Any] = event.get("message") or {}
        before: Mapping[str, Any] = event.get("previous_message") or {}
        if now.get("bot_id") or before.get("bot_id"):
            return
        ts = str(event.get("deleted_ts") or now.get("ts") or before.get("ts") or "")
        thread_ts = str(now.get("thread_ts") or before.get("thread_ts") or ts)
        gone = event.get("subtype") == "message_deleted" or now.get("subtype") == "tombstone"
        if ts:
            await self.write(str(event["channel"]), thread_ts, ts, GONE if gone else record_of(now), is_new=False)

    async def write(self, channel: str, thread_ts: str, ts: str, record: str, *, is_new: bool) -> None:
        """Keep one record; a new message never replaces what is known of it already."""
        key = self.key(channel, thread_ts)
        with translated(self.store.clients.shown_url):
            await (self.hashes.hsetnx if is_new else self.hashes.hset)(key, ts, record)
            await self.hashes.expire(key, int(KEPT.total_seconds()))
            if await self.hashes.hlen(key) > 2 * MESSAGES:
                known = sorted(await self.hashes.hkeys(key), key=float)
                await self.hashes.hdel(key, *known[1:-MESSAGES])

    async def forget(self, channel: str, thread_ts: str) -> None:
        """Delete what is remembered of a thread."""
        with translated(self.store.clients.shown_url):
            await self.hashes.delete(self.key(channel, thread_ts))

    async def read(self, channel: str, thread_ts: str) -> list[dict[str, Any]]:
        """What is remembered, oldest first."""
        with translated(self.store.clients.shown_url):
            found = await self.hashes.hgetall(self.key(channel, thread_ts))
        return [{"ts": ts.decode(), **json.loads(found[ts])} for ts in sorted(found, key=float) if found[ts] != b""]

    @property
    def hashes(self) -> Hashes:
        """The store's client."""
        return cast("Hashes", self.store.clients.commands)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """Adds what is remembered to what a person said."""

    memory: ThreadMemory
    looked_at: LookedAt
    name: Callable[[str], Awaitable[str]]
    """A person's name by id."""

    async def add(self, entry: AnyEntry, state: SessionState) -> AnyEntry:
        """The entry with remembered messages of its thread and what its author was looking at."""
        if not isinstance(entry, MessageEntry):
            return entry
        key = SessionKey.parse(state.session_id)
        try:
            quoted = list(entry.context)
            if not state.seen_ts and entry.ts != key.thread_ts:
                quoted = await self.merged(key, entry, quoted)
            if key.channel.startswith("D") and (seen := await self.looked_at.of(entry.user)):
                quoted.append(Quoted(speaker=texts_surface.SEEN_WHILE_ASKING, text=seen, ts=entry.ts))
        except StoreError as error:
            log.info("nothing recalled for %s: %s", key, error)
            return entry
        return entry.model_copy(update={"context": tuple(quoted)})

    async def merged(self, key: SessionKey, entry: MessageEntry, quoted: list[Quoted]) -> list[Quoted]:
        """What Slack gave and what was remembered, each message once, the root and the newest."""
        known = {one.ts for one in quoted}
        for record in await self.memory.read(key.channel, key.thread_ts):
            if record["ts"] not in known and float(record["ts"]) < float(entry.ts):
                speaker = await self.name(str(record["user"]))
                quoted.append(Quoted(speaker=speaker, text=str(record["text"]), ts=str(record["ts"])))
        quoted.sort(key=lambda one: float(one.ts))
        return quoted[:1] + quoted[1:][-QUOTED:]
