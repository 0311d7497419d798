"""The engine that Handrail runs on by default: workers over the session store."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

from runtime.engine.worker import Worker
from runtime.store.redis_store import SessionStore

LOOK_EVERY: Final = 0.05
"""Seconds between two looks at a session somebody waits for."""


class RedisEngine:
    """Implements `Engine`. Any worker on the same store may be the one that runs a session."""

    def __init__(self, store: SessionStore) -> None:
        self.store = store

    async def run_until_idle(self, session_id: str) -> None:
        """Return when the session has nothing to do.

        Raises:
            StoreUnavailable: the store is away, so nothing can be said.
        """
        while True:
            if await self.store.is_idle(session_id):
                return
            await asyncio.sleep(LOOK_EVERY)


@asynccontextmanager
async def working(worker: Worker) -> AsyncGenerator[RedisEngine]:
    """An engine with one worker in this process, drained at the end of the block."""
    task = asyncio.create_task(worker.run(), name=f"worker {worker.name}")
    try:
        yield RedisEngine(worker.store)
    finally:
        worker.stop()
        await task
