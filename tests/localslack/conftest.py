"""Fixtures: a local Slack, and a Bolt app connected to it."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from tests.localslack.bolt import connected_client
from tests.support.slack import LocalSlack, local_slack

FAST = {"settings": {"redelivery_seconds": 0.3, "file_share_seconds": 0.01}}


@pytest.fixture
async def slack(tmp_path: Path) -> AsyncGenerator[LocalSlack]:
    """A local Slack that redelivers soon."""
    async with local_slack(tmp_path, FAST) as running:
        yield running


@pytest.fixture
async def client(slack: LocalSlack) -> AsyncGenerator[Any]:
    """Slack's own client with the bot's token."""
    async with connected_client(slack) as web:
        yield web
