"""`python -m bot demo`: local Slack in the browser with the bot in it; `--check` drives one journey and prints JSON."""

import argparse
import asyncio
import os
import signal
import sys
import webbrowser
from collections.abc import Sequence

from bot.demo.check import Report, check
from bot.demo.child import Child
from bot.demo.environment import has_browser, own_environment
from bot.demo.parts import Demo, Options, Progress, running
from bot.demo.places import DemoError, Places, alone, data_directory, temporary_places

PAUSE_MS = 350
"""Before each reply of the scripted model, so that people can follow."""
CHECK_SECONDS = 420.0
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
LOG_TAIL = 40


def main(argv: Sequence[str]) -> int:
    """Run the demo until it is ended, or the check to its verdict. Returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m bot demo", description=__doc__)
    parser.add_argument("--check", action="store_true", help="drive one journey without a browser and print JSON")
    parser.add_argument("--fresh", action="store_true", help="forget earlier demos first")
    parser.add_argument("--port", type=int, default=0, help="of the page; 0 takes a free one")
    parser.add_argument("--no-browser", action="store_true", help="only print the address")
    options = parser.parse_args(argv)
    try:
        if options.check:
            return asyncio.run(checked(options.port))
        return asyncio.run(shown(options.port, fresh=options.fresh, browser=not options.no_browser))
    except DemoError as error:
        sys.stderr.write(f"{error}\n")
        return 1


def ended_by_signal() -> asyncio.Event:
    """Set once the process is asked to end."""
    ended = asyncio.Event()
    for number in SIGNALS:
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    return ended


async def shown(port: int, *, fresh: bool, browser: bool) -> int:
    """Run until told to end."""
    environ = own_environment()
    places = Places(data=data_directory(environ))
    ended = ended_by_signal()
    progress = Progress(sys.stdout)
    if fresh:
        places.prepare()
        with alone(places):
            places.forget()
    options = Options(environ=environ, port=port, pause_ms=PAUSE_MS)
    work = asyncio.create_task(show(places, options, progress, browser=browser))
    stop = asyncio.create_task(ended.wait())
    await asyncio.wait({work, stop}, return_when=asyncio.FIRST_COMPLETED)
    stop.cancel()
    if not work.done():
        progress("ending")
        work.cancel()
    try:
        await work
    except asyncio.CancelledError:
        progress("ended; python -m bot init sets up your own Slack workspace")
    return 0


async def show(places: Places, options: Options, progress: Progress, *, browser: bool) -> None:
    """Start everything, say where the page is, and watch the processes until cancelled."""
    async with running(places, options, progress) as demo:
        progress(f"ready; logs in {places.logs}; Ctrl-C ends it")
        sys.stdout.write(f"\n  {demo.page}\n\n")
        sys.stdout.flush()
        if browser and has_browser(options.environ):
            await asyncio.to_thread(webbrowser.open, demo.page)
        await asyncio.gather(*(watch(child, demo, progress) for child in demo.children))


async def watch(child: Child, demo: Demo, progress: Progress) -> None:
    """Say when a process ends that nobody ended; the page itself ending ends the demo.

    Raises:
        DemoError: the page's process ended.
    """
    told: object = None
    while True:
        process = child.process
        unwanted = process is not None and process.returncode is not None and demo.control.wanted
        if unwanted and process is not told:
            told = process
            last = child.printed().strip().rpartition("\n")[2][:300]
            if child.name == "localslack":
                raise DemoError(f"The local Slack ended: {last}")
            progress(f"the {child.name} ended by itself: {last} (log: {child.log}); Start bot on the page starts it")
        await asyncio.sleep(0.5)


async def checked(port: int) -> int:
    """Run the check on a data directory of its own; progress goes to stderr, the report to stdout."""
    environ = own_environment()
    progress = Progress(sys.stderr)
    ended = ended_by_signal()
    with temporary_places() as places:
        work = asyncio.create_task(check_in(places, Options(environ=environ, port=port), progress))
        stop = asyncio.create_task(ended.wait())
        await asyncio.wait({work, stop}, return_when=asyncio.FIRST_COMPLETED, timeout=CHECK_SECONDS)
        stop.cancel()
        if not work.done():
            work.cancel()
        try:
            report = await work
        except asyncio.CancelledError:
            raise DemoError("The check was ended before its verdict.") from None
    sys.stdout.write(report.model_dump_json(indent=2) + "\n")
    return os.EX_OK if report.passed else 1


async def check_in(places: Places, options: Options, progress: Progress) -> Report:
    """Start everything, drive the journey, end everything; after a miss the bot's last lines go to stderr."""
    async with running(places, options, progress) as demo:
        report = await check(demo)
        progress(f"verdict: {report.verdict}")
        if not report.passed:
            tail = demo.bot.printed().splitlines()[-LOG_TAIL:]
            sys.stderr.write("\n".join(["the bot's last lines:", *tail, ""]))
    return report
