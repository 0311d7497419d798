"""A stage for each scenario."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from datetime import timedelta

import pytest

from bot.home.usage import server_ms
from runtime.store.redis_store import SessionStore
from tests.support.model import Turn
from tests.support.redis import MoveClock
from tests.support.slack import LocalSlack
from tests.support.stage import Stage, staged

StageMaker = Callable[..., AbstractAsyncContextManager[Stage]]
NOON = 12 * 3_600_000
"""Milliseconds of a day in UTC."""
DAY = 2 * NOON


@pytest.fixture
def on_stage(slack: LocalSlack, redis_url: str) -> StageMaker:
    """Make a stage on which the model plays the given turns."""

    def make(*turns: Turn, settings: str = "") -> AbstractAsyncContextManager[Stage]:
        return staged(slack, redis_url, turns, settings=settings)

    return make


@pytest.fixture
async def noon(store: SessionStore, move_clock: MoveClock) -> None:
    """The server's clock stands at noon: no day ends while a test looks at what was used in it."""
    await move_clock(timedelta(milliseconds=(NOON - await server_ms(store)) % DAY))
