"""Opens the streams to a server: a program of this host, streamable HTTP, or SSE.

A program gets the few variables that any program needs and those of its own entry, nothing of the bot's. Headers of an
entry are sent to the entry's own origin only, also when a server redirects.
"""

import asyncio
import contextlib
import os
from collections import deque
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import TextIO

import httpx
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.sse import sse_client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage

from tools.mcp.config import Server
from tools.mcp.errors import ServerUnavailable
from tools.mcp.oauth import auth_of
from tools.text import from_terminal

CONNECT_SECONDS = 10.0
READ_SECONDS = 660.0
"""No byte for so long; more than any call may take."""
KEPT_LINES = 20
LINE_BYTES = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Streams:
    """Both directions, and the newest words of the program's error output."""

    reading: MemoryObjectReceiveStream[SessionMessage | Exception]
    writing: MemoryObjectSendStream[SessionMessage]


@dataclass(frozen=True, slots=True)
class LastWords:
    """The newest lines a program wrote to its error output."""

    lines: deque[bytes] = field(default_factory=lambda: deque[bytes](maxlen=KEPT_LINES))

    @property
    def text(self) -> str:
        """The last line that says something."""
        said = [line for line in self.lines if line.strip()]
        return from_terminal(said[-1])[:300].strip() if said else ""


@contextlib.asynccontextmanager
async def streams_to(server: Server, words: LastWords, *, sse: bool) -> AsyncGenerator[Streams]:
    """The open streams; leaving the block ends the program or the connection.

    Args:
        server: whom to speak to.
        words: filled with what the program says on its error output.
        sse: use the older of the two HTTP transports.

    Raises:
        ServerUnavailable: the program cannot be started.
    """
    if server.transport == "stdio":
        opened = program(server, words)
    elif sse:
        opened = older_http(server)
    else:
        opened = http(server)
    async with opened as streams:
        yield streams


@contextlib.asynccontextmanager
async def program(server: Server, words: LastWords) -> AsyncGenerator[Streams]:
    """Start the program; it is ended, with what it started, when the block is left."""
    parameters = StdioServerParameters(
        command=server.command, args=list(server.args), env=server.env, cwd=server.cwd, encoding_error_handler="replace"
    )
    async with overheard(words) as errors, contextlib.AsyncExitStack() as stack:
        try:
            reading, writing = await stack.enter_async_context(stdio_client(parameters, errlog=errors))
        except OSError as error:
            reason = error.strerror or str(error)
            raise ServerUnavailable(f"its program {server.command!r} cannot be started: {reason}") from error
        yield Streams(reading=reading, writing=writing)


@contextlib.asynccontextmanager
async def overheard(words: LastWords) -> AsyncGenerator[TextIO]:
    """A file that a program may write to without end; only the newest lines are kept."""
    ours, theirs = os.pipe()
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=LINE_BYTES)
    pipe, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(ours, "rb"))
    listening = asyncio.create_task(listen(reader, words), name="error output of an MCP server")
    try:
        with os.fdopen(theirs, "w") as file:
            yield file
    finally:
        pipe.close()
        listening.cancel()
        await asyncio.wait({listening})


async def listen(reader: asyncio.StreamReader, words: LastWords) -> None:
    """Keep the newest lines."""
    rest = b""
    while piece := await reader.read(LINE_BYTES):
        *lines, rest = (rest + piece).split(b"\n")
        words.lines.extend(line[:LINE_BYTES] for line in lines)
        if len(rest) >= LINE_BYTES:
            words.lines.append(rest[:LINE_BYTES])
            rest = b""
    words.lines.append(rest)


def client_for(server: Server) -> httpx.AsyncClient:
    """A client that sends the entry's headers; the SDK follows redirects within the server's own origin only."""
    timeout = httpx.Timeout(CONNECT_SECONDS, read=READ_SECONDS)
    return httpx.AsyncClient(headers=server.headers, auth=auth_of(server), timeout=timeout)


@contextlib.asynccontextmanager
async def http(server: Server) -> AsyncGenerator[Streams]:
    """Streamable HTTP."""
    async with client_for(server) as client, streamable_http_client(server.url, http_client=client) as opened:
        yield Streams(reading=opened[0], writing=opened[1])


@contextlib.asynccontextmanager
async def older_http(server: Server) -> AsyncGenerator[Streams]:
    """HTTP with server-sent events, as servers spoke before streamable HTTP."""
    opened = sse_client(
        server.url,
        headers=server.headers,
        timeout=CONNECT_SECONDS,
        sse_read_timeout=READ_SECONDS,
        auth=auth_of(server),
    )
    async with opened as (reading, writing):
        yield Streams(reading=reading, writing=writing)
