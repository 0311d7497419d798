"""Clients that wait for a free connection, where redis-py would refuse at once: a burst is a queue, not an outage."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import cached_property
from typing import Any, Final, cast

import hiredis
from redis import exceptions
from redis.asyncio import Redis, RedisCluster
from redis.connection import HiredisRespSerializer

POOL_SIZE: Final = 64
WAIT_SECONDS: Final = 3.0
"""How long a request waits for a connection before it fails unsent."""


class Queue:
    """Lets as many requests through at a time as there are connections, first come first served."""

    def __init__(self) -> None:
        self.places = asyncio.Semaphore(POOL_SIZE)

    async def __aenter__(self) -> None:
        """Wait for a place.

        Raises:
            MaxConnectionsError: none was free in time; nothing was sent.
        """
        if not self.places.locked():
            await self.places.acquire()  # At once, so nothing has to be bounded.
            return
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                await self.places.acquire()
        except TimeoutError as error:
            raise exceptions.MaxConnectionsError(f"no connection was free within {WAIT_SECONDS:g} s") from error

    async def __aexit__(self, *_: object) -> None:
        """Give it back."""
        self.places.release()


class PatientRedis(Redis):
    """One server, or the master that Sentinels name."""

    seconds: float | None = None
    """How long a command may take with all it needs; None where its connections have limits of their own."""

    @cached_property
    def queue(self) -> Queue:
        """Before the pool."""
        return Queue()

    async def execute_command(self, *args: Any, **options: Any) -> Any:
        """Send a command once a connection is free.

        Raises:
            redis.exceptions.TimeoutError: it took too long; its connection is closed.
        """
        # redis-py leaves the reply without a type.
        send = cast("Callable[..., Awaitable[Any]]", super().execute_command)  # pyright: ignore[reportUnknownMemberType]
        async with self.queue:
            try:
                async with asyncio.timeout(self.seconds):
                    return await send(*args, **options)
            except TimeoutError as error:
                raise exceptions.TimeoutError(f"no reply within {self.seconds} s") from error


# hiredis leaves what it returns without a type.
PACK = cast("Callable[[tuple[Any, ...]], bytes]", hiredis.pack_command)  # pyright: ignore[reportUnknownMemberType]


class PackedInC:
    """A connection that writes commands with `hiredis`, as redis-py does for its blocking ones only."""

    packer = HiredisRespSerializer()

    def pack_command(self, *args: Any) -> list[bytes]:
        """A command as it is sent."""
        if args[0] == "EVALSHA":
            # A script's arguments are bytes already; the usual way asks each of them what it is.
            return [PACK(args)]
        pack = cast("Callable[..., list[bytes]]", self.packer.pack)  # pyright: ignore[reportUnknownMemberType] # untyped
        return pack(*args)


def pack_in_c(client: Redis) -> None:
    """Let connections that the client makes from now on be of this kind."""
    pool = cast("Any", client.connection_pool)
    kind: type = pool.connection_class
    pool.connection_class = type(f"{kind.__name__}InC", (PackedInC, kind), {})


class PatientCluster(RedisCluster):
    """The nodes of a Cluster; each has a pool of its own, which all requests together cannot exhaust."""

    @cached_property
    def queue(self) -> Queue:
        """Before the pools."""
        return Queue()

    async def execute_command(self, *args: Any, **kwargs: Any) -> Any:
        """Send a command once a connection is free."""
        async with self.queue:
            return await super().execute_command(*args, **kwargs)
