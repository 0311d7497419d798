"""A small web on this machine, and the context of a call."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest
from aiohttp import web

from tools.context import ToolContext
from tools.sandbox.unavailable import Unavailable
from tools.web.addresses import Guard
from tools.workspace import Workspace


@dataclass(slots=True)
class SmallWeb:
    """A server whose pages are set by the test, and what it was asked."""

    base: str
    pages: dict[str, web.Response] = field(default_factory=dict[str, web.Response])
    asked: list[web.BaseRequest] = field(default_factory=list[web.BaseRequest])

    @property
    def guard(self) -> Guard:
        """A guard to which this server alone is open."""
        return Guard(frozenset({self.base.removeprefix("http://")}))

    def show(self, path: str, body: str | bytes, kind: str = "text/html", **headers: str) -> str:
        """Put a page there; its address."""
        data = body.encode() if isinstance(body, str) else body
        self.pages[path] = web.Response(body=data, headers={"Content-Type": kind, **headers})
        return self.base + path

    def redirect(self, path: str, to: str, status: int = 302) -> str:
        """Put a redirect there; its address."""
        self.pages[path] = web.Response(status=status, headers={"Location": to})
        return self.base + path


@pytest.fixture
async def small_web() -> AsyncIterator[SmallWeb]:
    """The server."""

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        small.asked.append(request)
        page = small.pages.get(request.path)
        return web.Response(status=404, text="nothing here") if page is None else page

    runner = web.ServerRunner(web.Server(answer))
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    small = SmallWeb(f"http://127.0.0.1:{runner.addresses[0][1]}")
    yield small
    await runner.cleanup()


@pytest.fixture
def context(tmp_path: Path) -> ToolContext:
    """A call in an empty workspace."""
    return ToolContext(
        session_id="s",
        run_id="r",
        call_id="r1.1.0",
        workspace=Workspace(root=tmp_path),
        sandbox=Unavailable(reasons=("none is needed",), fix=""),
        timeout=timedelta(seconds=60),
    )
