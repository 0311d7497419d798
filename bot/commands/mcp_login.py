"""`python -m bot mcp login NAME`: a person logs in at a server's own page; the browser comes back to this machine."""

import argparse
import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web

from bot.commands.start import Start, StartProblem
from bot.mcp import configured_servers
from tools.mcp.errors import ServerUnavailable
from tools.mcp.oauth import log_in

HOST = "127.0.0.1"
PATH = "/callback"
PATIENCE_SECONDS = 600
THANKS = "Handrail has what it needs. You can close this page."


@dataclass(frozen=True, slots=True)
class Comeback:
    """Where the browser comes back to."""

    address: str
    arrived: "asyncio.Future[tuple[str, str | None]]" = field(default_factory=asyncio.Future[tuple[str, str | None]])

    async def shows(self, url: str) -> None:
        """Tell the person what to open."""
        print(f"Open this address and log in:\n\n  {url}\n\nWaiting for the browser at {self.address} …", flush=True)

    async def hears(self) -> tuple[str, str | None]:
        """The code and the state.

        Raises:
            StartProblem: nobody came back.
        """
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                return await self.arrived
        except TimeoutError as error:
            raise StartProblem("Nobody logged in within ten minutes. Run the command again.") from error


@asynccontextmanager
async def waiting(port: int) -> AsyncGenerator[Comeback]:
    """Listen on the loopback interface; the first browser that comes back counts."""

    async def back(request: web.Request) -> web.Response:
        if not comeback.arrived.done():
            comeback.arrived.set_result((request.query.get("code", ""), request.query.get("state")))
        return web.Response(text=THANKS)

    app = web.Application()
    app.router.add_get(PATH, back)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, HOST, port).start()
        except OSError as error:
            raise StartProblem(f"Port {port} of this machine cannot be used: {error.strerror}.") from error
        comeback = Comeback(f"http://{HOST}:{runner.addresses[0][1]}{PATH}")
        yield comeback
    finally:
        await runner.cleanup()


async def login(start: Start, options: argparse.Namespace) -> int:
    """Log in and say what comes next."""
    server = next((one for one in configured_servers(start) if one.name == options.name), None)
    if server is None or server.login is None:
        raise StartProblem(f"There is no enabled server {options.name!r} with a url to log in at.")
    async with waiting(options.port) as comeback:
        try:
            was_needed = await log_in(server, address=comeback.address, shows=comeback.shows, hears=comeback.hears)
        except ServerUnavailable as error:
            raise StartProblem(str(error)) from error
    if not was_needed:
        print(f"{server.name} asks for no login.")
        return 0
    print(
        f"Logged in at {server.name}; its tokens are in {server.login}. Next: `python -m bot mcp accept {server.name}`."
    )
    return 0
