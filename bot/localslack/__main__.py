"""`python -m bot.localslack`: run the look-alike until it is told to stop."""

import argparse
import asyncio
import logging
import signal
import sys
from pathlib import Path

from aiohttp import web
from pydantic import ValidationError

from bot.localslack.app import make_app
from bot.localslack.scene import load_scene
from bot.localslack.workspace import open_workspace


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m bot.localslack", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="0 picks a free port")
    parser.add_argument("--state", type=Path, required=True, help="directory that keeps the workspace over restarts")
    parser.add_argument("--scene", type=Path, default=None, help="JSON file with people, channels and settings")
    parser.add_argument("--verbose", action="store_true", help="log every request")
    return parser.parse_args()


async def run(arguments: argparse.Namespace) -> None:
    """Serve until SIGINT or SIGTERM."""
    workspace = open_workspace(load_scene(arguments.scene), arguments.state)
    runner = web.AppRunner(
        make_app(workspace, arguments.host),
        access_log=logging.getLogger("localslack") if arguments.verbose else None,
        shutdown_timeout=1,
    )
    await runner.setup()
    site = web.TCPSite(runner, arguments.host, arguments.port)
    await site.start()
    port = runner.addresses[0][1]
    host = "127.0.0.1" if arguments.host in {"0.0.0.0", "::"} else arguments.host  # noqa: S104 - compared, not bound
    workspace.base_url = f"http://{host}:{port}"
    print(f"localslack {workspace.base_url}", flush=True)
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    await stopped.wait()
    await runner.cleanup()


def main() -> int:
    """Run; a bad scene or an unusable address or directory is one sentence and exit status 2."""
    arguments = parse_arguments()
    if arguments.verbose:
        logging.basicConfig(level=logging.INFO)
    try:
        asyncio.run(run(arguments))
    except (OSError, ValidationError) as error:
        print(f"localslack cannot start: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
