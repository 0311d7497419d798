"""Run the scripted model: `python -m bot.rehearsal --port 0` prints its address and serves until it is told to end."""

import argparse
import asyncio
import contextlib
import signal
import sys
from collections.abc import Sequence
from datetime import timedelta

from aiohttp import web

from bot.rehearsal.server import RehearsalServer


def main(argv: Sequence[str]) -> int:
    """Serve until SIGINT or SIGTERM."""
    parser = argparse.ArgumentParser(prog="python -m bot.rehearsal", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--pause", type=int, default=0, metavar="MS", help="milliseconds before each reply")
    options = parser.parse_args(argv)
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve(options.host, options.port, timedelta(milliseconds=options.pause)))
    return 0


async def serve(host: str, port: int, pause: timedelta) -> None:
    """Serve until told to end; the address is printed once it answers."""
    ended = asyncio.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(name, ended.set)
    runner = web.AppRunner(RehearsalServer(pause=pause).application(), access_log=None, shutdown_timeout=1)
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port).start()
        bound = runner.addresses[0]
        print(f"rehearsal http://{bound[0]}:{bound[1]}/v1", flush=True)
        await ended.wait()
    finally:
        await runner.cleanup()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
