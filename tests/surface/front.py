"""One Slack for two workspaces: a front before two local Slacks that tells them apart by the token, and OAuth."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp
from aiohttp import web

from tests.support.slack import LocalSlack

SECOND: Mapping[str, Any] = {
    "team": {"id": "T0OTHER", "name": "Other Roasters", "domain": "other-roasters"},
    "bot": {"bot_token": "xoxb-other-bot", "app_token": "xapp-other-app"},
}


@dataclass(slots=True, kw_only=True)
class Front:
    """Where the bot finds Slack. `codes` are what consent pages would hand out, each for one workspace."""

    slacks: Mapping[str, LocalSlack]
    """By bot token."""
    http: aiohttp.ClientSession
    url: str = ""
    revoked: set[str] = field(default_factory=set[str])
    renamed: dict[str, str] = field(default_factory=dict[str, str])
    """New bot tokens, each with the one by which its workspace is known here."""
    codes: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Pass a call on to the workspace of its token."""
        method = request.match_info["method"]
        if method == "oauth.v2.access":
            form = await request.post()
            found = self.codes.pop(str(form.get("code", "")), None)
            return web.json_response({"ok": True, **found} if found else {"ok": False, "error": "invalid_code"})
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if token in self.revoked:
            return web.json_response({"ok": False, "error": "token_revoked"})
        own = self.renamed.get(token, token)
        slack = self.slacks.get(own)
        if slack is None:
            return web.json_response({"ok": False, "error": "invalid_auth"})
        headers = {name: request.headers[name] for name in ("Content-Type",) if name in request.headers}
        headers["Authorization"] = f"Bearer {own}"
        address = f"{slack.api_url}{method}"
        async with self.http.request(
            request.method, address, params=request.query, data=await request.read(), headers=headers
        ) as answer:
            return web.Response(status=answer.status, body=await answer.read(), content_type="application/json")


@asynccontextmanager
async def front_of(slacks: Mapping[str, LocalSlack]) -> AsyncGenerator[Front]:
    """Serve it on a free port."""
    async with aiohttp.ClientSession() as http:
        front = Front(slacks=slacks, http=http)
        app = web.Application()
        app.add_routes([web.route("*", "/api/{method}", front.handle)])
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            host, port = runner.addresses[0][:2]
            front.url = f"http://{host}:{port}/api/"
            yield front
        finally:
            await runner.cleanup()
