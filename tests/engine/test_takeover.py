"""Workers that die or freeze in the middle of a step, in processes of their own."""

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import cast

from runtime.engine.port import RunOutcome
from runtime.engine.redis_engine import RedisEngine
from runtime.store.redis_store import SessionStore
from tests.engine.journalling import JournallingRunner, Turn, at_work, noted, say
from tests.support.redis import MoveClock

ROOT = Path(__file__).parents[2]
SID = "T:C:1"
TTL = timedelta(seconds=60)
"""Longer than a busy machine keeps any process waiting: leases lapse only when the server's clock is moved."""

Child = subprocess.Popen[str]


@contextmanager
def worker_process(url: str, name: str) -> Generator[Child]:
    """A worker that lives until it is killed or the block ends."""
    command = [sys.executable, "-m", "tests.engine.worker_process", url, name, str(round(TTL.total_seconds() * 1000))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        try:
            yield process
        finally:
            process.kill()


async def told(process: Child) -> dict[str, object]:
    """The next thing the process says."""
    assert process.stdout is not None
    line = await asyncio.to_thread(process.stdout.readline)
    return cast("dict[str, object]", json.loads(line))


async def test_the_session_of_a_killed_worker_goes_on_with_another(
    redis_url: str, store: SessionStore, move_clock: MoveClock
) -> None:
    """What was journalled stays, nothing is repeated, and the next runner is told that its predecessor vanished."""
    crashes: list[int] = []

    async def step(turn: Turn) -> RunOutcome:
        crashes.append(turn.lease.crashes)
        await turn.take_in()
        await turn.note("went on")
        return RunOutcome(again=False)

    with worker_process(redis_url, "killed") as process:
        assert await told(process) == {"ready": "killed"}
        await say(store, SID, "hang")
        assert await told(process) == {"began": SID, "token": 1, "taken": ["hang"]}
        process.kill()
    await move_clock(TTL)
    async with at_work(JournallingRunner(store=store, name="next", step=step), ttl=TTL):
        await RedisEngine(store).run_until_idle(SID)
    assert await noted(store, SID) == ["hang", "went on"]
    assert crashes == [1]


async def test_a_run_that_kills_every_worker_is_recognised(
    redis_url: str, store: SessionStore, move_clock: MoveClock
) -> None:
    """Two workers die of the same session; the third is told, and can ask a person instead of dying too."""
    await say(store, SID, "die")
    for name in ("first", "second"):
        with worker_process(redis_url, name) as process:
            assert await told(process) == {"ready": name}
            assert (await told(process))["began"] == SID
            await asyncio.to_thread(process.wait)
        await move_clock(TTL)
    crashes: list[int] = []

    async def step(turn: Turn) -> RunOutcome:
        crashes.append(turn.lease.crashes)
        return RunOutcome(again=False)

    async with at_work(JournallingRunner(store=store, name="third", step=step), ttl=TTL):
        await RedisEngine(store).run_until_idle(SID)
    assert crashes == [2]


async def test_a_frozen_worker_that_wakes_after_a_takeover_can_write_nothing(
    redis_url: str, store: SessionStore, move_clock: MoveClock
) -> None:
    """Longer frozen than its lease, it still believes it runs the session; the server refuses what it writes."""
    with worker_process(redis_url, "frozen") as process:
        assert await told(process) == {"ready": "frozen"}
        await say(store, SID, "gate")
        assert (await told(process))["token"] == 1
        process.send_signal(signal.SIGSTOP)
        await move_clock(TTL)

        async def step(turn: Turn) -> RunOutcome:
            await turn.note("taken over")
            return RunOutcome(again=False)

        async with at_work(JournallingRunner(store=store, name="next", step=step), ttl=TTL):
            await RedisEngine(store).run_until_idle(SID)
        process.send_signal(signal.SIGCONT)
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
        assert await told(process) == {"refused": True}
        process.terminate()
        assert await asyncio.to_thread(process.wait) == 0
    assert await noted(store, SID) == ["gate", "taken over"]
