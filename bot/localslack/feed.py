"""Live updates for the pages: each open page is a queue of what its person may see."""

import asyncio
import contextlib
from collections.abc import Iterable

from bot.localslack.values import JsonObject

LARGEST_BACKLOG = 5_000


class Feed:
    """The open pages. A page that stops reading is cut off at a backlog and reconnects by itself."""

    def __init__(self) -> None:
        self.pages: dict[asyncio.Queue[JsonObject | None], str] = {}
        self.changes = 0
        """How many updates there were."""
        self.changed = asyncio.Event()

    def open(self, user: str) -> asyncio.Queue[JsonObject | None]:
        """A queue for a page of this person; None in it means: close."""
        queue: asyncio.Queue[JsonObject | None] = asyncio.Queue()
        self.pages[queue] = user
        return queue

    def close(self, queue: asyncio.Queue[JsonObject | None]) -> None:
        """Forget a page."""
        self.pages.pop(queue, None)

    def publish(self, update: JsonObject, users: Iterable[str] | None = None) -> None:
        """Send an update to the pages of some people, or to everybody."""
        self.changes += 1
        self.changed.set()
        chosen = None if users is None else set(users)
        for queue, user in list(self.pages.items()):
            if chosen is not None and user not in chosen:
                continue
            if queue.qsize() >= LARGEST_BACKLOG:
                self.close(queue)
                queue.put_nowait(None)
                continue
            queue.put_nowait(update)

    async def news(self, since: int, seconds: float) -> None:
        """Return once there were more updates than `since`, or when the time is over."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self.changes <= since:
                    self.changed.clear()
                    await self.changed.wait()

    def close_all(self) -> None:
        """Tell every page to close, at shutdown."""
        self.changes += 1
        self.changed.set()
        for queue in list(self.pages):
            queue.put_nowait(None)
        self.pages.clear()
