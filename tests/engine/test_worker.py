"""A worker's promises: one runner per session, turns, preemption, draining, and calm when things go wrong."""

import asyncio
import json
import logging
from collections import Counter
from datetime import timedelta

import pytest

from runtime.engine.port import RunOutcome
from runtime.engine.redis_engine import RedisEngine
from runtime.store.redis_store import SessionStore
from tests.engine.journalling import JournallingRunner, Turn, at_work, noted, say
from tests.support.redis import MoveClock, RedisServer
from tests.waiting import wait_until

SID = "T:C:1"


async def test_everything_pushed_is_journalled_once_and_in_order_by_three_workers(redis_url: str) -> None:
    """Workers share the sessions, never one session: no overlap, nothing lost, nothing twice, nothing out of order."""
    stores = [await SessionStore.open(redis_url) for _ in range(3)]
    inside, overlaps = Counter[str](), list[str]()

    async def slowly(turn: Turn) -> RunOutcome:
        await turn.take_in()
        await asyncio.sleep(0)
        return RunOutcome(again=False)

    runners = [
        JournallingRunner(store=store, name=f"w{n}", step=slowly, inside=inside, overlaps=overlaps)
        for n, store in enumerate(stores)
    ]
    sids = [f"T:C:{n}" for n in range(6)]
    async with at_work(runners[0]), at_work(runners[1]), at_work(runners[2]):
        for n in range(15):
            await asyncio.gather(*(say(stores[0], sid, f"{n:02}") for sid in sids))
        for sid in sids:
            await RedisEngine(stores[0]).run_until_idle(sid)
    wanted = [f"{n:02}" for n in range(15)]
    assert [await noted(stores[0], sid) for sid in sids] == [wanted] * len(sids)
    assert not overlaps
    for store in stores:
        await store.aclose()


async def test_a_long_run_gives_way_when_others_wait(store: SessionStore) -> None:
    """With one slot, a session that would go on for ever is interrupted between steps so that another is served."""
    served = asyncio.Event()

    async def step(turn: Turn) -> RunOutcome:
        await turn.take_in()
        if turn.lease.sid == "short":
            served.set()
            return RunOutcome(again=False)
        while not served.is_set():
            if turn.slice_over():
                return RunOutcome(again=True)
            await asyncio.sleep(0.01)
        return RunOutcome(again=False)

    await say(store, "long", "begin")
    runner = JournallingRunner(store=store, name="w", step=step)
    async with at_work(runner, concurrency=1, turn=timedelta(milliseconds=50)):
        await wait_until("the long run begins", lambda: runner.inside["long"])
        await say(store, "short", "hello")
        await wait_until("the other session is served", served.is_set)
        await RedisEngine(store).run_until_idle("long")


async def test_a_long_run_keeps_its_turn_while_nobody_waits(store: SessionStore) -> None:
    """Giving way costs a reload, so it happens for someone only."""
    asked: list[bool] = []

    async def step(turn: Turn) -> None:
        await turn.take_in()
        while len(asked) < 30:
            asked.append(turn.slice_over())
            await asyncio.sleep(0.01)

    await say(store, SID, "begin")
    async with at_work(JournallingRunner(store=store, name="w", step=step), concurrency=1, turn=timedelta(0)):
        await RedisEngine(store).run_until_idle(SID)
    assert not any(asked)


async def test_an_urgent_entry_reaches_the_step_at_hand(store: SessionStore) -> None:
    """A stop pushed from anywhere sets the runner's preempt event while its step still runs."""
    begun = asyncio.Event()

    async def step(turn: Turn) -> None:
        await turn.take_in()
        begun.set()
        await turn.preempt.wait()
        turn.preempt.clear()
        await turn.take_in()

    await say(store, SID, "begin")
    runner = JournallingRunner(store=store, name="w", step=step)
    async with at_work(runner):
        # What is taken in with the beginning is no news that a step waits for.
        await wait_until("the step waits", begun.is_set)
        await say(store, SID, "more")
        await say(store, SID, "stop", urgent=True)
        await RedisEngine(store).run_until_idle(SID)
    assert await noted(store, SID) == ["begin", "more", "stop"]


async def test_a_stopping_worker_finishes_the_step_and_leaves_the_rest_to_others(store: SessionStore) -> None:
    """Draining loses nothing and repeats nothing: the step is journalled and the session queued at once."""
    stopped = asyncio.Event()

    async def step(turn: Turn) -> RunOutcome:
        await turn.take_in()
        if turn.by == "first":
            await stopped.wait()
            await turn.note("step done")
            return RunOutcome(again=turn.slice_over())
        await turn.note("went on")
        return RunOutcome(again=False)

    await say(store, SID, "begin")
    runner = JournallingRunner(store=store, name="first", step=step)
    async with at_work(runner) as worker:
        await wait_until("the step begins", lambda: runner.inside[SID])
        worker.stop()
        stopped.set()
    assert await noted(store, SID) == ["begin", "step done"]
    async with at_work(JournallingRunner(store=store, name="second", step=step)):
        await RedisEngine(store).run_until_idle(SID)
    assert await noted(store, SID) == ["begin", "step done", "went on"]


