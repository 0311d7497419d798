"""Watches over the socket to Slack: a silent one is replaced, and another reader of the same events is named."""

import asyncio
import contextlib
import hashlib
import json
import logging
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Protocol, cast

from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler

from bot import texts_surface
from runtime.store.connection import translated
from runtime.store.errors import StoreError
from runtime.store.redis_store import SessionStore

log = logging.getLogger(__name__)

EVERY: Final = 20.0
"""Seconds between two looks."""
REGISTERED: Final = 60
"""Seconds a process counts as connected after it last said so."""


class SortedSets(Protocol):
    """What is used of redis-py's client, whose own annotations are incomplete."""

    async def time(self) -> tuple[int, int]:
        """Seconds and microseconds."""
        ...

    async def zadd(self, name: str, mapping: Mapping[str, int]) -> object:
        """Members with their scores."""
        ...

    async def zrem(self, name: str, member: str) -> object:
        """Take one out."""
        ...

    async def zremrangebyscore(self, name: str, least: str, most: int) -> object:
        """Take out what is scored so low."""
        ...

    async def zrange(self, name: str, start: int, end: int) -> list[bytes]:
        """Members in order."""
        ...

    async def expire(self, name: str, seconds: int) -> object:
        """Its lifetime."""
        ...


@dataclass(slots=True, kw_only=True)
class SocketWatch:
    """One process's watch over its own connection."""

    handler: AsyncSocketModeHandler
    store: SessionStore
    token: str
    name: str
    """This process, as operators know it: host and process id."""
    every: float = EVERY
    """Seconds between two looks."""
    told: tuple[str, ...] = ()
    foreign: int = 0

    @property
    def key(self) -> str:
        """Who reads the events of this app token: a hash of names, one key each would have to be searched for."""
        digest = hashlib.sha256(self.token.encode()).hexdigest()[:12]
        return f"{self.store.keys.namespace}:sockets:{digest}"

    @property
    def commands(self) -> SortedSets:
        """The store's client."""
        return cast("SortedSets", self.store.clients.commands)

    async def hello(self, message: Any) -> None:
        """Slack says at the beginning how many connections there are."""
        try:
            body: object = json.loads(message.data)
        except (TypeError, ValueError):
            return
        if isinstance(body, dict):
            greeting = cast("dict[str, Any]", body)
            if greeting.get("type") == "hello":
                await self.compare(int(greeting.get("num_connections") or 1))

    async def compare(self, connections: int) -> None:
        """Name the others of this store once; warn of those that no process of this store has opened."""
        try:
            others = await self.register()
        except StoreError as error:
            log.info("cannot tell who else is connected: %s", error)
            return
        if others and others != self.told:
            log.warning(texts_surface.other_process(others))
        self.told = others
        self.foreign = max(0, connections - 1 - len(others))
        if self.foreign:
            log.warning(texts_surface.foreign_connections(self.foreign))

    async def register(self) -> tuple[str, ...]:
        """Say that this process is connected; the names of the others that are."""
        commands = self.commands
        with translated(self.store.clients.shown_url):
            seconds, _ = await commands.time()
            await commands.zadd(self.key, {self.name: seconds})
            await commands.zremrangebyscore(self.key, "-inf", seconds - REGISTERED)
            await commands.expire(self.key, 2 * REGISTERED)
            names = await commands.zrange(self.key, 0, -1)
        return tuple(sorted(name.decode() for name in names if name.decode() != self.name))

    async def unregister(self) -> None:
        """This process is no longer connected."""
        with contextlib.suppress(StoreError), translated(self.store.clients.shown_url):
            await self.commands.zrem(self.key, self.name)

    async def watch(self) -> None:
        """Look now and then: a connection that does not answer pings is replaced."""
        while True:
            await asyncio.sleep(self.every)
            client = self.handler.client
            if not await client.is_connected():
                log.warning("the socket to Slack is silent; connecting anew")
                await client.connect_to_new_endpoint(force=True)
            with contextlib.suppress(StoreError):
                await self.register()


def silence(handler: AsyncSocketModeHandler) -> str:
    """What is wrong with the connection, for the health page: there is none, or nothing comes back on it."""
    client = handler.client
    if client.current_session is None or client.current_session.closed:
        return "not connected to Slack"
    heard = client.last_ping_pong_time
    silent = datetime.now(UTC).timestamp() - heard if heard is not None else 0
    # As many intervals as the client itself waits before it gives a connection up.
    return f"Slack has been silent for {silent:.0f} s" if silent > 4 * client.ping_interval else ""


@contextlib.asynccontextmanager
async def watched(
    handler: AsyncSocketModeHandler, store: SessionStore, token: str, name: str, every: float = EVERY
) -> AsyncGenerator[None]:
    """Watch a connection that is about to be opened."""
    watch = SocketWatch(handler=handler, store=store, token=token, name=name, every=every)
    handler.client.on_message_listeners.append(watch.hello)
    task = asyncio.create_task(watch.watch(), name="watch over the socket")
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        await watch.unregister()
