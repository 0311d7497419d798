"""What about a Redis server would lose data, as sentences for the operator."""

from collections.abc import Awaitable, Iterator, Mapping
from typing import Any, cast

from redis.exceptions import ResponseError

from runtime.store.connection import translated
from runtime.store.redis_store import SessionStore


async def warnings(store: SessionStore) -> list[str]:
    """Settings of the server that contradict what is stored there.

    Raises:
        StoreUnavailable: it does not answer.
    """
    client = cast("Any", store.clients.commands)
    with translated(store.clients.shown_url):
        role: Mapping[str, Any] = await cast("Awaitable[Mapping[str, Any]]", client.info("replication"))
        try:
            found: Mapping[Any, Any] = await cast("Awaitable[Mapping[Any, Any]]", client.config_get("*"))
        except ResponseError:
            return ["CONFIG is not allowed on this server, so its memory policy and append-only file are unknown"]
    config = {text(name): text(value) for name, value in found.items()}
    return list(judged(config, text(role.get("role", "master"))))


def text(value: object) -> str:
    """A reply of the server as text, whatever the client decodes."""
    return value.decode() if isinstance(value, bytes) else str(value)


def judged(config: Mapping[str, str], role: str) -> Iterator[str]:
    """A sentence for each thing that is wrong."""
    policy = config.get("maxmemory-policy", "noeviction")
    if policy != "noeviction":
        yield f"maxmemory-policy is {policy}: the server may throw sessions away. Set it to noeviction."
    if config.get("appendonly", "yes") != "yes":
        yield "appendonly is off: a crash of the server loses what was not saved. Set appendonly to yes."
    if role not in {"master", ""}:
        kind = "replica" if role == "slave" else role
        yield f"the server is a {kind} and takes no writes. Point REDIS_URL at the master."
