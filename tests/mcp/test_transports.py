"""What holds on the way to a server: killed at its start, headers that stay with their owner, limits, sounds."""

import asyncio
import base64
import os
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest
from aiohttp import web
from mcp import types

from tests.mcp.conftest import Calling
from tests.mcp.real import clients_of, node_server, odd_server
from tests.mcp.test_real_servers import children, everything
from tests.support.ports import free_port
from tests.waiting import wait_until
from tools.context import ToolContext
from tools.mcp.clients import MCPClients
from tools.mcp.config import Server
from tools.mcp.content import result_of
from tools.mcp.errors import CallInterrupted, ServerUnavailable
from tools.mcp.trust import TrustFile
from tools.sandbox.unavailable import Unavailable
from tools.workspace import Workspace


async def test_a_program_killed_at_its_start_is_told_and_started_anew(calling: Calling, tmp_path: Path) -> None:
    """The call that waited for it ends with the reason; the next one has a new process."""
    server = node_server("server-everything")
    async with clients_of(server, data=tmp_path) as clients:
        call = asyncio.create_task(calling(clients, "mcp_everything_echo", {"message": "hi"}))
        for pid in await wait_until("it starts", lambda: children(server)):
            os.kill(pid, 9)
        with pytest.raises((ServerUnavailable, CallInterrupted)):
            await call
        assert "again" in (await calling(clients, "mcp_everything_echo", {"message": "again"})).output


async def test_an_http_server_killed_at_its_start_is_told_and_reached_again(calling: Calling, tmp_path: Path) -> None:
    """While nobody listens nothing hangs; once somebody does, the next call goes through."""
    port, pids = free_port(), list[int]()
    async with AsyncExitStack() as stack:
        async with everything("streamableHttp", pids, port) as server:
            clients = await stack.enter_async_context(clients_of(server, data=tmp_path))
            os.kill(pids[0], 9)
            with pytest.raises(ServerUnavailable, match=r"cannot be reached|is not available"):
                await calling(clients, "mcp_everything_echo", {"message": "hi"})
        async with everything("streamableHttp", port=port):
            assert "again" in (await calling(clients, "mcp_everything_echo", {"message": "again"})).output


@dataclass(slots=True)
class Listener:
    """An HTTP server that only notes what it was told."""

    answer: web.Response = field(default_factory=lambda: web.Response(status=500))
    url: str = ""
    heard: list[dict[str, str]] = field(default_factory=list[dict[str, str]])

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Note the headers."""
        self.heard.append(dict(request.headers))
        return web.Response(status=self.answer.status, headers=self.answer.headers)


@asynccontextmanager
async def listening(listener: Listener) -> AsyncGenerator[Listener]:
    """Serve it."""
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", listener.handle)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    listener.url = f"http://127.0.0.1:{runner.addresses[0][1]}/mcp"
    try:
        yield listener
    finally:
        await runner.cleanup()


@pytest.mark.parametrize("kind", ["http", "sse"])
async def test_headers_go_to_their_own_server_also_when_it_sends_us_elsewhere(kind: str, tmp_path: Path) -> None:
    """A redirect to another origin gets none of the entry's headers."""
    async with listening(Listener()) as thief:
        elsewhere = web.Response(status=307, headers={"Location": thief.url})
        async with listening(Listener(answer=elsewhere)) as shop:
            entry = Server(name="shop", transport="auto", url=shop.url, headers={"X-Api-Key": "of-the-shop"})
            entry = entry.model_copy(update={"transport": kind})
            clients = MCPClients([entry], TrustFile(tmp_path / "trust.json"))
            with pytest.raises(ServerUnavailable):
                await clients.clients["shop"].connected()
            await clients.aclose()
    assert shop.heard[0]["X-Api-Key"] == "of-the-shop"
    assert not [headers for headers in thief.heard if "of-the-shop" in str(headers)]


async def test_an_entrys_own_timeout_counts_where_it_is_shorter(calling: Calling, tmp_path: Path) -> None:
    """One second of the entry beats twenty of the house."""
    server = odd_server("good", tmp_path).model_copy(update={"timeout": timedelta(seconds=1)})
    async with clients_of(server, data=tmp_path) as clients:
        with pytest.raises(CallInterrupted, match="did not answer within 1 s"):
            await calling(clients, "mcp_odd_slow")


def test_sounds_and_embedded_resources_become_files(workspace: Workspace) -> None:
    """A sound is offered by its kind; a resource with text is text; what is unknown gets no telling ending."""
    context = ToolContext(
        session_id="s",
        run_id="r",
        call_id="c",
        workspace=workspace,
        sandbox=Unavailable(reasons=("none is needed",), fix=""),
        timeout=timedelta(seconds=1),
    )
    data = base64.b64encode(b"RIFF").decode()
    note = types.TextResourceContents.model_validate({"uri": "memo://1", "text": "remember"})
    blob = types.BlobResourceContents.model_validate({"uri": "memo://2", "blob": data, "mimeType": "text/html"})
    content: list[types.ContentBlock] = [
        types.AudioContent(type="audio", data=data, mimeType="audio/wav"),
        types.EmbeddedResource(type="resource", resource=note),
        types.EmbeddedResource(type="resource", resource=blob),
    ]
    result = result_of(types.CallToolResult(content=content), context, name="c", redact=str)
    assert [Path(file.path).suffix for file in result.files] == [".wav", ".bin"]
    assert workspace.read_bytes(result.files[0].path) == b"RIFF"
    assert "remember" in result.output
