"""A real server for tests: one per test run, empty for each test, and proof that nothing was left in it for ever.

Fixtures: `redis_url` (an empty database), `store` (a `SessionStore` on it), `move_clock` (lets server time pass).
"""

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Protocol, Self, cast

import pytest
from redis import Redis
from redis.exceptions import RedisError

from runtime.store.binaries import find_binary
from runtime.store.keys import PER_PARTITION, PER_SESSION, SHARED, Keys
from runtime.store.redis_store import SessionStore
from tests.waiting import wait_until_blocking

TYPES = {spec.name: spec.type for spec in (*SHARED, *PER_PARTITION, *PER_SESSION)}
PERMANENT = {spec.name for spec in SHARED if spec.permanent}

MoveClock = Callable[[timedelta], Awaitable[None]]


class PlainRedis(Protocol):
    """What tests use of redis-py's blocking client, whose own annotations are incomplete."""

    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...

    def ping(self) -> object:
        """Ask for an answer."""
        ...

    def flushall(self) -> object:
        """Delete everything."""
        ...

    def scan_iter(self, match: str, count: int) -> Iterator[bytes]:
        """Every key's name."""
        ...

    def pttl(self, name: str) -> int:
        """Milliseconds left to live; -1 for ever, -2 gone."""
        ...

    def type(self, name: str) -> bytes:
        """A key's type."""
        ...

    def execute_command(self, *parts: str | int) -> object:
        """Send any command."""
        ...


@dataclass(slots=True, kw_only=True)
class RedisServer:
    """A private server in a folder of its own, reachable through a socket file."""

    folder: Path
    url: str
    binary: Path
    process: subprocess.Popen[bytes]
    arguments: tuple[str, ...] = ()

    def client(self) -> PlainRedis:
        """A plain client for looking into the server."""
        # redis-py leaves the keywords of `from_url` without a type.
        return cast("Callable[[str], PlainRedis]", Redis.from_url)(self.url)  # pyright: ignore[reportUnknownMemberType]

    def kill(self) -> None:
        """End the server as a power cut would."""
        self.process.kill()
        self.process.wait()

    def start_again(self) -> None:
        """Start it on the same folder, and wait until it has loaded its data."""
        self.process = launch(self.binary, self.folder, self.arguments)
        wait_until_blocking("the server answers again", self.answers)

    def listens(self) -> bool:
        """Whether it takes connections."""
        with socket.socket(socket.AF_UNIX) as connection:
            return connection.connect_ex(self.url.removeprefix("unix://")) == 0

    def answers(self) -> bool:
        """Whether it takes commands."""
        try:
            with self.client() as client:
                return bool(client.ping())
        except RedisError:
            return False


def launch(binary: Path, folder: Path, arguments: tuple[str, ...]) -> subprocess.Popen[bytes]:
    """Start a server that listens on a socket file only."""
    options = ("--port", "0", "--unixsocket", str(folder / "redis.sock"), "--dir", str(folder), "--save", "")
    return subprocess.Popen(
        [str(binary), *options, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def start_server(*arguments: str, answers_openly: bool = True) -> RedisServer:
    """A server of its own, for a test that kills or slows it; the caller ends it with `remove`.

    One that wants a password does not answer openly; it is only waited for until it listens.
    """
    binary = find_binary().path
    # Not pytest's folders: their long names do not fit into a socket's address.
    folder = Path(tempfile.mkdtemp(prefix="handrail-redis-"))
    url = f"unix://{folder / 'redis.sock'}"
    server = RedisServer(
        folder=folder, url=url, binary=binary, process=launch(binary, folder, arguments), arguments=arguments
    )
    ready = server.answers if answers_openly else server.listens
    wait_until_blocking("the server answers", ready)
    return server


def remove(server: RedisServer) -> None:
    """End a server and delete what it wrote."""
    server.kill()
    shutil.rmtree(server.folder)


@pytest.fixture(scope="session")
def redis_server() -> Iterator[RedisServer]:
    """The server all tests of this process share; never kill this one."""
    server = start_server("--appendonly", "no")
    yield server
    remove(server)


@pytest.fixture
def own_redis_server() -> Iterator[RedisServer]:
    """A server with an append-only file for one test alone, to be killed, paused and started again."""
    server = start_server("--appendonly", "yes", "--appendfsync", "everysec")
    yield server
    remove(server)


@pytest.fixture
def redis_url(redis_server: RedisServer) -> Iterator[str]:
    """The address of an empty database; afterwards every key must be a known one and have a lifetime."""
    with redis_server.client() as client:
        client.flushall()
        yield redis_server.url
        leaks = leaked_keys(client)
        client.flushall()
    assert not leaks, f"keys left for ever, or of no known kind: {leaks}"


@pytest.fixture
async def store(redis_url: str) -> AsyncIterator[SessionStore]:
    """A store with one partition on an empty database."""
    opened = await SessionStore.open(redis_url)
    yield opened
    await opened.aclose()


@pytest.fixture
async def move_clock(store: SessionStore) -> MoveClock:
    """Moves the server's time forward for every script of the store's namespace."""

    async def move(by: timedelta) -> None:
        await advance(store.keys, store, by)

    return move


async def advance(keys: Keys, store: SessionStore, by: timedelta) -> None:
    """Add to the offset that the scripts put on the server's time."""
    others = [f"{keys.namespace}:{{{tag}}}:clock" for tag in ("budget", "plans")]
    for clock in [*(keys.partition(number).clock for number in range(keys.partitions)), *others]:
        await store.clients.commands.incrby(clock, round(by.total_seconds() * 1000))
        await store.clients.commands.expire(clock, timedelta(days=1))


def leaked_keys(client: PlainRedis) -> list[str]:
    """Every key without a lifetime that is not meant to have none, and every one whose type is not its declared one."""
    leaks: list[str] = []
    for raw in client.scan_iter("*", count=1000):
        key = raw.decode()
        name = key.rpartition(":")[2]
        if name not in PERMANENT and client.pttl(key) == -1:
            leaks.append(f"{key} (no lifetime)")
        kind = client.type(key)
        # One that lapsed just now has no type.
        if name in TYPES and kind not in {TYPES[name].encode(), b"none"}:
            leaks.append(f"{key} ({kind!r} instead of {TYPES[name]})")
    return leaks


def inherits_nothing() -> dict[str, str]:
    """The environment of a child that must not find the developer's Redis."""
    return {name: value for name, value in os.environ.items() if name != "REDIS_URL"}
