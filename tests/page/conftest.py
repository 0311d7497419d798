"""Fixtures: a local Slack with prompts, a hint and a control, a bot on the wire, and a browser.

The tests of a process share one browser, and with it the event loop that speaks to it.
"""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser

from tests.page.bot import SmallBot
from tests.page.browser import Control, Visitor, chromium, control_server, visit
from tests.page.wire import BotWire, connected
from tests.support.slack import LocalSlack
from tests.support.slack_fixtures import SlackMaker

PROMPT = {"channel": "C0DATA", "title": "Count the rows", "message": "<@U0HANDRAIL> Count the rows of orders.csv"}


@pytest.fixture
def control() -> Control:
    """What the page's Kill and Start reach."""
    return Control()


@pytest_asyncio.fixture(loop_scope="session")
async def slack(slack_with: SlackMaker, control: Control) -> AsyncIterator[LocalSlack]:
    """A local Slack whose scene uses every part of the page."""
    async with control_server(control) as address:
        scene = {
            "banner": {"text": "Scripted model: connect yours", "detail": "Run `python -m bot init`."},
            "prompts": [PROMPT],
            "hints": [{"when_action": "approval_", "text": "Kill the bot now. The card still works afterwards."}],
            "control_url": address,
            "settings": {"file_share_seconds": 0.01},
        }
        async with slack_with(scene) as running:
            yield running


@pytest.fixture
def wire(slack: LocalSlack) -> BotWire:
    """The Web API as the bot uses it; nothing is connected."""
    return BotWire(slack)


@pytest_asyncio.fixture(loop_scope="session")
async def bot(wire: BotWire) -> AsyncIterator[SmallBot]:
    """A small bot, connected."""
    small = SmallBot(wire)
    async with connected(wire, small.hear):
        yield small


@pytest_asyncio.fixture(loop_scope="session", scope="session")
async def one_browser() -> AsyncIterator[Browser]:
    """A headless Chromium."""
    async with chromium() as running:
        yield running


@pytest_asyncio.fixture(loop_scope="session")
async def browser(one_browser: Browser) -> AsyncIterator[Browser]:
    """The browser without a window; what a test opens is closed."""
    yield one_browser
    for context in one_browser.contexts:
        await context.close()


@pytest_asyncio.fixture(loop_scope="session")
async def ana(browser: Browser, slack: LocalSlack) -> AsyncIterator[Visitor]:
    """Ana's window on the data channel; nothing may have gone wrong in it by the end."""
    visitor = await visit(browser, slack.url)
    yield visitor
    assert visitor.errors == []
