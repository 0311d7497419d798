"""Lines that a person types, read without a thread: one that waits for a key could not be ended."""

import asyncio
import contextlib
import os
import stat
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field

CHUNK = 65_536


@dataclass(slots=True, kw_only=True)
class Keyboard:
    """A descriptor that is read line by line: a terminal, a pipe or a file."""

    descriptor: int
    write: Callable[[str], None]
    """Shows a prompt."""
    pending: bytes = b""
    arrived: asyncio.Event = field(default_factory=asyncio.Event)
    is_over: bool = False

    async def ask(self, prompt: str) -> str:
        """Show a prompt and wait for a line.

        Raises:
            EOFError: there is no more input.
        """
        self.write(prompt)
        while b"\n" not in self.pending and not self.is_over:
            self.arrived.clear()
            await self.arrived.wait()
        if not self.pending:
            raise EOFError("no more input")
        line, _, self.pending = self.pending.partition(b"\n")
        return line.decode(errors="replace").rstrip("\r")

    def take(self) -> None:
        """Read what is there."""
        got = os.read(self.descriptor, CHUNK)
        self.pending += got
        self.is_over = not got
        if self.is_over:
            asyncio.get_running_loop().remove_reader(self.descriptor)
        self.arrived.set()

    def take_all(self) -> None:
        """Read to the end."""
        while got := os.read(self.descriptor, CHUNK):
            self.pending += got
        self.is_over = True


@contextlib.asynccontextmanager
async def keyboard(descriptor: int, write: Callable[[str], None]) -> AsyncGenerator[Keyboard]:
    """Listen to a descriptor for the time of the block."""
    keys = Keyboard(descriptor=descriptor, write=write)
    mode = os.fstat(descriptor).st_mode
    loop = asyncio.get_running_loop()
    # An event loop can wait for terminals and pipes; a file, or /dev/null, has everything at once.
    if stat.S_ISREG(mode) or (stat.S_ISCHR(mode) and not os.isatty(descriptor)):
        keys.take_all()
    else:
        loop.add_reader(descriptor, keys.take)
    try:
        yield keys
    finally:
        loop.remove_reader(descriptor)
