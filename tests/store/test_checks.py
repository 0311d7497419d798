"""What about a server would lose data, said before it does."""

import pytest

from bot.commands.store_warnings import say_warnings
from runtime.store.checks import warnings
from runtime.store.redis_store import SessionStore
from tests.support.redis import RedisServer


async def test_each_setting_that_loses_data_is_said_at_the_start(
    own_redis_server: RedisServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """A memory policy that evicts, a missing append-only file, a server that only reads: one line each."""
    store = await SessionStore.open(own_redis_server.url)
    assert await warnings(store) == []
    with own_redis_server.client() as client:
        client.execute_command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
        client.execute_command("CONFIG", "SET", "appendonly", "no")
        client.execute_command("REPLICAOF", "127.0.0.1", 1)
    await say_warnings(store)
    said = capsys.readouterr().err.splitlines()
    assert [line.split()[2] for line in said] == ["maxmemory-policy", "appendonly", "the"]
    assert "the server is a replica and takes no writes" in said[2]
    await store.aclose()
