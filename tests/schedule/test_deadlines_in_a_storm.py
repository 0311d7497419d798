"""2,000 deadlines, three replicas, kills, a frozen replica, and a Redis that takes no writes: each fires once."""

import asyncio
import json
import random
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest

from runtime.store.redis_store import SessionStore
from runtime.store.values import Due
from tests.engine.journalling import noted, say
from tests.support.redis import RedisServer, advance
from tests.waiting import wait_until

ROOT = Path(__file__).parents[2]
SESSIONS = [f"T:C:{number}" for number in range(100)]
EACH = 20
REPLICAS = 3
HOUR = timedelta(hours=1)
SPREAD = 4.0
"""Seconds over which they come due."""
PAUSE = 0.5
"""Seconds between two looks at all journals."""
AFTERWARDS = 120.0


@dataclass(slots=True, kw_only=True)
class Replicas:
    """Processes that are started again when they are killed."""

    url: str
    dice: random.Random = field(default_factory=lambda: random.Random(5))  # noqa: S311 - a storm, not a secret
    running: list[subprocess.Popen[str]] = field(default_factory=list[subprocess.Popen[str]])
    started: int = 0
    killed: int = 0

    def start(self) -> None:
        """One more."""
        self.started += 1
        command = [sys.executable, "-m", "tests.schedule.replica_process", self.url, f"replica{self.started}"]
        self.running.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT))

    def kill_one(self) -> None:
        """Kill -9, and another in its place."""
        self.end(self.running.pop(self.dice.randrange(len(self.running))))
        self.killed += 1
        self.start()

    def end(self, process: subprocess.Popen[str]) -> None:
        """Kill one for good."""
        process.kill()
        process.communicate()

    def ready(self) -> bool:
        """Wait until each works."""
        return all(process.stdout is not None and process.stdout.readline() for process in self.running)


@pytest.fixture
def replicas(own_redis_server: RedisServer) -> Iterator[Replicas]:
    """None of them started yet."""
    made = Replicas(url=own_redis_server.url)
    yield made
    for process in made.running:
        made.end(process)


async def set_deadlines(store: SessionStore, dice: random.Random) -> set[str]:
    """Give each session its deadlines, all an hour away and then some; their ids."""
    ids: set[str] = set()
    for sid in SESSIONS:
        await say(store, sid, "begin")
        lease = await store.claim("setting", 60_000, 1)
        assert lease is not None
        due = [
            Due(kind="question", id=f"{lease.sid}-{number}", after=HOUR + timedelta(seconds=dice.uniform(0, SPREAD)))
            for number in range(EACH)
        ]
        entries = [entry.id for entry in await store.read_inbox(lease.sid)]
        await store.commit(
            lease.sid,
            lease.token,
            0,
            events=[json.dumps({"what": "{}"})],
            consume_ids=entries,
            deadlines=due,
            status="waiting",
            reader_version=1,
        )
        await store.release(lease.sid, lease.token)
        ids |= {deadline.id for deadline in due}
    return ids


async def fired(store: SessionStore) -> Counter[str]:
    """How often each deadline stands in a journal."""
    payloads = [json.loads(what) for sid in SESSIONS for what in await noted(store, sid)]
    return Counter(payload["id"] for payload in payloads if payload)


async def rage(replicas: Replicas, redis: RedisServer) -> None:
    """Kills and a frozen replica, while Redis first takes no writes and then dies."""
    for misfortune in ("kill", "no writes", "kill", "freeze", "redis", "kill"):
        await asyncio.sleep(SPREAD / 8)
        match misfortune:
            case "kill":
                replicas.kill_one()
            case "no writes":
                with redis.client() as client:
                    client.execute_command("CONFIG", "SET", "min-replicas-to-write", 1)
                    await asyncio.sleep(SPREAD / 4)
                    client.execute_command("CONFIG", "SET", "min-replicas-to-write", 0)
            case "freeze":
                frozen = replicas.dice.choice(replicas.running)
                frozen.send_signal(signal.SIGSTOP)
                await asyncio.sleep(SPREAD / 3)
                frozen.send_signal(signal.SIGCONT)
            case _:
                redis.kill()
                await asyncio.to_thread(redis.start_again)


@pytest.mark.timeout(300)
async def test_each_of_two_thousand_deadlines_fires_exactly_once(
    own_redis_server: RedisServer, replicas: Replicas
) -> None:
    """Whoever is killed, frozen or refused, every deadline stands in its session's journal once and none is lost."""
    store = await SessionStore.open(own_redis_server.url)
    ids = await set_deadlines(store, replicas.dice)
    assert len(ids) == 2_000
    for _ in range(REPLICAS):
        replicas.start()
    assert await asyncio.to_thread(replicas.ready)
    await advance(store.keys, store, HOUR)
    await rage(replicas, own_redis_server)

    async def all_fired() -> Counter[str] | None:
        await asyncio.sleep(PAUSE)
        found = await fired(store)
        return found if len(found) >= len(ids) else None

    found = await wait_until("every deadline has fired", all_fired, within=AFTERWARDS)
    assert set(found) == ids
    assert set(found.values()) == {1}
    assert replicas.killed == 3
    await store.aclose()
