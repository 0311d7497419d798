"""Tasks that run beside a request: held until they end, cancelled at shutdown."""

import asyncio
import contextlib
from collections.abc import Coroutine
from typing import Any


class Background:
    """The running tasks."""

    def __init__(self) -> None:
        self.tasks: set[asyncio.Task[Any]] = set()

    def start(self, work: Coroutine[Any, Any, Any]) -> None:
        """Run something beside the request. A broken connection ends it quietly."""
        task = asyncio.create_task(quiet(work))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def close(self) -> None:
        """Cancel everything and wait for its end."""
        tasks = list(self.tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def quiet(work: Coroutine[Any, Any, Any]) -> None:
    """Run something whose only expected failure is that the other side went away."""
    with contextlib.suppress(ConnectionError):
        await work
