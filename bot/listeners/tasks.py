"""Small jobs beside a listener, held and bounded: Bolt's own are weakly referenced and their errors vanish."""

import asyncio
import logging
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any

from bot.delivery.errors import DeliveryError

log = logging.getLogger(__name__)

OF_BOLT = ("run_ack_function_asynchronously", "run_message_listeners")
"""How Slack's libraries call what they start as bare tasks: a listener, and a message of the socket."""
MOMENT = 5.0
"""Seconds that these have at the end."""


@dataclass(slots=True)
class Tasks:
    """Best-effort jobs such as a reaction; what fails is logged and nothing more."""

    running: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])

    def spawn(self, job: Coroutine[Any, Any, object], what: str) -> None:
        """Start one."""
        task = asyncio.create_task(self.guarded(job, what), name=what)
        self.running.add(task)
        task.add_done_callback(self.running.discard)

    async def guarded(self, job: Coroutine[Any, Any, object], what: str) -> None:
        """Run it; a refusal of Slack is worth a line, not an error."""
        try:
            await job
        except DeliveryError as error:
            log.info("%s: %s", what, error)

    async def aclose(self) -> None:
        """Give running jobs a moment, then cancel them."""
        if self.running:
            await asyncio.wait(self.running, timeout=2)
        for task in self.running:
            task.cancel()
        await asyncio.gather(*self.running, return_exceptions=True)


async def listeners_done() -> None:
    """Wait for listeners under way, then cancel them: nobody else does, and the store is closed next."""
    mine = asyncio.current_task()
    running = {task for task in asyncio.all_tasks() if task is not mine and is_of_bolt(task)}
    if not running:
        return
    _, late = await asyncio.wait(running, timeout=MOMENT)
    for task in late:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)


def is_of_bolt(task: asyncio.Task[Any]) -> bool:
    """Whether one of Slack's libraries started it for a message."""
    name = str(getattr(task.get_coro(), "__qualname__", ""))
    return any(name.endswith(known) for known in OF_BOLT)
