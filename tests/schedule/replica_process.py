"""A replica in a process of its own, to be killed and paused: it sweeps deadlines and journals what they become."""

import asyncio
import contextlib
import sys
from datetime import timedelta

from runtime.schedule.ticker import Ticker
from runtime.store.errors import StoreUnavailable
from runtime.store.redis_store import SessionStore
from tests.engine.journalling import JournallingRunner, at_work

OFTEN = timedelta(milliseconds=20)
TTL = timedelta(seconds=1)


async def opened(url: str) -> SessionStore:
    """The store, once it can be used."""
    while True:
        with contextlib.suppress(StoreUnavailable):
            return await SessionStore.open(url)
        await asyncio.sleep(0.1)


async def main(url: str, name: str) -> None:
    """Work until killed."""
    store = await opened(url)
    Ticker(store, every=OFTEN).start()
    async with at_work(JournallingRunner(store=store, name=name), ttl=TTL, concurrency=8):
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2]))
