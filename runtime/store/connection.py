"""Clients of the server, and the translation of their errors."""

import asyncio
import errno
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, cast
from urllib.parse import urlsplit, urlunsplit

from redis import exceptions
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from runtime.store.errors import OutcomeUnknown, StoreUnavailable
from runtime.store.patience import POOL_SIZE, WAIT_SECONDS, PatientRedis, pack_in_c
from runtime.store.topologies import clients_of, close_watchers, has_many_hosts, read

SOCKET_TIMEOUT: Final = 5.0
"""Seconds without a reply after which an outcome counts as unknown."""
CONNECT_TIMEOUT: Final = 3.0
NEVER_CONNECTED: Final = frozenset(
    {errno.ECONNREFUSED, errno.ENOENT, errno.EHOSTUNREACH, errno.ENETUNREACH, errno.EACCES}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clients:
    """`commands` never retries: a repeated write would be stored twice. `listener` blocks without a time limit."""

    commands: Redis
    listener: Redis
    shown_url: str

    async def aclose(self) -> None:
        """Close every connection."""
        for client in (self.commands, self.listener):
            await client.aclose()
            await close_watchers(client)


def connect(url: str) -> Clients:
    """Clients for `redis://`, `rediss://`, `unix://`, a Sentinel or a Cluster; no connection is made yet.

    Raises `StoreUnavailable` for an address the client cannot read.
    """
    once = Retry(NoBackoff(), 0)
    usual = {"retry": once, "socket_connect_timeout": CONNECT_TIMEOUT}
    for_commands = {**usual, "max_connections": POOL_SIZE}
    for_listener = {**usual, "socket_timeout": None}
    try:
        if has_many_hosts(url):
            timed = {**for_commands, "socket_timeout": SOCKET_TIMEOUT}
            commands, listener = clients_of(read(url), timed, for_listener)
        else:
            # redis-py leaves the keywords of `from_url` without a type.
            patient = cast("Callable[..., PatientRedis]", PatientRedis.from_url)  # pyright: ignore[reportUnknownMemberType]
            client = cast("Callable[..., Redis]", Redis.from_url)  # pyright: ignore[reportUnknownMemberType]
            # One limit for sending and the reply; redis-py's own takes a task for each command before Python 3.12.
            commands, listener = patient(url, **for_commands, socket_timeout=None), client(url, **for_listener)
            commands.seconds = SOCKET_TIMEOUT
            pack_in_c(commands)
    except ValueError as error:
        raise StoreUnavailable(
            f"REDIS_URL is not an address Handrail can use: {error}. Write it as redis://host:6379/0, rediss://..., "
            "unix:///path, redis+sentinel://host:26379,host:26379/service or redis+cluster://host:6379,host:6379."
        ) from error
    return Clients(commands=commands, listener=listener, shown_url=without_password(url))


def without_password(url: str) -> str:
    """The address as it may be shown and logged."""
    parts = urlsplit(url)
    if parts.password is None and parts.username is None:
        return url
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit(parts._replace(netloc=f"***@{host}"))


def cancellations() -> int:
    """How often the task at hand was asked to end."""
    task = asyncio.current_task()
    return task.cancelling() if task is not None else 0


@contextmanager
def cancellable() -> Generator[None]:
    """Raises the cancellation that came while the block waited, also when what it waited for came as well.

    redis-py sends through `asyncio.wait_for`, which before Python 3.12 may then return as if nothing had happened
    (python/cpython issue 86296): the task would go on although its canceller waits for its end.
    """
    before = cancellations()
    yield
    if cancellations() > before:
        raise asyncio.CancelledError


@contextmanager
def translated(shown_url: str) -> Generator[None]:
    """Turns the client's errors into the store's; everything else passes, and the block is `cancellable`."""
    before = cancellations()
    try:
        yield
        if cancellations() > before:
            raise asyncio.CancelledError
    except exceptions.RedisError as error:
        raise explain(error, shown_url) from error


def explain(error: exceptions.RedisError, shown_url: str) -> StoreUnavailable:
    """One sentence per cause, naming the setting and the fix."""
    where = f"Redis at {shown_url} (REDIS_URL)"
    said = str(error).rstrip(". ")
    if isinstance(error, exceptions.MaxConnectionsError):
        return StoreUnavailable(
            f"all {POOL_SIZE} connections to {where} were in use for {WAIT_SECONDS:g} s; the request was not sent."
        )
    # While it connects, the client wraps this refusal into a lost connection.
    if any(
        isinstance(cause, (exceptions.AuthenticationError, exceptions.NoPermissionError)) for cause in causes(error)
    ):
        return StoreUnavailable(f"{where} refuses this user or password: {said}. Correct the password in REDIS_URL.")
    if isinstance(error, exceptions.BusyLoadingError):
        return StoreUnavailable(f"{where} is still loading its data; it will answer when it is done.")
    if isinstance(error, exceptions.TimeoutError):
        return OutcomeUnknown(f"{where} did not answer within {SOCKET_TIMEOUT:g} s.")
    if isinstance(error, exceptions.ConnectionError):
        if was_never_connected(error):
            return StoreUnavailable(f"{where} cannot be reached: {said}. Start it or correct REDIS_URL.")
        return OutcomeUnknown(f"the connection to {where} was lost: {said}.")
    return explain_refusal(error, where)


def explain_refusal(error: exceptions.RedisError, where: str) -> StoreUnavailable:
    """A reply that came, and said no."""
    if isinstance(error, exceptions.ReadOnlyError):
        return StoreUnavailable(f"{where} is a read-only replica; point REDIS_URL at the primary.")
    if isinstance(error, exceptions.OutOfMemoryError):
        return StoreUnavailable(f"{where} is out of memory; raise maxmemory or free some.")
    if isinstance(error, exceptions.ResponseError) and "NOREPLICAS" in str(error):
        return StoreUnavailable(f"{where} has too few replicas to accept writes (min-replicas-to-write).")
    return StoreUnavailable(f"{where} refused a request: {str(error).rstrip('. ')}.")


def was_never_connected(error: BaseException) -> bool:
    """Whether the cause is a connection that was refused, so that nothing can have been executed."""
    return any(isinstance(cause, OSError) and cause.errno in NEVER_CONNECTED for cause in causes(error))


def causes(error: BaseException) -> Iterator[BaseException]:
    """An error and what led to it."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__
