"""What can be asked of the store without a lease."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Mapping, Sequence
from contextlib import aclosing
from datetime import timedelta
from typing import Final, Protocol, cast

from redis.asyncio.client import PubSub
from redis.exceptions import RedisError

from runtime.store.connection import Clients, cancellable, translated
from runtime.store.keys import Keys
from runtime.store.values import InboxRecord, LogRecord, Ring, SessionRow, Snapshot

StreamReply = list[tuple[bytes, dict[bytes, bytes]]]


class Subscription(Protocol):
    """What is used of redis-py's `PubSub`, whose own annotations are incomplete."""

    async def subscribe(self, channel: str, /) -> None:
        """Listen on one channel."""
        ...

    async def get_message(self, without_subscribing: bool, seconds: float | None, /) -> Mapping[str, bytes] | None:
        """Wait for the next message; `None` waits for ever."""
        ...

    async def aclose(self) -> None:
        """Give the connection back."""
        ...


class Wire(Protocol):
    """What is used of redis-py's client where its own annotations are incomplete."""

    async def ping(self) -> object:
        """Ask for an answer."""
        ...

    async def hgetall(self, name: str) -> Mapping[bytes, bytes]:
        """All fields of a hash."""
        ...

    async def hset(self, name: str, key: str, value: str) -> object:
        """Set one field."""
        ...

    async def hdel(self, name: str, key: str) -> int:
        """Remove one field; how many there were."""
        ...

    async def publish(self, channel: str, message: str) -> object:
        """Say something to whoever listens."""
        ...

    async def zrevrange(self, name: str, start: int, end: int, *, withscores: bool) -> Sequence[tuple[bytes, float]]:
        """Members and scores, highest first."""
        ...


PAGE: Final = 500
"""Journal events fetched at a time."""
RECONNECT_AFTER: Final = 0.5
"""Seconds before the doorbell is connected again."""


class SessionReads:
    """The reading half of the store. Every method may raise `StoreUnavailable`."""

    def __init__(self, clients: Clients, keys: Keys) -> None:
        self.clients = clients
        self.keys = keys

    async def ping(self) -> None:
        """Returns when the server answers."""
        with translated(self.clients.shown_url):
            await cast("Wire", self.clients.commands).ping()

    async def read_log(self, sid: str, after_seq: int = 0) -> list[LogRecord]:
        """The journal's events after a position, in order."""
        records: list[LogRecord] = []
        while True:
            start = f"({records[-1].seq if records else after_seq}-0"
            page = await self.stream(self.keys.session(sid).log, start, PAGE)
            records.extend(
                LogRecord(int(name.partition(b"-")[0]), int(fields[b"t"]), fields[b"e"].decode())
                for name, fields in page
            )
            if len(page) < PAGE:
                return records

    async def read_inbox(self, sid: str) -> list[InboxRecord]:
        """The entries not yet consumed, in the order of their arrival."""
        entries = await self.stream(self.keys.session(sid).inbox, "-", None)
        return [
            InboxRecord(name.decode(), fields[b"k"].decode(), fields[b"p"].decode(), int(fields[b"t"]))
            for name, fields in entries
        ]

    async def exists(self, sid: str) -> bool:
        """Whether anything was ever recorded for the session that has not expired or been deleted."""
        names = self.keys.session(sid)
        with translated(self.clients.shown_url):
            return await self.clients.commands.exists(names.log, names.inbox) > 0

    async def pauses(self) -> Mapping[str, str]:
        """The kill switch: what is paused (`*` or a channel) and the note that was left with it."""
        with translated(self.clients.shown_url):
            found = await cast("Wire", self.clients.commands).hgetall(self.keys.paused)
        return {scope.decode(): note.decode() for scope, note in found.items()}

    async def mark(self, what: str, lasting: timedelta) -> bool:
        """Leave a mark for a while; False when it stands already."""
        name = f"{self.keys.namespace}:said:{what}"
        with translated(self.clients.shown_url):
            done = self.clients.commands.set(name, "1", nx=True, ex=int(lasting.total_seconds()))
            return bool(await cast("Awaitable[object]", done))

    async def load_snapshot(self, sid: str) -> Snapshot | None:
        """The stored fold, whatever its version; the caller decides whether it can still be read."""
        with translated(self.clients.shown_url):
            body = cast("bytes | None", await self.clients.commands.get(self.keys.session(sid).snap))
        if body is None:
            return None
        head, _, state = body.decode().partition("\n")
        version, seq = head.split()
        return Snapshot(int(version), int(seq), state)

    async def list_sessions(self, limit: int = 100, *, skip: int = 0) -> list[SessionRow]:
        """The most recently active sessions of all partitions, newest first, after the `skip` newest ones."""
        active: list[tuple[str, int]] = []
        for number in range(self.keys.partitions):
            active.extend(await self.recent(self.keys.partition(number).sessions, skip + limit))
        active.sort(key=lambda pair: -pair[1])
        return [await self.row(sid, at_ms) for sid, at_ms in active[skip : skip + limit]]

    async def bell(self) -> AsyncGenerator[Ring]:
        """Rings as sessions get something to do, for as long as it is read; reconnects by itself.

        Rings are lost while the server is away: whoever listens must also look now and then.
        """
        while True:
            try:
                async with aclosing(self.listen()) as rings:
                    async for ring in rings:
                        yield ring
            except (RedisError, OSError):
                await asyncio.sleep(RECONNECT_AFTER)

    async def listen(self) -> AsyncGenerator[Ring]:
        """One connection of the doorbell."""
        pool = self.clients.listener.connection_pool
        subscription = cast("Subscription", PubSub(pool, ignore_subscribe_messages=True))
        try:
            with cancellable():
                await subscription.subscribe(self.keys.bell)
            while True:
                message = await subscription.get_message(True, None)
                if message is not None:
                    urgency, _, sid = message["data"].decode().partition("|")
                    yield Ring(sid, urgency == "urgent")
        finally:
            await subscription.aclose()

    async def stream(self, key: str, start: str, count: int | None) -> StreamReply:
        """Part of a stream, from an id on."""
        with translated(self.clients.shown_url):
            reply = await self.clients.commands.xrange(key, min=start, count=count)
        return cast("StreamReply", reply or [])

    async def recent(self, key: str, limit: int) -> list[tuple[str, int]]:
        """One partition's sessions with the time of their last activity."""
        with translated(self.clients.shown_url):
            pairs = await cast("Wire", self.clients.commands).zrevrange(key, 0, limit - 1, withscores=True)
        return [(sid.decode(), int(at_ms)) for sid, at_ms in pairs]

    async def row(self, sid: str, at_ms: int) -> SessionRow:
        """What the operator's list shows of a session."""
        with translated(self.clients.shown_url):
            reply = self.clients.commands.hmget(self.keys.session(sid).meta, ["status", "owner"])
            status, owner = await cast("Awaitable[list[bytes | None]]", reply)
        return SessionRow(sid, (status or b"").decode(), at_ms, (owner or b"").decode())
