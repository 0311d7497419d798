"""Wait for facts, never for time: one bound for all tests, and a message that says what did not come."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from inspect import isawaitable
from typing import TypeVar, cast

BOUND = 60.0
PAUSE = 0.01
LONGEST_PAUSE = 0.05

T = TypeVar("T")


async def wait_until(
    description: str, condition: Callable[[], T | Awaitable[T | None] | None], *, within: float = BOUND
) -> T:
    """Return the condition's first true value; ask it again and again for at most `within` seconds.

    Raises:
        AssertionError: It did not come true; the message holds the description.
    """
    end, pause = time.monotonic() + within, PAUSE
    while True:
        found = condition()
        value = cast("T | None", await found if isawaitable(found) else found)
        if value:
            return value
        if time.monotonic() > end:
            msg = f"not within {within:g} s: {description}"
            raise AssertionError(msg)
        await asyncio.sleep(pause)
        pause = min(LONGEST_PAUSE, 1.3 * pause)


def wait_until_blocking(description: str, condition: Callable[[], T | None], *, within: float = BOUND) -> T:
    """Do the same in a test without an event loop.

    Raises:
        AssertionError: It did not come true; the message holds the description.
    """
    end, pause = time.monotonic() + within, PAUSE
    while not (value := condition()):
        if time.monotonic() > end:
            msg = f"not within {within:g} s: {description}"
            raise AssertionError(msg)
        time.sleep(pause)
        pause = min(LONGEST_PAUSE, 1.3 * pause)
    return value
