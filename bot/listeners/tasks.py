"""Small jobs beside a listener, held and bounded: Bolt's own are weakly referenced and their errors vanish."""

import asyncio
import logging
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any

from bot.delivery.errors import DeliveryError

log = logging.getLogger(__name__)


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
