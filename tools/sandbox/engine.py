"""The few calls of the Docker Engine API that one execution needs, over its UNIX socket; Podman answers the same ones.

Paths carry no version, so that each engine answers with its own newest. Facts: docs.docker.com/reference/api/engine.
"""

import asyncio
import contextlib
import json
import os
import socket
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, ValidationError

from tools.sandbox.port import SandboxUnavailable
from tools.sandbox.streams import CappedStream

SECONDS = 30.0
FRAME = 8
"""Bytes before each piece of output: which stream, three zeros, and its length."""
STDERR = 2
HEAD_BYTES = 65_536
WORDS_SECONDS = 2.0
WORDS_BYTES = 4_000
"""Of what an engine says to a refusal."""


class Reply(BaseModel):
    """The parts of replies that are read."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str = Field(default="", alias="Id")
    code: int = Field(default=-1, alias="StatusCode")
    message: str = ""


class State(BaseModel):
    """How a container ended."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    ran_out: bool = Field(default=False, alias="OOMKilled")


class Memory(BaseModel):
    """What all processes of a container use, file cache included."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    usage: int = 0
    stats: dict[str, int] = Field(default_factory=dict[str, int])

    @property
    def held(self) -> int:
        """Bytes without the part of the file cache that can be dropped at once."""
        return self.usage - self.stats.get("total_inactive_file", self.stats.get("inactive_file", 0))


class Stats(BaseModel):
    """What an engine measured."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    memory: Memory = Field(default_factory=Memory, alias="memory_stats")


class Inspected(BaseModel):
    """What an engine says of a container."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    state: State = Field(alias="State")


class Ends(NamedTuple):
    """The streams of a container."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter


class Left(BaseModel):
    """A container that has ended."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str = Field(alias="Id")
    created: float = Field(default=0, alias="Created")
    """Seconds since the epoch."""
    labels: dict[str, str] = Field(default_factory=dict[str, str], alias="Labels")

    @property
    def is_orphan(self) -> bool:
        """Whether the bot that made it is no more; of a bot that cannot be looked for that is said after a day."""
        host, _, process = self.labels.get(BOT, "").rpartition(":")
        if host == socket.gethostname() and "." in process:
            return process != began(process.partition(".")[0])
        return self.created < datetime.now(UTC).timestamp() - DAY_SECONDS


class EngineGone(SandboxUnavailable):
    """Nobody answers at the engine's socket, or not to the end."""


LISTED = TypeAdapter(list[Left])
LABEL, LABELLED, BOT = "handrail", "sandbox", "handrail.bot"
"""Ours, among all containers of an engine, and whose of all bots that use it."""
DAY_SECONDS = 86_400.0


def labels() -> dict[str, JsonValue]:
    """What a container is known by."""
    return {LABEL: LABELLED, BOT: f"{socket.gethostname()}:{bot_process()}"}


def bot_process() -> str:
    """This process, told from a later one of the same number."""
    return began(str(os.getpid())) or str(os.getpid())


