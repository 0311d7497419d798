"""Slack's own agent surface: suggested prompts, and what a person was looking at when they wrote."""

import json
import logging
from collections.abc import Awaitable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final, cast

from slack_sdk.web.async_client import AsyncWebClient

from bot import texts_surface
from bot.delivery.calls import call
from bot.delivery.errors import DeliveryError
from runtime.store.connection import translated
from runtime.store.redis_store import SessionStore

log = logging.getLogger(__name__)

KEPT: Final = timedelta(hours=1)
"""How long what somebody looked at may still be what they mean."""
KINDS: Final[Mapping[str, str]] = {
    "slack#/types/channel_id": "channel",
    "slack#/types/canvas_id": "canvas",
    "slack#/types/list_id": "list",
    "slack#/types/message_context": "message",
}
ENTITIES: Final = 5


def entities(event: Mapping[str, Any]) -> Iterator[str]:
    """What the event says is open, in words."""
    context: Mapping[str, Any] = event.get("context") or {}
    given: list[Mapping[str, Any]] = context.get("entities") or []
    for entity in given[:ENTITIES]:
        kind = KINDS.get(str(entity.get("type", "")))
        value: object = entity.get("value") or ""
        shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        if kind and shown:
            yield f"{kind} {shown[:200]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class LookedAt:
    """Remembers, for an hour and for all replicas, what each person had open."""

    store: SessionStore
    team: str

    def key(self, user: str) -> str:
        """The Redis key."""
        return f"{self.store.keys.namespace}:looked-at:{self.team}:{user}"

    async def remember(self, user: str, seen: str) -> None:
        """Keep it; nothing seen forgets."""
        commands = self.store.clients.commands
        with translated(self.store.clients.shown_url):
            if seen:
                await cast("Awaitable[object]", commands.set(self.key(user), seen, ex=int(KEPT.total_seconds())))
            else:
                await cast("Awaitable[object]", commands.delete(self.key(user)))

    async def of(self, user: str) -> str:
        """What the person had open lately; empty when that is not known."""
        with translated(self.store.clients.shown_url):
            found = await cast("Awaitable[bytes | None]", self.store.clients.commands.get(self.key(user)))
        return (found or b"").decode()


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentView:
    """The listeners of the surface."""

    client: AsyncWebClient
    looked_at: LookedAt

    async def opened(self, event: dict[str, Any]) -> None:
        """The Messages tab, or the pane of an older installation."""
        thread: Mapping[str, Any] = event.get("assistant_thread") or {}
        if event.get("type") == "app_home_opened" and event.get("tab") != "messages":
            return
        channel = str(event.get("channel") or thread.get("channel_id") or "")
        place = {"thread_ts": str(thread["thread_ts"])} if thread.get("thread_ts") else {}
        prompts = [{"title": title, "message": message} for title, message in texts_surface.PROMPTS]
        try:
            await call(
                self.client,
                "assistant_threads_setSuggestedPrompts",
                channel_id=channel,
                title=texts_surface.ASSISTANT_PROMPTS,
                prompts=prompts,
                **place,
            )
        except DeliveryError as error:
            log.info("suggested prompts in %s: %s", channel, error)

    async def context_changed(self, event: dict[str, Any]) -> None:
        """Somebody turned to another channel, canvas, list or message."""
        thread: Mapping[str, Any] = event.get("assistant_thread") or {}
        older: Mapping[str, Any] = thread.get("context") or {}
        user = str(event.get("user") or thread.get("user_id") or "")
        seen = "; ".join(entities(event)) or (f"channel {older['channel_id']}" if older.get("channel_id") else "")
        if user:
            await self.looked_at.remember(user, seen)
