"""What every engine promises to the bot above it and the runner below it; a second engine joins the list of hosts."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from datetime import timedelta

import pytest

from runtime.engine.port import Engine, RunOutcome
from runtime.engine.redis_engine import working
from runtime.engine.worker import Worker
from runtime.store.redis_store import SessionStore
from tests.engine.journalling import JournallingRunner, Turn, noted, say
from tests.waiting import wait_until

Host = Callable[[JournallingRunner], AbstractAsyncContextManager[Engine]]


@pytest.fixture(params=["redis"])
def host(request: pytest.FixtureRequest) -> Host:
    """Each engine in turn, as a block in which it hosts a runner."""

    def redis(runner: JournallingRunner) -> AbstractAsyncContextManager[Engine]:
        return working(Worker(runner.store, runner, name=runner.name, reader_version=1))

    return {"redis": redis}[request.param]


async def test_a_session_runs_until_it_has_nothing_to_do(store: SessionStore, host: Host) -> None:
    """The verb returns when everything pushed before was taken in, over as many turns as it takes."""

    async def step(turn: Turn) -> RunOutcome:
        taken = await turn.take_in()
        return RunOutcome(again=bool(taken))

    await say(store, "T:C:1", "a")
    await say(store, "T:C:1", "b")
    async with host(JournallingRunner(store=store, name="e", step=step)) as engine:
        await engine.run_until_idle("T:C:1")
        assert await noted(store, "T:C:1") == ["a", "b"]
        await say(store, "T:C:1", "c")
        await engine.run_until_idle("T:C:1")
    assert await noted(store, "T:C:1") == ["a", "b", "c"]


async def test_a_session_nobody_spoke_to_is_idle(store: SessionStore, host: Host) -> None:
    """There is nothing to wait for."""
    async with host(JournallingRunner(store=store, name="e")) as engine:
        await engine.run_until_idle("T:C:nobody")


async def test_sessions_run_side_by_side_and_each_alone(store: SessionStore, host: Host) -> None:
    """Two sessions meet in the middle of their steps; one never meets itself."""
    met = asyncio.Event()
    runner = JournallingRunner(store=store, name="e")

    async def step(turn: Turn) -> None:
        if sum(runner.inside.values()) == 2:
            met.set()
        await met.wait()
        await turn.take_in()

    runner.step = step
    for sid in ("T:C:1", "T:C:2"):
        await say(store, sid, "a")
        await say(store, sid, "b")
    async with host(runner) as engine:
        await asyncio.gather(engine.run_until_idle("T:C:1"), engine.run_until_idle("T:C:2"))
    assert not runner.overlaps


async def test_an_urgent_entry_is_told_to_the_running_step(store: SessionStore, host: Host) -> None:
    """A stop does not wait for the end of the step it is to stop."""

    async def step(turn: Turn) -> None:
        await turn.take_in()
        await turn.preempt.wait()
        await turn.take_in()

    await say(store, "T:C:1", "a")
    runner = JournallingRunner(store=store, name="e", step=step)
    async with host(runner) as engine:
        await wait_until("the first entry is taken in", lambda: noted(store, "T:C:1"))
        await say(store, "T:C:1", "stop", urgent=True)
        await engine.run_until_idle("T:C:1")
    assert await noted(store, "T:C:1") == ["a", "stop"]


async def test_a_runner_that_asks_for_a_delay_is_called_again(store: SessionStore, host: Host) -> None:
    """Until then the session is not idle."""
    turns: list[int] = []

    async def step(turn: Turn) -> RunOutcome:
        await turn.take_in()
        turns.append(turn.lease.token)
        return RunOutcome(again=False, delay=timedelta(milliseconds=20) if len(turns) < 3 else None)

    await say(store, "T:C:1", "a")
    async with host(JournallingRunner(store=store, name="e", step=step)) as engine:
        await engine.run_until_idle("T:C:1")
    assert len(turns) == 3
    assert turns == sorted(set(turns))
