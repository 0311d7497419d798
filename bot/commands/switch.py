"""`python -m bot pause` and `resume`: a kill switch that every replica obeys at once."""

import argparse
from collections.abc import Sequence
from datetime import UTC, datetime

from bot.assembly import open_store
from bot.commands.start import Start, run_command
from runtime.engine.switch import EVERYTHING, Pause


def parser(name: str, does: str) -> argparse.ArgumentParser:
    """What both commands take."""
    made = argparse.ArgumentParser(prog=f"python -m bot {name}", description=does)
    made.add_argument("--channel", default=EVERYTHING, help="only this channel, by its id; else everything")
    return made


def main(arguments: Sequence[str]) -> int:
    """Pause."""
    taking = parser("pause", "Stop all work now, in every process; nothing is lost, messages and clicks are kept.")
    taking.add_argument("--reason", default="", help="for those who look at `sessions` later")
    options = taking.parse_args(arguments)
    return run_command(lambda start: pause(start, options.channel, options.reason))


async def pause(start: Start, scope: str, reason: str) -> int:
    """Throw the switch."""
    note = Pause(since=datetime.now(UTC).isoformat(timespec="seconds"), reason=reason)
    async with open_store(start) as store:
        await store.pause(scope, note.model_dump_json())
    print(f"paused: {called(scope)}. `python -m bot resume{option(scope)}` goes on.")
    return 0


def resume_main(arguments: Sequence[str]) -> int:
    """Go on."""
    options = parser("resume", "Go on with what was paused.").parse_args(arguments)
    return run_command(lambda start: resume(start, options.channel))


async def resume(start: Start, scope: str) -> int:
    """Take the switch back; 1 when it was not thrown."""
    async with open_store(start) as store:
        was_paused = await store.resume(scope)
        left = await store.pauses()
    print(f"{'resumed' if was_paused else 'was not paused'}: {called(scope)}")
    for other in left:
        print(f"still paused: {called(other)}")
    return 0 if was_paused else 1


def called(scope: str) -> str:
    """What a scope is called."""
    return "everything" if scope == EVERYTHING else f"channel {scope}"


def option(scope: str) -> str:
    """How a scope is given on the command line."""
    return "" if scope == EVERYTHING else f" --channel {scope}"
