"""How long something may still take, where the time in which it waits for a person does not count.

What one call may ask of people is bounded by itself, since every other clock stands still meanwhile.
"""

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from datetime import timedelta


class Allowance:
    """How many questions one call may put to people, and how long they may take together."""

    def __init__(self, *, time: timedelta, questions: int) -> None:
        """Nothing of it is used yet."""
        self.left = time
        self.questions = questions

    @property
    def is_spent(self) -> bool:
        """Whether nothing more may be asked."""
        return self.questions <= 0 or self.left <= timedelta()

    @contextmanager
    def used(self) -> Generator[None]:
        """Count one question, which is waited for in the block."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        self.questions -= 1
        try:
            yield
        finally:
            self.left -= timedelta(seconds=loop.time() - began)


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
