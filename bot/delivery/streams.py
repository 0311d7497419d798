"""The plan as a stream: steps tick live in Slack's own way. One writer per stream, and always a way back.

A stream is a slot: Slack starts about twenty a minute and seals each after some five minutes. One is taken for the
plan message where somebody watches, in direct messages; everywhere else, and whenever a stream fails or gets old, the
same message goes on by `chat.update`. The content of the message is the same either way, so nothing is lost or told
twice.
"""

import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from bot.delivery.calls import call
from bot.delivery.errors import DeliveryError, NotNow, Refused, TooBig
from bot.delivery.outbox import Post
from bot.delivery.slack_api import SlackApi
from bot.render.limits import CHUNK_FIELD, Block, clipped
from runtime.session.ids import SessionKey

log = logging.getLogger(__name__)

LIVES: Final = 240.0
"""Seconds after which a stream is left; Slack seals one after about 306 (measured by others), appends or not."""
SPARE_STREAMS: Final = 6
"""Stops take from a bucket of the same size."""
SEALED: Final = frozenset({"message_not_in_streaming_state", "stopped_by_user", "message_not_found"})
"""The stream is over; the message stays and can be updated."""
STILL_OPEN: Final = "streaming_state_conflict"


@dataclass(slots=True, kw_only=True)
class Stream:
    """A stream that this lease has open."""

    ts: str
    opened_at: float
    tasks: dict[str, tuple[str, str, str]] = field(default_factory=dict[str, tuple[str, str, str]])
    """Task id -> title, status and details as Slack has them."""
    title: str = ""


def is_streamed(item: Post, key: SessionKey) -> bool:
    """Whether somebody watches it change: the plan of a run in a direct message."""
    return item.op.startswith("plan:") and key.channel.startswith("D") and not item.final


def plan_of(blocks: tuple[Block, ...]) -> Block | None:
    """The plan block of a message."""
    return next((block for block in blocks if block["type"] == "plan"), None)


def plain(rich: Mapping[str, Any] | None) -> str:
    """The words of a rich_text block of ours."""
    if not rich:
        return ""
    return "".join(part["text"] for section in rich["elements"] for part in section["elements"])


def head_of(item: Post) -> str:
    """The id of a stream's first task, by which it is found again: streams take no metadata."""
    return item.op


def chunks(item: Post, stream: Stream) -> Iterator[dict[str, Any]]:
    """What changed since the last chunk. Details are only ever appended by Slack, so a changed note is left out."""
    words = next((block["text"]["text"] for block in item.content.blocks if block["type"] == "section"), "")
    plan = plan_of(item.content.blocks)
    title = clipped(str(plan["title"]) if plan else item.content.text or "-", CHUNK_FIELD)
    if title != stream.title:
        stream.title = title
        yield {"type": "plan_update", "title": title}
    status = "in_progress"
    tasks: list[tuple[str, tuple[str, str, str]]] = [(head_of(item), (clipped(words, CHUNK_FIELD) or "-", status, ""))]
    for card in plan["tasks"] if plan else ():
        details = clipped(plain(card.get("details")), CHUNK_FIELD)
        tasks.append((str(card["task_id"]), (clipped(str(card["title"]), CHUNK_FIELD), str(card["status"]), details)))
    for identity, (name, state, details) in tasks:
        known = stream.tasks.get(identity)
        if known is not None and known[:2] == (name, state):
            continue
        stream.tasks[identity] = (name, state, details)
        chunk = {"type": "task_update", "id": identity, "title": name, "status": state}
        yield {**chunk, "details": details} if known is None and details else chunk


@dataclass(slots=True, kw_only=True)
class Streams:
    """The streams of one session under one lease. Its poster is the only writer."""

    api: SlackApi
    key: SessionKey
    status: Callable[[], str]
    """What the session's status should be: the end of a stream sets it."""
    started: bool = False
    """One was opened, which set the session's status by itself."""
    open: dict[str, Stream] = field(default_factory=dict[str, Stream])

    async def start(self, item: Post, watcher: str, now: float) -> str:
        """Open a stream for a message where a slot is free; its `ts`, or an empty text: then it is posted plainly.

        Raises:
            NotNow: Slack may or may not have opened it.
        """
        if not is_streamed(item, self.key) or await self.api.pace.room("chat.startStream", keep=SPARE_STREAMS) > 0:
            return ""
        stream = Stream(ts="", opened_at=now)
        try:
            reply = await call(
                self.api.client,
                "chat_startStream",
                channel=self.key.channel,
                thread_ts=self.key.thread_ts,
                recipient_user_id=watcher,
                recipient_team_id=self.key.team,
                task_display_mode="plan",
                chunks=list(chunks(item, stream)),
            )
        except (Refused, TooBig) as error:
            # Slack refuses it here, or in this form.
            log.info("no stream in %s: %s", self.key, error)
            return ""
        self.started = True
        stream.ts = str(reply["ts"])
        self.open[item.op] = stream
        return stream.ts

    async def append(self, item: Post, now: float) -> bool:
        """Bring an open stream up to date; False when the message goes on by an update."""
        stream = self.open.get(item.op)
        if stream is None:
            return False
        if item.final or now - stream.opened_at > LIVES:
            await self.leave(item.op)
            return False
        fresh = list(chunks(item, stream))
        if not fresh:
            return True
        try:
            await call(self.api.client, "chat_appendStream", channel=self.key.channel, ts=stream.ts, chunks=fresh)
        except (Refused, TooBig) as error:
            log.info("stream of %s ended: %s", item.op, error)
            if str(error) not in SEALED:
                await self.leave(item.op)
            self.open.pop(item.op, None)
            return False
        except NotNow:
            # Nobody knows whether it arrived; the update that follows says the same.
            await self.leave(item.op)
            return False
        return True

    async def leave(self, op: str) -> None:
        """End a stream; the message stays. What is over already is fine."""
        stream = self.open.pop(op, None)
        if stream is not None:
            await self.stop(stream.ts)

    async def stop(self, ts: str) -> None:
        """End whatever streams at a message."""
        try:
            await call(
                self.api.client, "chat_stopStream", channel=self.key.channel, ts=ts, session_status=self.status()
            )
        except DeliveryError as error:
            log.info("stopStream: %s", error)
