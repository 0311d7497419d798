"""How long something may still take, where the time in which it waits for a person does not count.

What one call may ask of people is bounded by itself, since every other clock stands still meanwhile.
"""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from datetime import timedelta
from types import TracebackType


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


class Bound:
    """A block with a limit that is known to others while it lasts."""

    def __init__(self, limits: list[asyncio.Timeout], deadline: asyncio.Timeout) -> None:
        """The clock begins with the block."""
        self.limits = limits
        self.deadline = deadline

    async def __aenter__(self) -> asyncio.Timeout:
        """Begin."""
        await self.deadline.__aenter__()
        self.limits.append(self.deadline)
        return self.deadline

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        """End.

        Raises:
            TimeoutError: it took longer.
        """
        self.limits.remove(self.deadline)
        return await self.deadline.__aexit__(kind, error, trace)


class Patience:
    """Time limits, each within the last, that stand still together while a person is waited for."""

    def __init__(self) -> None:
        """Without any limit yet."""
        self.limits: list[asyncio.Timeout] = []
        self.waited = timedelta()
        """How long was waited for people so far."""

    def bound(self, limit: timedelta) -> "Bound":
        """Let the block take that long.

        Raises:
            TimeoutError: it took longer.
        """
        return Bound(self.limits, asyncio.timeout(limit.total_seconds()))

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
