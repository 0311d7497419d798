"""How long something may still take, where the time in which it waits for a person does not count."""

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from datetime import timedelta


class Patience:
    """Time limits, each within the last, that stand still together while a person is waited for."""

    def __init__(self) -> None:
        """Without any limit yet."""
        self.limits: list[asyncio.Timeout] = []
        self.waited = timedelta()
        """How long was waited for people so far."""

    @asynccontextmanager
    async def bound(self, limit: timedelta) -> AsyncGenerator[asyncio.Timeout]:
        """Let the block take that long.

        Raises:
            TimeoutError: it took longer.
        """
        async with asyncio.timeout(limit.total_seconds()) as deadline:
            self.limits.append(deadline)
            try:
                yield deadline
            finally:
                self.limits.remove(deadline)

    @contextmanager
    def paused(self) -> Generator[None]:
        """Stop every clock for the block."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        ends = [(deadline, deadline.when()) for deadline in self.limits if not deadline.expired()]
        for deadline, _ in ends:
            deadline.reschedule(None)
        try:
            yield
        finally:
            passed = loop.time() - began
            self.waited += timedelta(seconds=passed)
            for deadline, end in ends:
                if end is not None and deadline in self.limits and not deadline.expired():
                    deadline.reschedule(end + passed)
