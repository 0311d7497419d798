"""Addresses of more than one server: a master that Sentinels name, or the nodes of a Cluster.

`redis+sentinel://user:password@host1:26379,host2:26379/service/0` asks the Sentinels for the master of `service`;
`redis+cluster://user:password@host1:6379,host2:6379` finds the other nodes by itself. An `s` in `rediss+...` means TLS.
"""

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, cast
from urllib.parse import unquote, urlsplit

from redis.asyncio import Redis
from redis.asyncio.cluster import ClusterNode
from redis.asyncio.connection import Connection, ConnectionPool, SSLConnection
from redis.asyncio.sentinel import Sentinel

from runtime.store.patience import PatientCluster, PatientRedis

SENTINEL: Final = frozenset({"redis+sentinel", "rediss+sentinel"})
CLUSTER: Final = frozenset({"redis+cluster", "rediss+cluster"})
SENTINEL_PORT: Final = 26379
SERVER_PORT: Final = 6379
CLUSTER_PARTITIONS: Final = 16
"""Partitions of a fresh Cluster, so that its nodes share the work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """An address with several hosts."""

    kind: str
    hosts: tuple[tuple[str, int], ...]
    service: str
    database: int
    username: str | None
    password: str | None
    is_encrypted: bool

    @property
    def credentials(self) -> dict[str, Any]:
        """What every connection to a server needs."""
        named = {"username": self.username, "password": self.password, "ssl": self.is_encrypted or None}
        return {name: value for name, value in named.items() if value is not None}


def is_cluster(url: str) -> bool:
    """Whether an address names a Cluster."""
    return urlsplit(url).scheme in CLUSTER


def has_many_hosts(url: str) -> bool:
    """Whether an address is one of this module's."""
    return urlsplit(url).scheme in SENTINEL | CLUSTER


def read(url: str) -> Place:
    """Take an address apart.

    Raises:
        ValueError: it cannot be read; the text says what is wrong.
    """
    parts = urlsplit(url)
    kind = "sentinel" if parts.scheme in SENTINEL else "cluster"
    user, _, hosts = parts.netloc.rpartition("@")
    username, _, password = user.partition(":")
    service, _, database = parts.path.strip("/").partition("/")
    if kind == "sentinel" and not service:
        raise ValueError("a Sentinel address ends in the name of the service, as in ...:26379/mymaster")
    usual = SENTINEL_PORT if kind == "sentinel" else SERVER_PORT
    return Place(
        kind=kind,
        hosts=tuple(host_and_port(one, usual) for one in hosts.split(",")),
        service=service,
        database=int(database or 0),
        username=unquote(username) or None,
        password=unquote(password) or None,
        is_encrypted=parts.scheme.startswith("rediss"),
    )


def host_and_port(text: str, usual: int) -> tuple[str, int]:
    """One host.

    Raises:
        ValueError: it has no name, or its port is no number.
    """
    parts = urlsplit(f"//{text}")
    if not parts.hostname:
        raise ValueError(f"a host is missing before {text!r}")
    return parts.hostname, parts.port or usual


def clients_of(place: Place, commands: dict[str, Any], listener: dict[str, Any]) -> tuple[Redis, Redis]:
    """The two clients, with their keyword arguments. No connection is made yet."""
    if place.kind == "sentinel":
        return of_sentinel(place, commands, PatientRedis), of_sentinel(place, listener, Redis)
    nodes = [ClusterNode(host, port) for host, port in place.hosts]
    make = cast("Callable[..., Redis]", PatientCluster)
    return make(startup_nodes=nodes, **place.credentials, **commands), of_any_node(place, listener)


def of_sentinel(place: Place, options: dict[str, Any], kind: type[Redis]) -> Redis:
    """A client that asks for the master with each new connection."""
    timeout = options["socket_connect_timeout"]
    watchers = Watchers(place.hosts, socket_timeout=timeout, socket_connect_timeout=timeout)
    master_for = cast("Callable[..., Redis]", watchers.master_for)  # pyright: ignore[reportUnknownMemberType]
    return master_for(place.service, redis_class=kind, db=place.database, **place.credentials, **options)


class Watchers(Sentinel):
    """Sentinels that are asked by one connection at a time.

    redis-py 8.1 moves the one that answered to the front by indices it took before it waited: of two searches at once,
    one may put a Sentinel there twice and lose another for ever, with its open connection.
    """

    def __init__(self, hosts: tuple[tuple[str, int], ...], **options: Any) -> None:
        super().__init__(list(hosts), **options)  # pyright: ignore[reportUnknownMemberType] # its keywords have no type
        self.search = asyncio.Lock()

    async def discover_master(self, service_name: str) -> tuple[str, int]:
        """Address and port of the master.

        Raises:
            MasterNotFoundError: no Sentinel knows one.
        """
        async with self.search:
            find = cast("Callable[[str], Awaitable[tuple[str, int]]]", super().discover_master)
            return await find(service_name)

    async def aclose(self) -> None:
        """Close every connection to a Sentinel."""
        for watcher in cast("list[Redis]", cast("Any", self).sentinels):
            await watcher.aclose()


async def close_watchers(client: Redis) -> None:
    """Close the connections to the Sentinels that a client of theirs asks for the master; redis-py leaves them open."""
    pool: object = getattr(client, "connection_pool", None)
    watchers: object = getattr(pool, "sentinel_manager", None)
    if isinstance(watchers, Watchers):
        await watchers.aclose()


def of_any_node(place: Place, options: dict[str, Any]) -> Redis:
    """A client for messages, which a Cluster passes on to all of its nodes: the next host after each failure."""
    credentials = {name: value for name, value in place.credentials.items() if name != "ssl"}
    kind = SSLConnection if place.is_encrypted else Connection
    return Redis(connection_pool=NextHostPool(place.hosts, connection_class=kind, **credentials, **options))


class NextHostPool(ConnectionPool):
    """Makes each new connection to the next host of a list."""

    def __init__(self, hosts: tuple[tuple[str, int], ...], **options: Any) -> None:
        super().__init__(**options)  # pyright: ignore[reportUnknownMemberType] # its keywords have no type
        self.hosts: Iterator[tuple[str, int]] = itertools.cycle(hosts)

    def make_connection(self) -> Any:
        """A connection that is not open yet."""
        host, port = next(self.hosts)
        make = cast("Callable[..., Any]", self.connection_class)
        return make(**{**self.connection_kwargs, "host": host, "port": port})
