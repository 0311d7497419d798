"""A bot's side of Slack's wire, without a library: Web API calls and one Socket Mode connection."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp

from tests.support.slack import LocalSlack

Json = dict[str, Any]
Listener = Callable[[Json], Awaitable[Json | None]]


class BotWire:
    """Calls the Web API as the bot."""

    def __init__(self, slack: LocalSlack) -> None:
        self.slack = slack

    async def call(self, method: str, token: str = "", **arguments: Any) -> Json:
        """One Web API call; an answer that is not ok fails the test."""
        headers = {"Authorization": f"Bearer {token or self.slack.bot_token}"}
        address = self.slack.api_url + method
        async with self.slack.http.post(address, json=arguments, headers=headers) as response:
            body: Json = await response.json()
        assert body["ok"], (method, body)
        return body

    async def post(self, text: str, *, channel: str = "C0DATA", **more: Any) -> str:
        """Post a message and return its ts."""
        return str((await self.call("chat.postMessage", channel=channel, text=text, **more))["ts"])

    async def change(self, ts: str, text: str, *, channel: str = "C0DATA", **more: Any) -> None:
        """Replace a message."""
        await self.call("chat.update", channel=channel, ts=ts, text=text, **more)


async def pump(socket: aiohttp.ClientWebSocketResponse, listener: Listener) -> None:
    """Hand each envelope to the listener and acknowledge it with what that returns."""
    async for frame in socket:
        envelope: Json = frame.json()
        if "envelope_id" not in envelope:
            continue
        answer = await listener(envelope["payload"])
        more = {"payload": answer} if answer is not None else {}
        # A test may end as soon as it sees what the listener did, before the acknowledgement has gone.
        with contextlib.suppress(ConnectionResetError):
            await socket.send_json({"envelope_id": envelope["envelope_id"], **more})


@asynccontextmanager
async def connected(wire: BotWire, listener: Listener) -> AsyncGenerator[None, None]:
    """A Socket Mode connection for the time of a test; a listener that fails, fails the test."""
    opened = await wire.call("apps.connections.open", token=wire.slack.app_token)
    async with wire.slack.http.ws_connect(opened["url"]) as socket:
        task = asyncio.create_task(pump(socket, listener))
        try:
            yield
        finally:
            await socket.close()
            await task
