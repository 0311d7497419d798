"""A worker in a process of its own, to be killed and paused: prints a line as JSON for what happens in it.

The last payload in the journal decides what its step does: "hang" waits for ever, "gate" waits for a line of input
and then writes to the journal, "die" kills the process.
"""

import asyncio
import contextlib
import json
import os
import signal
import sys
from datetime import timedelta

from runtime.engine.port import RunOutcome
from runtime.store.errors import LeaseLost
from runtime.store.redis_store import SessionStore
from tests.engine.journalling import JournallingRunner, Turn, at_work, noted


def tell(**what: object) -> None:
    """Say one thing to the test."""
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


async def step(turn: Turn) -> RunOutcome:
    """Take in, then do what the journal's last event says."""
    taken = await turn.take_in()
    last = (await noted(turn.store, turn.lease.sid))[-1]
    # Nothing is awaited between this and the gate, so that a test knows where it froze the process.
    tell(began=turn.lease.sid, token=turn.lease.token, taken=taken)
    match last:
        case "hang":
            await asyncio.Event().wait()
        case "die":
            os.kill(os.getpid(), signal.SIGKILL)
        case "gate":
            # In this thread, so that nothing else of the process runs until the line comes.
            sys.stdin.readline()
            late = asyncio.create_task(turn.note("late"))
            # The keeper may cancel this step before the server has answered; the answer is what the test is about.
            while not late.done():
                with contextlib.suppress(asyncio.CancelledError):
                    await asyncio.wait({late})
            tell(refused=isinstance(late.exception(), LeaseLost))
        case _:
            pass
    return RunOutcome(again=False)


async def main(url: str, name: str, ttl_ms: int) -> None:
    """Work until SIGTERM."""
    store = await SessionStore.open(url)
    async with at_work(
        JournallingRunner(store=store, name=name, step=step), ttl=timedelta(milliseconds=ttl_ms)
    ) as worker:
        ended = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
        tell(ready=name)
        await ended.wait()
        worker.stop()
    await store.aclose()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
