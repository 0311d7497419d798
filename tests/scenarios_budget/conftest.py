"""A stage for each scenario."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import pytest

from tests.support.model import Turn
from tests.support.slack import LocalSlack
from tests.support.stage import Stage, staged

StageMaker = Callable[..., AbstractAsyncContextManager[Stage]]


@pytest.fixture
def on_stage(slack: LocalSlack, redis_url: str) -> StageMaker:
    """Make a stage on which the model plays the given turns."""

    def make(*turns: Turn, settings: str = "") -> AbstractAsyncContextManager[Stage]:
        return staged(slack, redis_url, turns, settings=settings)

    return make