def began(process: str) -> str:
    """A process and the tick at which it began (proc(5), field 22); empty where there is none of that number."""
    with contextlib.suppress(OSError, IndexError):
        stat = Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
        return f"{process}.{stat.rpartition(')')[2].split()[19]}"
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """A container engine of this machine."""

    socket: Path

    async def call(
        self, method: str, path: str, body: Mapping[str, JsonValue] | None = None, *, seconds: float | None = SECONDS
    ) -> bytes:
        """One call; its reply.

        Raises:
            EngineGone: the engine cannot be reached, or does not answer to the end.
            SandboxUnavailable: it refuses.
        """
        payload = json.dumps(body).encode() if body is not None else b""
        # Asked in HTTP/1.0, an engine sends the reply in one piece and closes.
        head = f"{method} {path} HTTP/1.0\r\nHost: engine\r\nContent-Type: application/json\r\n"
        try:
            async with asyncio.timeout(seconds), self.connected() as ends:
                ends.writer.write(f"{head}Content-Length: {len(payload)}\r\n\r\n".encode() + payload)
                status, _, content = (await ends.reader.read()).partition(b"\r\n\r\n")
        except (OSError, TimeoutError) as error:
            raise self.away(error) from error
        if not status:
            raise self.away(ConnectionResetError())
        if not b"200" <= status[9:12] < b"400":
            raise SandboxUnavailable(f"the container engine refuses: {read(content).message[:300]}")
        return content

    def away(self, error: OSError) -> EngineGone:
        """That nobody answers."""
        return EngineGone(f"no container engine at {self.socket} ({type(error).__name__})")

    @contextlib.asynccontextmanager
    async def connected(self) -> AsyncGenerator[Ends]:
        """A connection to the engine.

        Raises:
            OSError: nobody listens.
        """
        reader, writer = await asyncio.open_unix_connection(str(self.socket), limit=HEAD_BYTES)
        try:
            yield Ends(reader, writer)
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    async def create(self, body: Mapping[str, JsonValue]) -> str:
        """Make a container; its id."""
        return read(await self.call("POST", "/containers/create", body)).id

    async def sweep(self) -> None:
        """Remove what killed bots left and has ended; what a living one is about to read stays."""
        filters = json.dumps({"label": [f"{LABEL}={LABELLED}"], "status": ["exited"]})
        found = await self.call("GET", f"/containers/json?all=1&filters={quote(filters)}")
        for one in LISTED.validate_json(found):
            if one.is_orphan:
                await self.remove(one.id)

    async def start(self, container: str) -> None:
        """Start it."""
        await self.call("POST", f"/containers/{container}/start")

    async def wait(self, container: str) -> int:
        """Wait for its end; the exit code."""
        path = f"/containers/{container}/wait?condition=not-running"
        return read(await self.call("POST", path, seconds=None)).code

    async def kill(self, container: str) -> None:
        """End every process in it; that it has ended already is no error."""
        with contextlib.suppress(SandboxUnavailable):
            await self.call("POST", f"/containers/{container}/kill")

    async def memory(self, container: str) -> int:
        """Bytes that its processes use together; 0 once it has ended."""
        with contextlib.suppress(SandboxUnavailable, ValidationError):
            found = await self.call("GET", f"/containers/{container}/stats?stream=false&one-shot=true")
            return Stats.model_validate_json(found).memory.held
        return 0

    async def ran_out(self, container: str) -> bool:
        """Whether the kernel ended something in it for its memory, as far as the engine still says."""
        with contextlib.suppress(SandboxUnavailable, ValidationError):
            found = await self.call("GET", f"/containers/{container}/json")
            return Inspected.model_validate_json(found).state.ran_out
        return False

    async def remove(self, container: str) -> None:
        """End and remove it; that it is gone already is no error."""
        with contextlib.suppress(SandboxUnavailable):
            await self.call("DELETE", f"/containers/{container}?force=1&v=1")

    @contextlib.asynccontextmanager
    async def attached(self, container: str) -> AsyncGenerator[Ends]:
        """Its streams, from before it starts; the connection stops being HTTP after the head of the reply.

        Raises:
            SandboxUnavailable: the engine does not hand them out.
        """
        path = f"/containers/{container}/attach?stream=1&stdin=1&stdout=1&stderr=1"
        request = f"POST {path} HTTP/1.1\r\nHost: engine\r\nConnection: Upgrade\r\nUpgrade: tcp\r\nContent-Length: 0"
        async with contextlib.AsyncExitStack() as stack:
            try:
                ends = await stack.enter_async_context(self.connected())
                ends.writer.write(f"{request}\r\n\r\n".encode())
                async with asyncio.timeout(SECONDS):
                    head = await ends.reader.readuntil(b"\r\n\r\n")
            except (asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
                raise SandboxUnavailable("the container engine does not hand out streams") from error
            except OSError as error:
                raise self.away(error) from error
            if head.split(b" ", 2)[1] not in {b"101", b"200"}:
                raise SandboxUnavailable(f"the container engine refuses: {await refusal(head, ends.reader)}")
            yield ends


async def refusal(head: bytes, reader: asyncio.StreamReader) -> str:
    """Why an engine hands out no streams: its own words where it has any, else the line of the protocol."""
    body = b""
    with contextlib.suppress(TimeoutError, OSError):
        async with asyncio.timeout(WORDS_SECONDS):
            body = await reader.read(WORDS_BYTES)
    words = body[body.find(b"{") : body.rfind(b"}") + 1]
    return (words and read(words).message) or head.splitlines()[0].decode("latin-1")


def read(content: bytes) -> Reply:
    """A reply; an empty one where it is none."""
    try:
        return Reply.model_validate_json(content or b"{}")
    except ValidationError:
        return Reply(message=content.decode(errors="replace"))


async def sorted_out(reader: asyncio.StreamReader, out: CappedStream, err: CappedStream) -> None:
    """Part the one stream of a container into its two, until its end."""
    with contextlib.suppress(asyncio.IncompleteReadError, OSError):
        while True:
            head = await reader.readexactly(FRAME)
            sink = err if head[0] == STDERR else out
            left = int.from_bytes(head[4:])
            while left:
                data = await reader.read(min(left, HEAD_BYTES))
                if not data:
                    return
                sink.write(data)
                left -= len(data)
