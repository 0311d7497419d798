"""What earlier events said of a thread, for when it cannot be read: some installations may read one page a minute.

Kept for a day, the newest thirty messages of a thread, and taken out again when their author edits or deletes them.
"""

import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final, cast

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


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadMemory:
    """The newest messages of each thread, in Redis."""

    store: SessionStore
    team: str

    def key(self, channel: str, thread_ts: str) -> str:
        """The Redis key: a list of JSON records."""
        return f"{self.store.keys.namespace}:heard:{self.team}:{channel}:{thread_ts}"

    async def hear(self, event: Mapping[str, Any]) -> None:
        """Take in one event; what is not a person's message in a channel is passed over."""
        if event.get("type") != "message" or str(event.get("channel", "")).startswith("D"):
            return
        subtype = str(event.get("subtype") or "")
        if subtype in {"message_changed", "message_deleted"}:
            await self.correct(event)
        elif subtype in SUBTYPES and event.get("user") and not event.get("bot_id"):
            record = {"ts": event["ts"], "user": event["user"], "text": str(event.get("text", ""))[:TEXT]}
            await self.write(str(event["channel"]), str(event.get("thread_ts") or event["ts"]), [record])

    async def correct(self, event: Mapping[str, Any]) -> None:
        """Replace or take out what was edited or deleted."""
        now: Mapping[str, Any] = event.get("message") or {}
        before: Mapping[str, Any] = event.get("previous_message") or {}
        ts = str(event.get("deleted_ts") or now.get("ts") or before.get("ts") or "")
        channel, thread_ts = str(event["channel"]), str(now.get("thread_ts") or before.get("thread_ts") or ts)
        known = await self.read(channel, thread_ts)
        if all(record["ts"] != ts for record in known):
            return
        gone = event.get("subtype") == "message_deleted" or now.get("subtype") == "tombstone"
        text = str(now.get("text", ""))[:TEXT]
        kept = [{**r, "text": text} if r["ts"] == ts else r for r in known if r["ts"] != ts or not gone]
        with translated(self.store.clients.shown_url):
            await self.store.clients.commands.delete(self.key(channel, thread_ts))
        if kept:
            await self.write(channel, thread_ts, kept)

    async def write(self, channel: str, thread_ts: str, records: list[dict[str, Any]]) -> None:
        """Append records, oldest first."""
        key, commands = self.key(channel, thread_ts), self.store.clients.commands
        lines = [json.dumps(record, ensure_ascii=False) for record in records]
        with translated(self.store.clients.shown_url):
            await commands.rpush(key, *lines)
            await cast("Awaitable[object]", commands.ltrim(key, -MESSAGES, -1))
            await cast("Awaitable[object]", commands.expire(key, int(KEPT.total_seconds())))

    async def read(self, channel: str, thread_ts: str) -> list[dict[str, Any]]:
        """What is remembered, oldest first."""
        with translated(self.store.clients.shown_url):
            reply = self.store.clients.commands.lrange(self.key(channel, thread_ts), 0, -1)
            lines = await cast("Awaitable[list[bytes]]", reply)
        return [json.loads(line) for line in lines]


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
