"""How a serving process ends: each session reaches the end of its step."""

import asyncio
import signal

from runtime.engine.worker import Worker


async def work(worker: Worker) -> None:
    """Run the worker; the first SIGTERM or SIGINT lets each session reach the end of its step."""
    loop = asyncio.get_running_loop()
    for signum in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(signum, worker.stop)
    await worker.run()
