"""The status of a thread's agent session: working, waiting for a person, idle, done.

One writer per session, one call at a time: a status that was asked for earlier never arrives after a later one.
"""

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final, Literal

from bot import texts_surface
from bot.delivery.calls import call
from bot.delivery.errors import DeliveryError, NotNow, NotOurs, Refused
from bot.delivery.slack_api import SlackApi
from bot.render.limits import SESSION_TITLE, clipped
from runtime.session.ids import SessionKey
from runtime.session.state import AgentState, SessionState
from runtime.store.errors import StoreError

log = logging.getLogger(__name__)

Status = Literal["processing", "suspended", "active", "closed"]
METHOD: Final = "agents.sessions.setStatus"
PLACE_ERRORS: Final = frozenset(
    {"channel_not_found", "not_in_channel", "thread_not_found", "invalid_thread_ts", "is_archived", "message_not_found"}
)
"""Refusals that say something of the thread and nothing of the method."""
SPARE: Final = 24
"""Calls a minute that are kept for the end of runs: a status that stays at "working" would be a lie."""
AGAIN: Final = {"sessions": 3_000.0, "threads": 80.0, "none": 3_000.0}
"""Seconds until a status at work is said again; Slack drops it after an hour, the older kind after two minutes."""
SOON: Final = 3.0
"""Seconds between a status and its repetition after a message of ours, which may have taken it away."""
UNSURE: Final = 1.0
"""Seconds after which a status is repeated whose predecessor may still be under way."""
GRACE: Final = 5.0


def status_of(state: SessionState) -> Status | None:
    """What the thread's status should be; None while nothing has begun."""
    run = state.run
    if run is None:
        return None
    if run.is_active:
        return "suspended" if run.state is AgentState.WAITING else "processing"
    return "closed" if state.parked else "active"


def title_of(state: SessionState) -> str:
    """The session's name: the plan's, else the first words of the request."""
    run = state.run
    if run is not None and run.plan is not None and run.plan.title.strip():
        return clipped(run.plan.title.strip(), SESSION_TITLE)
    if not state.memory:
        return ""
    content: object = json.loads(state.memory[0]).get("content", "")
    said = str(content).rpartition(" says:\n")[2].strip()
    return clipped(said.split("\n")[0], 80)


@dataclass(slots=True)
class StatusWay:
    """How this installation takes a status; learnt from refusals, for all threads of the process."""

    way: Literal["sessions", "threads", "none"] = "sessions"

    def next(self) -> None:
        """The way is closed; take the older one, or none."""
        self.way = "threads" if self.way == "sessions" else "none"


@dataclass(slots=True, kw_only=True)
class StatusLine:
    """One thread's status for the time of one lease."""

    api: SlackApi
    key: SessionKey
    way: StatusWay
    is_titled: Callable[[SessionKey], Awaitable[bool]]
    """Whether a person named the thread; then it keeps its name."""
    state: SessionState | None = None
    posts: int = 0
    """How many messages were posted; each may have taken the status away."""
    was_active: bool = False
    """A run was under way when the lease began: whoever held it before may have shown something."""
    written: tuple[Status | None, int] = (None, 0)
    written_at: float = 0.0
    named: str = ""
    unsure: bool = False
    """A write failed without an answer, and may still arrive."""
    bell: asyncio.Event = field(default_factory=asyncio.Event)

    def show(self, state: SessionState, posts: int) -> None:
        """Say what it should be; it is written when its turn comes, and by then perhaps as something later."""
        self.state, self.posts = state, posts
        self.bell.set()

    @property
    def wanted(self) -> tuple[Status | None, int]:
        """The status and, at work, the message after which it was said: a message takes an older kind away."""
        status = status_of(self.state) if self.state else None
        return status, self.posts if status == "processing" else 0

    @contextlib.asynccontextmanager
    async def kept(self) -> AsyncGenerator[None]:
        """Keep it up beside the work. A write under way is waited for at the end, so that it cannot arrive late."""
        task = asyncio.create_task(self.keep(), name=f"status of {self.key}")
        try:
            yield
        finally:
            self.state = None
            self.bell.set()
            done, _ = await asyncio.wait({task}, timeout=GRACE)
            if not done:
                self.unsure = True
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)

    async def keep(self) -> None:
        """Write what is wanted, the newest only, until there is nothing to keep up."""
        due: float | None = None
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(due):
                    await self.bell.wait()
            self.bell.clear()
            state = self.state
            if state is None:
                return
            try:
                due = await self.pass_by(state)
            except NotOurs:
                return

    async def pass_by(self, state: SessionState) -> float | None:
        """Write it where it differs and there is room; seconds until it has to be looked at again."""
        wanted = self.wanted
        status, posts = wanted
        if status is None or self.way.way == "none":
            return None
        age = asyncio.get_running_loop().time() - self.written_at
        if status == self.written[0]:
            due = SOON if posts != self.written[1] else AGAIN[self.way.way]
            if status != "processing" or age < due:
                return due - age if status == "processing" else None
        room = await self.api.pace.room(METHOD, keep=SPARE if status == "processing" else 0)
        if room > 0:
            return max(room, 1.0)
        await self.write(state, wanted)
        return AGAIN[self.way.way]

    async def settle(self, state: SessionState) -> None:
        """The last word of this lease. What was never shown is not taken back."""
        self.state = state
        wanted = self.wanted
        is_known = wanted[0] == self.written[0] and not self.unsure
        never_shown = wanted[0] == "active" and self.written[0] is None and not self.was_active and not self.unsure
        if wanted[0] is None or self.way.way == "none" or is_known or never_shown:
            return
        repeat, self.unsure = self.unsure, False
        await self.write(state, wanted)
        if repeat:
            await asyncio.sleep(UNSURE)
            await self.write(state, wanted)

    async def write(self, state: SessionState, wanted: tuple[Status | None, int]) -> None:
        """One call. A status is worth no retry of the work: what fails is tried again with the next change."""
        status = wanted[0]
        if status is None:
            return
        try:
            await self.say(state, status)
        except NotNow as error:
            self.unsure = True
            log.info("status of %s: %s", self.key, error)
        except Refused as error:
            if str(error) in PLACE_ERRORS:
                self.written = wanted
                return
            log.info("status by way of %s is refused: %s", self.way.way, error)
            self.way.next()
            if self.way.way != "none":
                await self.write(state, wanted)
        except DeliveryError as error:
            log.info("status of %s: %s", self.key, error)
        else:
            self.written = wanted
            self.written_at = asyncio.get_running_loop().time()

    async def say(self, state: SessionState, status: Status) -> None:
        """By the current way, or the older one."""
        place = {"channel_id": self.key.channel, "thread_ts": self.key.thread_ts}
        client = self.api.client
        if self.way.way == "threads":
            line = texts_surface.STATUS_WORKING if status == "processing" else ""
            await call(client, "assistant_threads_setStatus", status=line, **place)
            return
        title = title_of(state)
        first = {"title": title} if title and not self.named else {}
        await call(client, "agents_sessions_setStatus", status=status, **place, **first)
        if title and self.named and title != self.named and not await self.keeps_its_name():
            await call(client, "agents_sessions_rename", title=title, **place)
        self.named = title or self.named

    async def keeps_its_name(self) -> bool:
        """Whether the thread is not to be renamed: a person named it, or nobody can say."""
        try:
            return await self.is_titled(self.key)
        except StoreError:
            return True
