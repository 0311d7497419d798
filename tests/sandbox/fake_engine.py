"""As much of Docker's Engine API as one execution uses, recorded from a real engine: it runs nothing.

Replies have the shape that dockerd 20.10 gave; what a "container" prints and how it ends is the test's to say.
"""

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiohttp import web

ID = "c0ffee"


@dataclass(slots=True, kw_only=True)
class FakeEngine:
    """What it was asked, and what it answers."""

    frames: tuple[tuple[int, bytes], ...] = ()
    """Pieces of output: 1 for standard output, 2 for the other."""
    code: int = 0
    memory: int = 0
    ran_out: bool = False
    ends: bool = True
    """False: the container runs until it is killed."""
    missing: str = ""
    """Why a container cannot be made."""
    barred: str = ""
    """Why its streams are not handed out."""
    lost: str = ""
    """The call during which the engine dies."""
    left: tuple[dict[str, Any], ...] = ()
    """Containers of earlier times."""
    created: dict[str, Any] = field(default_factory=dict[str, Any])
    calls: list[str] = field(default_factory=list[str])
    killed: asyncio.Event = field(default_factory=asyncio.Event)

    async def create(self, request: web.Request) -> web.Response:
        """Note what is wanted."""
        self.created = await request.json()
        if self.missing:
            return web.json_response({"message": self.missing}, status=404)
        return web.json_response({"Id": ID, "Warnings": []}, status=201)

    async def listed(self, _request: web.Request) -> web.Response:
        """What an earlier bot left."""
        return web.json_response(self.left)

    async def attach(self, request: web.Request) -> web.StreamResponse:
        """The connection becomes the streams."""
        if self.barred:
            return web.json_response({"message": self.barred, "response": 409}, status=409)
        transport = request.transport
        assert transport is not None
        head = b"HTTP/1.1 101 UPGRADED\r\nContent-Type: application/vnd.docker.raw-stream\r\n"
        transport.write(head + b"Connection: Upgrade\r\nUpgrade: tcp\r\n\r\n")
        for stream, data in self.frames:
            transport.write(bytes([stream, 0, 0, 0]) + len(data).to_bytes(4) + data)
        transport.close()
        return web.Response()

    async def wait(self, _request: web.Request) -> web.Response:
        """The end, when it comes."""
        if not self.ends:
            await self.killed.wait()
        return web.json_response({"StatusCode": self.code, "Error": None})

    async def kill(self, _request: web.Request) -> web.Response:
        """End it."""
        self.killed.set()
        return web.Response(status=204)

    async def stats(self, _request: web.Request) -> web.Response:
        """What it uses, with a file cache beside it."""
        stats = {"usage": self.memory + 1_000, "stats": {"total_inactive_file": 1_000, "cache": 5}}
        return web.json_response({"read": "x", "memory_stats": stats})

    async def inspect(self, _request: web.Request) -> web.Response:
        """How it ended."""
        return web.json_response({"Id": ID, "State": {"OOMKilled": self.ran_out, "ExitCode": self.code}})

    async def done(self, _request: web.Request) -> web.Response:
        """Nothing to say."""
        return web.Response(status=204)

    @web.middleware
    async def note(self, request: web.Request, handler: Any) -> web.StreamResponse:
        """Keep the order of calls."""
        self.calls.append(f"{request.method} {request.path.rpartition('/')[2]}")
        if self.lost == self.calls[-1]:
            assert request.transport is not None
            request.transport.close()
        return await handler(request)


@asynccontextmanager
async def fake_engine(engine: FakeEngine, folder: Path) -> AsyncGenerator[Path]:
    """Serve it on a socket."""
    app = web.Application(middlewares=[engine.note])
    at = f"/containers/{ID}"
    app.router.add_post("/containers/create", engine.create)
    app.router.add_get("/containers/json", engine.listed)
    app.router.add_post(f"{at}/attach", engine.attach)
    app.router.add_post(f"{at}/start", engine.done)
    app.router.add_post(f"{at}/wait", engine.wait)
    app.router.add_post(f"{at}/kill", engine.kill)
    app.router.add_get(f"{at}/stats", engine.stats)
    app.router.add_get(f"{at}/json", engine.inspect)
    app.router.add_delete("/containers/{id}", engine.done)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1, handler_cancellation=True)
    await runner.setup()
    path = folder / "engine.sock"
    await web.UnixSite(runner, str(path)).start()
    try:
        yield path
    finally:
        engine.killed.set()
        with contextlib.suppress(OSError):
            await runner.cleanup()
