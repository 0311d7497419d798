"""The stage of these tests."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from tests.support.model import Turn
from tests.support.slack import LocalSlack
from tests.support.stage import Stage, staged
from tests.waiting import wait_until

StageMaker = Callable[..., AbstractAsyncContextManager[Stage]]


@pytest.fixture
def on_stage(slack: LocalSlack, redis_url: str) -> StageMaker:
    """Make a stage on which the model plays the given turns."""

    def make(*turns: Turn, settings: str = "") -> AbstractAsyncContextManager[Stage]:
        return staged(slack, redis_url, turns, settings=settings)

    return make


async def statuses(slack: LocalSlack) -> list[str]:
    """Every status of a session that the bot has set, in order."""
    return [str(item["args"]["status"]) for item in await slack.calls("agents.sessions.setStatus") if item["ok"]]


async def called(slack: LocalSlack, method: str) -> list[dict[str, Any]]:
    """The calls of a method, once there is one."""

    async def look() -> list[dict[str, Any]]:
        return await slack.calls(method)

    return await wait_until(f"a call of {method}", look)
