"""The page's switch: `POST {"command": "kill" | "start"}` and `GET`, both at an address that cannot be guessed."""

import asyncio
import secrets
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Literal

from aiohttp import web
from pydantic import BaseModel, ConfigDict, ValidationError

from bot.demo.child import Child


class Command(BaseModel):
    """What the page asks for."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    command: Literal["kill", "start"]


class Control:
    """Kills and starts one child. Counts kills, so that a restart on purpose is told from a crash."""

    def __init__(self, bot: Child) -> None:
        self.bot = bot
        self.info: Sequence[str] = ()
        """Lines for the page: which sandbox, model and store."""
        self.kills = 0
        self.wanted = True
        """False between a kill and the next start."""
        self.one_at_a_time = asyncio.Lock()

    async def kill(self) -> None:
        """`kill -9`."""
        async with self.one_at_a_time:
            self.wanted = False
            if self.bot.is_running:
                self.kills += 1
                await self.bot.kill()

    async def start(self) -> None:
        """Start it again."""
        async with self.one_at_a_time:
            self.wanted = True
            await self.bot.start()

    async def tell(self, _: web.Request) -> web.Response:
        """How the bot is."""
        return web.json_response({"online": self.bot.is_running, "info": list(self.info)})

    async def obey(self, request: web.Request) -> web.Response:
        """Carry out a command."""
        try:
            command = Command.model_validate_json(await request.read())
        except ValidationError:
            return web.json_response({"error": "command is kill or start"}, status=400)
        await (self.kill() if command.command == "kill" else self.start())
        return web.json_response({"online": self.bot.is_running})


@asynccontextmanager
async def serving(control: Control) -> AsyncGenerator[str, None]:
    """Serve on the loopback interface; yields the address."""
    path = f"/{secrets.token_urlsafe(16)}/"
    app = web.Application()
    app.router.add_get(path, control.tell)
    app.router.add_post(path, control.obey)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}{path}"
    finally:
        await runner.cleanup()
