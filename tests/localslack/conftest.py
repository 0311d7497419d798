"""Fixtures: Slack's own client, pointed at the local Slack of `tests.support.slack_fixtures`."""

from collections.abc import AsyncGenerator
from typing import Any

import pytest

from tests.localslack.bolt import connected_client
from tests.support.slack import LocalSlack


@pytest.fixture
async def client(slack: LocalSlack) -> AsyncGenerator[Any]:
    """Slack's own client with the bot's token."""
    async with connected_client(slack) as web:
        yield web
