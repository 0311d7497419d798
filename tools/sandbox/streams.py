"""Reading what a program writes without letting it fill this process's memory."""

import asyncio
from contextlib import suppress

CHUNK = 65_536


class CappedStream:
    """Keeps the first and the last half of `limit` bytes, counts what it drops between, and never stops reading."""

    def __init__(self, limit: int) -> None:
        self.head_limit = limit - limit // 2
        self.tail_limit = limit // 2
        self.head = bytearray()
        self.tail = bytearray()
        self.dropped = 0

    def write(self, data: bytes) -> None:
        """Take the next bytes."""
        room = self.head_limit - len(self.head)
        self.head += data[:room]
        self.tail += data[room:]
        # Trimmed in large steps, so that many small writes do not each move the whole tail.
        if len(self.tail) > 2 * self.tail_limit + CHUNK:
            self.trim()

    def trim(self) -> None:
        """Drop what is older than the tail."""
        excess = len(self.tail) - self.tail_limit
        if excess > 0:
            self.dropped += excess
            del self.tail[:excess]

    def content(self) -> bytes:
        """Head and tail, joined without a marker; `dropped` says how much lay between."""
        self.trim()
        return bytes(self.head + self.tail)


async def drain(source: asyncio.StreamReader | None, sink: CappedStream) -> None:
    """Read until the end of the stream."""
    while source is not None and (data := await source.read(CHUNK)):
        sink.write(data)


async def feed(target: asyncio.StreamWriter | None, data: bytes) -> None:
    """Write everything and close; a program that does not read it is no error."""
    if target is None:
        return
    with suppress(ConnectionError):
        target.write(data)
        await target.drain()
    target.close()
    # Also after a failure: it takes the error out of a future that would otherwise complain.
    with suppress(ConnectionError):
        await target.wait_closed()
