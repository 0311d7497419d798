"""A door before the server that can swallow replies: the request arrives, the answer does not."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(slots=True, kw_only=True)
class Door:
    """Where to connect, and whether replies come back."""

    url: str
    swallow: bool = False
    pumps: set["asyncio.Task[None]"] = field(default_factory=set["asyncio.Task[None]"])


@asynccontextmanager
async def lossy_door(url: str, folder: Path) -> AsyncGenerator[Door]:
    """Forward a socket file to the server's; while `swallow` is set, cut the connection instead of answering."""
    path = folder / "door.sock"
    door = Door(url=f"unix://{path}")

    async def replies(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(1 << 16):
            if door.swallow:
                break
            writer.write(data)
            await writer.drain()
        writer.close()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        door.pumps.add(task)
        server_reader, server_writer = await asyncio.open_unix_connection(url.removeprefix("unix://"))
        back = asyncio.create_task(replies(server_reader, writer))
        try:
            while data := await reader.read(1 << 16):
                server_writer.write(data)
                await server_writer.drain()
        finally:
            server_writer.close()
            back.cancel()
            with contextlib.suppress(asyncio.CancelledError, ConnectionError):
                await back
            writer.close()
            door.pumps.discard(task)

    async with await asyncio.start_unix_server(connected, path):
        yield door
        for pump in list(door.pumps):
            pump.cancel()
        await asyncio.gather(*door.pumps, return_exceptions=True)
