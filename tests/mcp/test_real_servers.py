"""Servers that other people wrote, over every transport."""

import asyncio
import os
import subprocess
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from pydantic import JsonValue

from tests.mcp.conftest import Calling
from tests.mcp.real import clients_of, listens, node_entry, node_server, page, python_server
from tests.support.ports import free_port
from tests.waiting import wait_until
from tools.mcp.config import Server, Transport
from tools.mcp.errors import CallInterrupted
from tools.workspace import Workspace


async def test_the_time_server_tells_the_time(calling: Calling, tmp_path: Path) -> None:
    """A server from PyPI answers through a namespaced tool."""
    async with clients_of(python_server("mcp_server_time"), data=tmp_path) as clients:
        result = await calling(clients, "mcp_time_get_current_time", {"timezone": "UTC"})
    assert '"timezone": "UTC"' in result.output
    assert not result.is_error


async def test_an_error_of_a_server_is_an_error(calling: Calling, tmp_path: Path) -> None:
    """`isError` is carried through, with the server's words."""
    async with clients_of(python_server("mcp_server_time"), data=tmp_path) as clients:
        result = await calling(clients, "mcp_time_get_current_time", {"timezone": "Mars/Olympus"})
    assert result.is_error
    assert "Mars" in result.output


@pytest.mark.needs("git")
async def test_the_git_server_shows_a_repository(calling: Calling, tmp_path: Path) -> None:
    """A server that works on files is started with its arguments."""
    repository = tmp_path / "repo"
    make_repository(repository)
    server = python_server("mcp_server_git", "--repository", str(repository))
    async with clients_of(server, data=tmp_path) as clients:
        result = await calling(clients, "mcp_git_git_log", {"repo_path": str(repository)})
    assert "First light." in result.output


def make_repository(folder: Path) -> None:
    """A repository with one commit."""
    run = ["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@example.com"]
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    subprocess.run([*run, "commit", "-q", "--allow-empty", "-m", "First light."], check=True)


async def test_the_fetch_server_fetches_from_this_machine(calling: Calling, tmp_path: Path) -> None:
    """A page of this machine comes back as text."""
    server = python_server("mcp_server_fetch", "--ignore-robots-txt", "--allow-private-ips")
    html = "<html><body><h1>Hello there</h1><p>Some text of a page.</p></body></html>"
    async with clients_of(server, data=tmp_path) as clients, page(html) as url:
        result = await calling(clients, "mcp_fetch_fetch", {"url": url, "raw": True})
    assert "Hello there" in result.output


async def test_the_filesystem_server_reads_only_its_folder(calling: Calling, tmp_path: Path) -> None:
    """A server from npm keeps to the folder it was given, and says so as an error."""
    folder = tmp_path / "shared"
    folder.mkdir()
    (folder / "note.txt").write_text("remember the milk")
    async with clients_of(node_server("server-filesystem", str(folder)), data=tmp_path) as clients:
        inside = await calling(clients, "mcp_filesystem_read_text_file", {"path": str(folder / "note.txt")})
        outside = await calling(clients, "mcp_filesystem_read_text_file", {"path": "/etc/passwd"})
    assert "remember the milk" in inside.output
    assert outside.is_error


@pytest.mark.parametrize("mode", ["stdio", "streamableHttp", "sse"])
async def test_every_kind_of_content_comes_through(
    mode: str, calling: Calling, tmp_path: Path, workspace: Workspace
) -> None:
    """Text, images, structured content, resources and progress arrive over each transport."""
    heard: list[str] = []
    async with everything(mode) as server, clients_of(server, data=tmp_path) as clients:
        echo = await calling(clients, "mcp_everything_echo", {"message": "hi"})
        image = await calling(clients, "mcp_everything_get-tiny-image")
        structured = await calling(clients, "mcp_everything_get-structured-content", {"location": "New York"})
        links = await calling(clients, "mcp_everything_get-resource-links", {"count": 2})
        reference = await calling(
            clients, "mcp_everything_get-resource-reference", {"resourceType": "Text", "resourceId": 1}
        )
        await calling(
            clients,
            "mcp_everything_trigger-long-running-operation",
            {"duration": 0.3, "steps": 3},
            progress=heard.append,
        )
    assert "Echo: hi" in echo.output
    assert image.files[0].path.endswith(".png")
    assert workspace.read_bytes(image.files[0].path).startswith(b"\x89PNG")
    assert "temperature" in structured.output
    assert "[resource " in links.output
    assert "[resource " in reference.output
    assert heard == ["1 of 3", "2 of 3", "3 of 3"]


@pytest.mark.parametrize("mode", ["stdio", "streamableHttp", "sse"])
async def test_a_server_killed_in_the_middle_of_a_call_ends_the_call(
    mode: str, calling: Calling, tmp_path: Path
) -> None:
    """The call ends at once with an honest error, and the next call starts a new connection."""
    heard: list[str] = []
    pids: list[int] = []
    async with everything(mode, pids) as server, clients_of(server, data=tmp_path) as clients:
        await calling(clients, "mcp_everything_echo", {"message": "hi"})
        slow: dict[str, JsonValue] = {"duration": 300, "steps": 1000}
        call = asyncio.create_task(
            calling(clients, "mcp_everything_trigger-long-running-operation", slow, seconds=60, progress=heard.append)
        )
        await wait_until("the call is under way", lambda: heard)
        for pid in pids or children(server):
            os.kill(pid, 9)
        with pytest.raises(CallInterrupted, match=r"went away during the call.*may or may not"):
            await call
        if mode == "stdio":
            again = await calling(clients, "mcp_everything_echo", {"message": "again"})
            assert "Echo: again" in again.output


def children(server: Server) -> list[int]:
    """The processes of this one that run the server."""
    found = subprocess.run(
        ["pgrep", "-P", str(os.getpid()), "-f", server.args[0]], capture_output=True, text=True, check=False
    )
    return [int(pid) for pid in found.stdout.split()]


@asynccontextmanager
async def everything(mode: str, pids: list[int] | None = None, port: int = 0) -> AsyncGenerator[Server]:
    """The server with everything, over one transport; over HTTP as a process of its own on a free port."""
    if mode == "stdio":
        yield node_server("server-everything")
        return
    command = node_entry("server-everything")
    port = port or free_port()
    process = await asyncio.create_subprocess_exec(
        *command,
        mode,
        env={"PORT": str(port), "PATH": os.environ["PATH"]},
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    if pids is not None:
        pids.append(process.pid)
    try:
        await wait_until("the server listens", lambda: listens(port))
        transport: Transport = "sse" if mode == "sse" else "auto"
        path = "sse" if mode == "sse" else "mcp"
        yield Server(name="everything", transport=transport, url=f"http://127.0.0.1:{port}/{path}")
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
