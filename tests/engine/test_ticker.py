"""The ticker: due deadlines arrive, outages pass, and a dead scheduler is noticed."""

import asyncio
import logging
from datetime import timedelta

import aiohttp
import pytest

from bot.web.health import health_server
from runtime.schedule.ticker import Ticker
from runtime.store.redis_store import SessionStore
from runtime.store.values import Due
from tests.engine.journalling import say
from tests.support.redis import MoveClock, RedisServer
from tests.waiting import wait_until

SID = "T:C:1"
OFTEN = timedelta(milliseconds=20)


async def set_deadline(store: SessionStore, after: timedelta) -> None:
    """Give the session one deadline."""
    await say(store, SID, "begin")
    lease = await store.claim("w", 60_000, 1)
    assert lease is not None
    await store.commit(
        SID,
        lease.token,
        0,
        events=["{}"],
        consume_ids=[entry.id for entry in await store.read_inbox(SID)],
        deadlines=[Due(kind="question", id="q1", after=after)],
        status="waiting",
        reader_version=1,
    )
    await store.release(SID, lease.token)


async def test_a_deadline_arrives_once_although_three_processes_tick(
    redis_url: str, store: SessionStore, move_clock: MoveClock
) -> None:
    """Every replica sweeps and none leads; the deadline becomes one entry."""
    await set_deadline(store, timedelta(hours=72))
    stores = [await SessionStore.open(redis_url) for _ in range(3)]
    tickers = [Ticker(each, every=OFTEN) for each in stores]
    for ticker in tickers:
        ticker.start()
    await move_clock(timedelta(hours=72))
    await wait_until("the deadline arrives", lambda: store.read_inbox(SID))
    before = [ticker.last_sweep_at for ticker in tickers]
    await wait_until(
        "everybody swept again",
        lambda: all(ticker.last_sweep_at != at for ticker, at in zip(tickers, before, strict=True)),
    )
    assert [entry.kind for entry in await store.read_inbox(SID)] == ["deadline"]
    for ticker, each in zip(tickers, stores, strict=True):
        assert not ticker.unwell()
        await ticker.stop()
        await each.aclose()


async def test_a_backlog_of_deadlines_is_delivered_in_one_tick(store: SessionStore) -> None:
    """After a night without any process, thousands may be due."""
    await say(store, SID, "begin")
    lease = await store.claim("w", 60_000, 1)
    assert lease is not None
    many = [Due(kind="wall", id=f"{n}", after=timedelta(0)) for n in range(450)]
    await store.commit(SID, lease.token, 0, events=["{}"], deadlines=many, status="running", reader_version=1)
    await Ticker(store).sweep()
    assert len(await store.read_inbox(SID)) == 451


async def test_an_outage_stops_the_sweeps_only_while_it_lasts(
    own_redis_server: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    """The health page names it meanwhile, and no traceback is logged."""
    store = await SessionStore.open(own_redis_server.url)
    ticker = Ticker(store, every=OFTEN)
    ticker.start()
    await wait_until("a first sweep", lambda: ticker.last_sweep_at)
    own_redis_server.kill()
    await wait_until("the outage is noticed", ticker.unwell)
    assert "deadlines are not swept" in ticker.unwell()
    await asyncio.to_thread(own_redis_server.start_again)
    await wait_until("the sweeps go on", lambda: not ticker.unwell())
    await ticker.stop()
    await store.aclose()
    assert not [record for record in caplog.records if record.exc_info]


async def test_a_dead_scheduler_is_noticed_and_replaced(store: SessionStore, caplog: pytest.LogCaptureFixture) -> None:
    """APScheduler can lose its timer without a word; the watchdog sees that nothing ticks."""
    ticker = Ticker(store, every=OFTEN, dead_after=timedelta(milliseconds=200))
    ticker.start()
    await wait_until("a first sweep", lambda: ticker.last_sweep_at)
    assert ticker.scheduler is not None
    ticker.scheduler.shutdown(wait=False)
    await wait_until("it is started again", lambda: ticker.restarts)
    dead = ticker.last_sweep_at
    await wait_until("sweeps go on", lambda: ticker.last_sweep_at != dead)
    assert "the ticker has stopped" in caplog.text
    await ticker.stop()


async def test_a_dead_ticker_is_reported_in_health(store: SessionStore) -> None:
    """An orchestrator that asks /healthz learns which part is dead; one that ticks is well."""
    ticker = Ticker(store, every=OFTEN, dead_after=timedelta(milliseconds=200))
    ticker.begin()
    opened = health_server("127.0.0.1", 0, alive={"ticker": ticker.unwell}, ready={})
    async with opened as address, aiohttp.ClientSession() as http:
        await wait_until("a first sweep", lambda: ticker.last_sweep_at)

        async def health() -> tuple[int, str]:
            async with http.get(f"{address}/healthz") as answer:
                return answer.status, str((await answer.json())["parts"]["ticker"])

        async def is_well() -> bool:
            return await health() == (200, "ok")

        await wait_until("it is well", is_well)
        assert ticker.scheduler is not None
        ticker.scheduler.shutdown(wait=False)
        await wait_until("it is dead", ticker.unwell)
        status, said = await health()
        assert status == 503
        assert "the ticker has been silent" in said
    await ticker.end()


async def test_further_jobs_tick_beside_the_sweep(store: SessionStore) -> None:
    """Whatever else is periodic uses the same scheduler; a store that is away does not end it."""
    calls: list[int] = []

    async def job() -> None:
        calls.append(1)

    ticker = Ticker(store, every=OFTEN)
    ticker.every(OFTEN, "count", job)
    ticker.start()
    await wait_until("three calls", lambda: len(calls) >= 3)
    await ticker.stop()
    logging.getLogger("apscheduler").setLevel(logging.NOTSET)
