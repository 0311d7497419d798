"""A reaction that starts a run on the message it stands on. A reaction that stops one is among the changes."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from bot import texts, texts_surface
from bot.delivery.calls import call
from bot.delivery.errors import DeliveryError
from bot.listeners.access import Access
from bot.listeners.fairness import Fairness
from bot.render.limits import EYES
from runtime.session.commands import Commands
from runtime.session.entries import MessageEntry
from runtime.session.ids import SessionKey

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReactionWay:
    """Starts runs by reaction."""

    client: AsyncWebClient
    commands: Commands
    access: Access
    fairness: Fairness
    bot_user: str
    reaction: str
    """Its name without colons; empty switches it off."""

    def is_start(self, event: Mapping[str, Any]) -> bool:
        """Whether this is the reaction, on a message, by a person."""
        item: Mapping[str, Any] = event.get("item") or {}
        is_ours = event.get("user") in {None, "", self.bot_user}
        name = str(event.get("reaction", "")).partition("::")[0]
        return bool(self.reaction) and name == self.reaction and item.get("type") == "message" and not is_ours

    async def take(self, event: Mapping[str, Any], team: str) -> None:
        """Record the request in the message's thread. Once a person and message, however often it is delivered.

        Raises:
            StoreError: it could not be recorded, so Slack shall deliver it again.
            DeliveryError: the message could not be looked up.
        """
        if not self.is_start(event):
            return
        user, channel, ts = str(event["user"]), str(event["item"]["channel"]), str(event["item"]["ts"])
        if await self.access.refusal(user, channel):
            return
        found = await call(self.client, "conversations_replies", channel=channel, ts=ts, limit=1)
        messages: list[Mapping[str, Any]] = found["messages"]
        if not messages or messages[0].get("user") == self.bot_user:
            return
        key = SessionKey(team=team, channel=channel, thread_ts=str(messages[0].get("thread_ts") or ts))
        entry = MessageEntry(
            entry_id=f"react:{ts}:{user}",
            ts=str(event["event_ts"]),
            user=user,
            text=texts_surface.BY_REACTION,
            mentions_bot=True,
        )
        if words := await self.fairness.too_often(key, user, entry.entry_id):
            await self.tell(key, user, words)
            return
        pushed = await self.commands.submit(key, entry)
        if pushed == "full":
            await self.tell(key, user, texts.BUSY)
        elif pushed == "ok":
            try:
                await call(self.client, "reactions_add", channel=channel, timestamp=ts, name=EYES)
            except DeliveryError as error:
                log.info("reaction on %s: %s", ts, error)

    async def tell(self, key: SessionKey, user: str, words: str) -> None:
        """Say privately why nothing was started."""
        try:
            await call(self.client, "chat_postEphemeral", channel=key.channel, user=user, text=words)
        except DeliveryError as error:
            log.info("notice to %s: %s", user, error)
