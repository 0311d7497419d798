"""Slack's own libraries, pointed at a local Slack."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from tests.support.slack import LocalSlack


@asynccontextmanager
async def connected_client(slack: LocalSlack, token: str | None = None) -> AsyncGenerator[Any]:
    """A web client with one session, closed at the end; its methods are partly annotated, hence `Any`."""
    async with aiohttp.ClientSession() as session:
        yield AsyncWebClient(token=token or slack.bot_token, base_url=slack.api_url, session=session)


@asynccontextmanager
async def connected_app(slack: LocalSlack, register: Callable[[Any], None]) -> AsyncGenerator[AsyncApp]:
    """A Bolt app in Socket Mode, connected when the block starts."""
    async with connected_client(slack) as web:
        app = AsyncApp(token=slack.bot_token, client=web)
        register(app)
        handler = AsyncSocketModeHandler(app, slack.app_token, web_client=web)
        await handler.connect_async()
        try:
            yield app
        finally:
            await handler.close_async()
