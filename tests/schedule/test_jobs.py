"""What each process does beside the sweep: signs of life, files that outlive their threads, holds of the vanished."""

import os
from datetime import timedelta
from functools import partial
from pathlib import Path

from runtime.schedule.presence import LIVES, Presence, present
from runtime.schedule.retention import remove_stale
from runtime.schedule.ticker import Ticker
from runtime.store.redis_store import SessionStore
from tests.support.redis import RedisServer
from tests.waiting import wait_until

DAY = timedelta(days=1)


async def test_a_process_is_there_until_it_stops_saying_so(store: SessionStore) -> None:
    """Each has a name of its own, and its key a lifetime that outlasts two missed signs."""
    await Presence(store, "host-1", 8).renew()
    await Presence(store, "host-2", 8).renew()
    assert await present(store) == ["host-1", "host-2"]
    left = await store.clients.commands.pttl("handrail:worker:host-1")
    assert timedelta(seconds=20) < timedelta(milliseconds=left) <= LIVES
    await store.clients.commands.delete("handrail:worker:host-1")
    assert await present(store) == ["host-2"]


def test_files_go_when_nobody_has_used_them_for_the_retention_time(tmp_path: Path) -> None:
    """A workspace's own time of change counts; what is no workspace stays."""
    for name, age in (("old", 31 * DAY), ("fresh", 29 * DAY)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "data.csv").write_text("1\n", encoding="utf-8")
        at = folder.stat().st_mtime - age.total_seconds()
        os.utime(folder, (at, at))
    (tmp_path / "outside").symlink_to(tmp_path / "fresh")
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert remove_stale(tmp_path, 30 * DAY) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "fresh", "outside"]
    assert remove_stale(tmp_path / "absent", DAY) == 0


async def test_jobs_of_the_ticker_are_each_process_s_own(store: SessionStore, redis_server: RedisServer) -> None:
    """Two on one Redis tick both, and neither leaves a job there: what is due stands in the deadline set alone."""
    ticked: list[str] = []

    async def tick(name: str) -> None:
        ticked.append(name)

    tickers = {name: Ticker(store, every=timedelta(milliseconds=20)) for name in ("one", "two")}
    for name, ticker in tickers.items():
        ticker.every(timedelta(milliseconds=20), "job", partial(tick, name))
        ticker.start()
    await wait_until("both tick", lambda: set(ticked) == set(tickers))
    for ticker in tickers.values():
        await ticker.stop()
    with redis_server.client() as client:
        assert [*client.scan_iter("*", count=1000)] == [b"handrail:partitions"]
