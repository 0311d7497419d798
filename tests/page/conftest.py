"""Fixtures: a local Slack with prompts, a hint and a control, a bot on the wire, and a browser."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import Browser

from tests.page.bot import SmallBot
from tests.page.browser import Control, Visitor, chromium, control_server, visit
from tests.page.wire import BotWire, connected
from tests.support.slack import LocalSlack, local_slack

PROMPT = {"channel": "C0DATA", "title": "Count the rows", "message": "<@U0HANDRAIL> Count the rows of orders.csv"}


@pytest.fixture
def control() -> Control:
    """What the page's Kill and Start reach."""
    return Control()


@pytest.fixture
async def slack(tmp_path: Path, control: Control) -> AsyncIterator[LocalSlack]:
    """A local Slack whose scene uses every part of the page."""
    async with control_server(control) as address:
        scene = {
            "banner": {"text": "Scripted model: connect yours", "detail": "Run `python -m bot init`."},
            "prompts": [PROMPT],
            "hints": [{"when_action": "approval_", "text": "Kill the bot now. The card still works afterwards."}],
            "control_url": address,
            "settings": {"ack_seconds": 1, "file_share_seconds": 0.01},
        }
        async with local_slack(tmp_path, scene) as running:
            yield running


@pytest.fixture
def wire(slack: LocalSlack) -> BotWire:
    """The Web API as the bot uses it; nothing is connected."""
    return BotWire(slack)


@pytest.fixture
async def bot(wire: BotWire) -> AsyncIterator[SmallBot]:
    """A small bot, connected."""
    small = SmallBot(wire)
    async with connected(wire, small.hear):
        yield small


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    """A headless Chromium."""
    async with chromium() as running:
        yield running


@pytest.fixture
async def ana(browser: Browser, slack: LocalSlack) -> AsyncIterator[Visitor]:
    """Ana's window on the data channel; nothing may have gone wrong in it by the end."""
    visitor = await visit(browser, slack.url)
    yield visitor
    assert visitor.errors == []
