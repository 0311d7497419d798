"""The rehearsal model as a child process, for those who have connected no model yet."""

import asyncio
import contextlib
import sys
from collections.abc import AsyncGenerator

from bot.commands.start import StartProblem

MODEL = "rehearsal"
"""The name by which the rest of the program knows that the model is scripted."""
READY_SECONDS = 30


@contextlib.asynccontextmanager
async def rehearsal_model() -> AsyncGenerator[str]:
    """Start it; its base URL. It ends with the block.

    Raises:
        StartProblem: it did not start.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bot.rehearsal", "--port", "0", stdout=asyncio.subprocess.PIPE
    )
    try:
        yield await address_of(process)
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        await process.wait()


async def address_of(process: asyncio.subprocess.Process) -> str:
    """The address the process prints when it is ready.

    Raises:
        StartProblem: it printed none in time.
    """
    if process.stdout is None:
        raise StartProblem("The rehearsal model has no output to read its address from.")
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(READY_SECONDS):
            async for line in process.stdout:
                name, _, url = line.decode().strip().partition(" ")
                if name == MODEL and url:
                    return url
    raise StartProblem("The rehearsal model did not start; `python -m bot.rehearsal` shows why.")
