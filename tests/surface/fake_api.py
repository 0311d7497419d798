"""A Slack that answers what it is told to and keeps what it was asked, for tests of single calls."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp
from aiohttp import web
from slack_sdk.web.async_client import AsyncWebClient

from bot.delivery.paced_client import PacedClient
from bot.delivery.shared_pace import SharedPace


@dataclass(slots=True, kw_only=True)
class FakeApi:
    """One server; an answer of each method, with `ok` where none is given."""

    answers: Mapping[str, Mapping[str, Any]]
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list[tuple[str, dict[str, str]]])

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        """Keep the call, answer it."""
        method = request.path.removeprefix("/api/")
        body = await request.json() if request.content_type == "application/json" else await request.post()
        self.asked.append((method, {str(name): str(value) for name, value in body.items()}))
        return web.json_response({"ok": True, **self.answers.get(method, {})})

    def of(self, method: str) -> list[dict[str, str]]:
        """The arguments of a method's calls."""
        return [arguments for name, arguments in self.asked if name == method]


@asynccontextmanager
async def fake_api(
    answers: Mapping[str, Mapping[str, Any]],
) -> AsyncGenerator[tuple[FakeApi, AsyncWebClient, aiohttp.ClientSession]]:
    """The server, a client of it, and the session the client uses."""
    api = FakeApi(answers=answers)
    runner = web.ServerRunner(web.Server(api.answer))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    url = f"http://127.0.0.1:{runner.addresses[0][1]}/api/"
    try:
        async with aiohttp.ClientSession() as http:
            yield api, AsyncWebClient(token="xoxb-test", base_url=url, session=http), http
    finally:
        await runner.cleanup()


def paced(client: AsyncWebClient, pace: SharedPace) -> PacedClient:
    """A client of the same server that waits for its turn, as the bot's own does."""
    return PacedClient(pace=pace, token=client.token, base_url=client.base_url, session=client.session)
