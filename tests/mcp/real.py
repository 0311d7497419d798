"""The real servers of the tests, as the set-up installed them, and what is accepted of them."""

import socket
import sys
from collections.abc import AsyncGenerator, Collection
from contextlib import asynccontextmanager
from pathlib import Path

from aiohttp import web

from scripts.machine import ROOT, program
from scripts.mcp_servers import NODE_HOME, PYTHON_SITE
from tests.parts import requires
from tools.mcp.clients import MCPClients
from tools.mcp.config import Server
from tools.mcp.connection import Listing
from tools.mcp.trust import TrustFile
from tools.redact import Redactor


def python_server(module: str, *args: str) -> Server:
    """A server from PyPI, named by the last part of its module; the test is skipped where the set-up was not run."""
    requires("mcp-servers")
    return Server(
        name=module.rpartition("_")[2],
        transport="stdio",
        command=sys.executable,
        args=("-m", module, *args),
        env={"PYTHONPATH": str(PYTHON_SITE)},
    )


def node_entry(package: str) -> tuple[str, ...]:
    """The command of a server from npm; the test is skipped where it is not installed."""
    requires("node", "mcp-servers-for-node")
    entry = NODE_HOME / "node_modules/@modelcontextprotocol" / package / "dist/index.js"
    return (str(program("node")), str(entry))


def node_server(package: str, *args: str) -> Server:
    """A server from npm, named without its prefix."""
    command, entry = node_entry(package)
    return Server(name=package.removeprefix("server-"), transport="stdio", command=command, args=(entry, *args))


def odd_server(mode: str, folder: Path, **env: str) -> Server:
    """Our own odd server in a mode."""
    return Server(
        name="odd",
        transport="stdio",
        command=sys.executable,
        args=("-m", "tests.mcp.odd_server", mode, str(folder)),
        env={"PYTHONPATH": str(ROOT), **env},
    )


@asynccontextmanager
async def clients_of(
    *servers: Server,
    data: Path,
    reads: Collection[str] = (),
    may_elicit: Collection[str] = (),
    accept: bool = True,
    redact: Redactor | None = None,
) -> AsyncGenerator[MCPClients]:
    """Clients of which, unless told otherwise, everything the servers list was accepted."""
    trust = TrustFile(data / "mcp-trust.json")
    for server in servers if accept else ():
        listing = await listing_of(server, trust)
        trust.accept(server.name, listing.definitions, reads=frozenset(reads), instructions=listing.instructions)
    async with opened(MCPClients(servers, trust, may_elicit=may_elicit, learn=(redact or Redactor()).learn)) as clients:
        yield clients


LISTED: dict[tuple[str, ...], Listing] = {}
"""What servers list, asked once: starting one takes a second, and it lists the same each time."""


async def listing_of(server: Server, trust: TrustFile) -> Listing:
    """What a server lists when it is new."""
    key = (server.name, *server.args[:3], server.url)
    if key not in LISTED:
        async with opened(MCPClients([server], trust)) as clients:
            await clients.clients[server.name].connected()
            listing = clients.clients[server.name].listing
            assert listing
            LISTED[key] = listing
    return LISTED[key]


@asynccontextmanager
async def opened(clients: MCPClients) -> AsyncGenerator[MCPClients]:
    """The clients, closed at the end."""
    try:
        yield clients
    finally:
        await clients.aclose()


@asynccontextmanager
async def page(html: str) -> AsyncGenerator[str]:
    """The address of one page on this machine."""

    async def answer(_request: web.Request) -> web.Response:
        return web.Response(text=html, content_type="text/html")

    app = web.Application()
    app.router.add_get("/", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/"
    finally:
        await runner.cleanup()


def listens(port: int) -> bool:
    """Whether somebody does."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
