"""A way out for contained programs to a few hosts: a proxy of this process, reachable only from inside one sandbox.

The program has a network of its own with nothing in it but its loopback. There the launcher listens, before the program
begins, and hands the listening socket to this process; so nothing else can reach the proxy, and the program can reach
nothing else. Only names on the operator's list pass, never addresses; each name is resolved here, and only public
addresses are connected to. What is sent inside TLS is not looked at: choose hosts that you trust with what you mount.
"""

import asyncio
import contextlib
import socket
from collections.abc import AsyncGenerator, Coroutine
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tools.errors import ToolInputError, ToolRefused
from tools.sandbox.requests import HEAD_BYTES, Refusal, Wanted, read_request
from tools.web.addresses import Guard, parsed

PORT = 3128
"""Where the proxy is inside."""
ADDRESS = f"http://127.0.0.1:{PORT}"
PORTS = frozenset({80, 443})
"""For a host that is listed without a port."""
CONNECTIONS = 32
CHUNK = 65_536
SECONDS = 60.0
"""No byte for so long ends a connection."""
CONNECT_SECONDS = 10.0
LARGEST_BYTES = 512 * 1024 * 1024
"""Of one execution, both directions together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Egress:
    """Which hosts may be reached."""

    hosts: tuple[str, ...]
    """Names in small letters; `*.example.org` is every name below it; `name:8443` one port instead of 80 and 443."""
    guard: Guard = field(default_factory=Guard)

    @property
    def environment(self) -> dict[str, str]:
        """What programs look at to find the proxy."""
        names = ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")
        return dict.fromkeys(names, ADDRESS) | {"NO_PROXY": "", "no_proxy": ""}

    def allows(self, host: str, port: int) -> bool:
        """Whether a name is on the list; an address never is."""
        if is_address(host):
            return False
        for entry in self.hosts:
            name, _, wanted = entry.partition(":")
            fits = host.endswith(name[1:]) if name.startswith("*.") else host == name
            if fits and (port == int(wanted) if wanted else port in PORTS):
                return True
        return False


def is_address(host: str) -> bool:
    """Whether resolvers would take it for a number, in any spelling: its last part begins with a digit."""
    return ":" in host or host.rstrip(".").rpartition(".")[2][:1].isdecimal() or not host.strip(".")


class Gate:
    """The proxy of one execution; enter it around the execution."""

    def __init__(self, egress: Egress) -> None:
        """Make the pair of sockets over which the listening one arrives."""
        self.egress = egress
        self.ours, self.theirs = socket.socketpair()
        self.ours.setblocking(False)
        self.work: set[asyncio.Task[None]] = set()
        self.bytes = 0

    @property
    def passed(self) -> int:
        """The descriptor that the launcher gets."""
        return self.theirs.fileno()

    def started(self) -> None:
        """The child has its copy."""
        self.theirs.close()

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncGenerator[None]:
        """Serve until the block ends; then every connection is closed."""
        self.begin(self.accept())
        try:
            yield
        finally:
            while self.work:
                for task in self.work:
                    task.cancel()
                await asyncio.wait(self.work)
            self.ours.close()
            self.theirs.close()

    def begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Do it beside the execution."""
        task = asyncio.create_task(work, name="proxy of a sandbox")
        self.work.add(task)
        task.add_done_callback(self.work.discard)

    async def accept(self) -> None:
        """Take the listening socket, then every connection."""
        loop = asyncio.get_running_loop()
        listening = await self.arrival(loop)
        if listening is None:
            return
        with listening:
            listening.setblocking(False)
            while True:
                connection, _ = await loop.sock_accept(listening)
                if len(self.work) > CONNECTIONS:
                    connection.close()
                    continue
                connection.setblocking(False)
                self.begin(self.carried_out(connection))

    async def arrival(self, loop: asyncio.AbstractEventLoop) -> socket.socket | None:
        """The socket that the launcher sends; None when it ended before."""
        readable = asyncio.Event()
        loop.add_reader(self.ours, readable.set)
        try:
            await readable.wait()
        finally:
            loop.remove_reader(self.ours)
        _, descriptors, _, _ = socket.recv_fds(self.ours, 1, 1)
        return socket.socket(fileno=descriptors[0]) if descriptors else None

    async def carried_out(self, connection: socket.socket) -> None:
        """One connection of the program, from its request to its end."""
        reader, writer = await asyncio.open_connection(sock=connection, limit=HEAD_BYTES)
        async with contextlib.AsyncExitStack() as stack:
            stack.push_async_callback(closed, writer)
            try:
                wanted = await read_request(reader)
                inner = await self.connected(wanted)
            except Refusal as refusal:
                writer.write(refusal.answer)
                return
            stack.push_async_callback(closed, inner.writer)
            if wanted.tunnel:
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            inner.writer.write(wanted.head)
            ways = (self.flow(reader, inner.writer), self.flow(inner.reader, writer))
            tasks = [asyncio.create_task(way) for way in ways]
            try:
                # A program may close its side first and still read; a server that closed has said everything.
                await asyncio.wait({tasks[1]})
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.wait(tasks)

    async def connected(self, wanted: Wanted) -> "Ends":
        """A connection to an allowed host.

        Raises:
            Refusal: it is not allowed, or cannot be reached.
        """
        try:
            target = parsed(wanted.url)
            if not self.egress.allows(target.host, target.port):
                raise Refusal(403, f"{target.host}:{target.port} is not on the list of hosts that code may reach")
            addresses = await self.egress.guard.addresses(target)
        except (ToolInputError, ToolRefused) as error:
            raise Refusal(403, str(error)) from error
        for address in addresses:
            with contextlib.suppress(OSError, TimeoutError):
                async with asyncio.timeout(CONNECT_SECONDS):
                    return Ends(*await asyncio.open_connection(address, target.port))
        raise Refusal(502, f"{target.host} cannot be reached")

    async def flow(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        """Pass bytes on, up to the execution's limit."""
        with contextlib.suppress(OSError, TimeoutError):
            while self.bytes < LARGEST_BYTES:
                async with asyncio.timeout(SECONDS):
                    data = await source.read(CHUNK)
                    if not data:
                        break
                    self.bytes += len(data)
                    sink.write(data)
                    await sink.drain()
            if sink.can_write_eof():
                sink.write_eof()


class Ends(NamedTuple):
    """Both directions of a connection."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter


async def closed(writer: asyncio.StreamWriter) -> None:
    """Close a connection; that it broke is no error."""
    writer.close()
    with contextlib.suppress(OSError, TimeoutError):
        async with asyncio.timeout(1):
            await writer.wait_closed()