async def test_a_step_that_outlasts_the_grace_is_cancelled_and_its_session_released(store: SessionStore) -> None:
    """A process that has to end does not leave its sessions to wait for a lapse."""

    async def step(turn: Turn) -> None:
        await turn.take_in()
        await asyncio.Event().wait()

    await say(store, SID, "begin")
    runner = JournallingRunner(store=store, name="w", step=step)
    async with at_work(runner, grace=timedelta(milliseconds=20)):
        await wait_until("the step begins", lambda: runner.inside[SID])
    claimed = await store.claim("next", 1000, 1)
    assert claimed is not None
    assert (claimed.sid, claimed.crashes) == (SID, 0)


async def test_a_runner_that_lost_its_lease_is_cancelled(store: SessionStore) -> None:
    """The next renewal finds out; the step does not go on beside another runner."""
    begun, cancelled = asyncio.Event(), asyncio.Event()

    async def step(turn: Turn) -> None:
        await turn.take_in()
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise

    await say(store, SID, "begin")
    runner = JournallingRunner(store=store, name="w", step=step)
    async with at_work(runner, ttl=timedelta(milliseconds=400)):
        await wait_until("the step begins", begun.is_set)
        await store.forget(SID)
        await wait_until("the step is cancelled", cancelled.is_set)


async def test_a_failing_run_is_logged_with_a_reference_and_comes_back_later(
    store: SessionStore, move_clock: MoveClock, caplog: pytest.LogCaptureFixture
) -> None:
    """An error in a run costs neither the worker nor the session, and is not repeated at once for ever."""
    failures: list[int] = []

    async def step(turn: Turn) -> None:
        failures.append(turn.lease.failures)
        if turn.lease.failures < 2:
            raise LookupError("no such thing")
        await turn.take_in()

    await say(store, SID, "begin")
    async with at_work(JournallingRunner(store=store, name="w", step=step)):
        for count in (1, 2):
            await wait_until(f"failure {count}", lambda count=count: len(failures) >= count)
            await wait_until("it is given back", lambda: no_lease(store))
            assert await store.waiting() == 0
            await move_clock(timedelta(minutes=1))
        await RedisEngine(store).run_until_idle(SID)
    assert failures == [0, 1, 2]
    assert await noted(store, SID) == ["begin"]
    told = [record for record in caplog.records if record.exc_info]
    assert len(told) == 2
    assert "failed [" in told[0].getMessage()


async def no_lease(store: SessionStore) -> bool:
    """Whether nobody holds a session."""
    return await store.clients.commands.zcard(store.keys.partition(0).leases) == 0


async def test_a_worker_outlives_its_server(own_redis_server: RedisServer, caplog: pytest.LogCaptureFixture) -> None:
    """While the server is away the worker waits, says so once without a traceback, and goes on when it is back."""
    store = await SessionStore.open(own_redis_server.url)
    async with at_work(JournallingRunner(store=store, name="w")) as worker:
        await say(store, SID, "before")
        await RedisEngine(store).run_until_idle(SID)
        own_redis_server.kill()
        await wait_until("the worker notices", lambda: worker.outage)
        assert "REDIS_URL" in worker.outage
        await asyncio.to_thread(own_redis_server.start_again)
        await wait_until("the worker is back", lambda: not worker.outage)
        await say(store, SID, "after")
        await RedisEngine(store).run_until_idle(SID)
    assert await noted(store, SID) == ["before", "after"]
    warned = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert len([record for record in warned if "the store is away" in record.getMessage()]) == 1
    assert not [record for record in warned if record.exc_info]
    await store.aclose()


async def test_a_delay_brings_a_session_back_without_anything_new(store: SessionStore, move_clock: MoveClock) -> None:
    """A runner that could not deliver asks to be called again; the session is not idle until it was."""
    turns: list[int] = []

    async def step(turn: Turn) -> RunOutcome:
        await turn.take_in()
        turns.append(turn.lease.token)
        return RunOutcome(again=False, delay=timedelta(minutes=1) if len(turns) == 1 else None)

    await say(store, SID, "begin")
    async with at_work(JournallingRunner(store=store, name="w", step=step)):
        await wait_until("the first turn", lambda: len(turns) == 1)
        await wait_until("it is given back", lambda: no_lease(store))
        assert not await store.is_idle(SID)
        await move_clock(timedelta(minutes=1))
        await RedisEngine(store).run_until_idle(SID)
    assert turns == [1, 2]


async def test_the_lease_tells_the_servers_time(store: SessionStore, move_clock: MoveClock) -> None:
    """Times in the journal are the server's, also when this machine's clock is days off."""
    await move_clock(timedelta(days=3))
    seen: list[int] = []

    async def step(turn: Turn) -> None:
        seen.append(turn.lease.now_ms())
        await turn.take_in()

    await say(store, SID, "begin")
    async with at_work(JournallingRunner(store=store, name="w", step=step)):
        await RedisEngine(store).run_until_idle(SID)
    (record,) = await store.read_log(SID)
    assert abs(record.at_ms - seen[0]) < timedelta(hours=1).total_seconds() * 1000
    assert json.loads(record.event)["token"] == 1
