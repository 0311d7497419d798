"""Where scheduled work happens in Slack: its thread, a new one in the channel, or one in a direct message."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot import texts_schedule
from bot.delivery.calls import call
from bot.delivery.errors import DeliveryError, Refused
from bot.delivery.slack_api import SlackApi, operation, with_operation
from bot.listeners.access import Access
from bot.render import escape
from bot.render.blocks import section
from bot.render.content import Content
from runtime.schedule.firing import NotNow, Opened, PlaceGone
from runtime.schedule.records import Schedule
from runtime.session.ids import SessionKey

log = logging.getLogger(__name__)
DIRECT = "D"
"""What the id of a direct conversation begins with; rules about channels do not speak of those."""
GONE = frozenset({"channel_not_found", "is_archived", "not_in_channel", "thread_not_found", "user_not_found"})
"""Slack's codes for a place that will not come back by itself."""


def trouble(error: DeliveryError) -> NotNow | PlaceGone:
    """What a refusal means for the schedule: a place that is gone, or another time."""
    return PlaceGone(str(error)) if isinstance(error, Refused) and str(error) in GONE else NotNow(str(error))


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduledPlaces:
    """Implements the runtime's `Places` for one workspace."""

    api: SlackApi
    access: Access

    async def refusal(self, schedule: Schedule) -> str:
        """The gate that also stands in front of what people say; Slack is asked anew who the owner is."""
        self.access.known.pop(schedule.owner, None)
        try:
            return await self.access.refusal(schedule.owner, DIRECT if schedule.target == "dm" else schedule.channel)
        except DeliveryError as error:
            raise NotNow(str(error)) from error

    async def open(self, schedule: Schedule, at_ms: int) -> Opened:
        """The thread of one occurrence; its first message carries the occurrence's id and is found again."""
        op = f"schedule:{schedule.id}:{at_ms}"
        words = texts_schedule.scheduled(schedule.owner, escape.within(schedule.prompt, 500))
        try:
            if schedule.target == "thread":
                key = SessionKey(team=schedule.team, channel=schedule.channel, thread_ts=schedule.thread_ts)
                said = Content(text=words, blocks=(section(words),))
                return Opened(key, await self.api.find(key, op) or await self.api.post(key, op, said))
            channel = schedule.channel if schedule.target == "channel" else await self.direct(schedule.owner)
            ts = await self.find(channel, op) or await self.post(channel, op, words)
        except DeliveryError as error:
            raise trouble(error) from error
        return Opened(SessionKey(team=schedule.team, channel=channel, thread_ts=ts), ts)

    async def direct(self, user: str) -> str:
        """The direct conversation with a person."""
        reply = await call(self.api.client, "conversations_open", users=user)
        return str(reply["channel"]["id"])

    async def find(self, channel: str, op: str) -> str:
        """The message that was posted for the occurrence; empty when none was."""
        where = {"channel": channel, "limit": 100, "include_all_metadata": True}
        reply = await call(self.api.client, "conversations_history", **where)
        messages: list[Mapping[str, Any]] = reply["messages"]
        return with_operation(messages, op)

    async def post(self, channel: str, op: str, words: str) -> str:
        """The first message of a thread."""
        reply = await call(
            self.api.client,
            "chat_postMessage",
            channel=channel,
            text=words,
            blocks=[section(words)],
            metadata=operation(op),
            unfurl_links=False,
            unfurl_media=False,
        )
        return str(reply["ts"])

    async def tell_paused(self, schedule: Schedule) -> None:
        """A direct message to the owner."""
        words = texts_schedule.paused(escape.within(schedule.prompt, 500), schedule.why_paused, schedule.id)
        try:
            await call(self.api.client, "chat_postMessage", channel=await self.direct(schedule.owner), text=words)
        except DeliveryError as error:
            log.warning("owner of schedule %s not told that it is paused: %s", schedule.id, error)

    async def zone_of(self, _team: str, user: str) -> str:
        """The person's time zone as Slack has it; empty when it does not say."""
        try:
            reply = await call(self.api.client, "users_info", user=user)
        except DeliveryError as error:
            log.info("users.info of %s: %s", user, error)
            return ""
        return str(reply["user"].get("tz") or "")
