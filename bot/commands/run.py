"""`python -m bot run "task"`: the same runtime in this terminal."""

import argparse
import asyncio
import contextlib
import logging
import secrets
import signal
import sys
from collections.abc import Sequence
from datetime import UTC, datetime

from bot.assembly import open_core, ticking
from bot.commands.start import Start, run_command
from bot.jobs import usual_jobs
from bot.terminal.conversation import PERSON, Screen, TerminalConversation
from bot.terminal.keyboard import keyboard
from bot.terminal.prompt import Prompt
from runtime.session.commands import Commands
from runtime.session.entries import MessageEntry, StopEntry
from runtime.session.events import RunOutcome
from runtime.session.ids import SessionKey
from runtime.session.stopping import FAR

DRAIN_SECONDS = 5


def main(arguments: Sequence[str]) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m bot run", description="One task in this terminal.")
    parser.add_argument("task", help="what is to be done")
    parser.add_argument("--thread", default="", help="continue an earlier thread by its name")
    options = parser.parse_args(arguments)
    return run_command(lambda start: run(start, options.task, options.thread), level=logging.WARNING)


def show_prompt(text: str) -> None:
    """Show it on the line that will be typed on."""
    print(text, end="", flush=True)


async def interrupt() -> None:
    """Return at the first Ctrl-C; a second one ends the command at once."""
    pressed = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGINT, pressed.set)
    try:
        await pressed.wait()
    finally:
        loop.remove_signal_handler(signal.SIGINT)


async def run(start: Start, task: str, thread: str) -> int:
    """Work on the task until it is done. Ctrl-C or the end of the input stops the run and says so."""
    key = SessionKey(team="terminal", channel="terminal", thread_ts=thread or secrets.token_hex(4))
    screen = Screen(write=lambda text: print(text, flush=True))
    async with contextlib.AsyncExitStack() as stack:
        core = await stack.enter_async_context(open_core(start))
        await stack.enter_async_context(ticking(core.store, usual_jobs(core)))
        commands = Commands(core.store)
        worker = core.worker(TerminalConversation(screen=screen))
        working = asyncio.create_task(worker.run(), name="worker")
        keys = await stack.enter_async_context(keyboard(sys.stdin.fileno(), show_prompt))
        prompt = asyncio.create_task(
            Prompt(screen=screen, commands=commands, key=key, ask=keys.ask, tools=core.house.tools).serve(),
            name="prompt",
        )
        print(f"thread: {key.thread_ts}", flush=True)
        ts = f"{datetime.now(UTC).timestamp():.6f}"
        await commands.submit(key, MessageEntry(entry_id=f"m:{ts}", ts=ts, user=PERSON, text=task, mentions_bot=True))
        finished = asyncio.create_task(screen.finished.wait(), name="finished")
        interrupted = asyncio.create_task(interrupt(), name="interrupted")
        try:
            await asyncio.wait({finished, prompt, working, interrupted}, return_when=asyncio.FIRST_COMPLETED)
            if not finished.done():
                await commands.stop(key, StopEntry(entry_id="stop:input", by=PERSON, before_ts=FAR, how="command"))
                await asyncio.wait({finished}, timeout=DRAIN_SECONDS)
        finally:
            for task_ in (prompt, finished, interrupted):
                task_.cancel()
            worker.stop()
            await asyncio.wait({working}, timeout=DRAIN_SECONDS)
            working.cancel()
            await asyncio.gather(working, prompt, finished, interrupted, return_exceptions=True)
    state = screen.state
    return 0 if state and state.run and state.run.outcome is RunOutcome.ANSWERED else 1
