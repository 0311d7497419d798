"""Where scheduled work happens in Slack: its thread, a new one in the channel, or one in a direct message."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from bot import texts_budget
from bot.delivery.calls import call
from bot.delivery.errors import DeliveryError
from bot.delivery.slack_api import operation, with_operation
from bot.listeners.access import Access
from bot.render import escape
from bot.render.blocks import section
from runtime.schedule.firing import NotNow
from runtime.schedule.records import Schedule
from runtime.session.ids import SessionKey

log = logging.getLogger(__name__)
DIRECT = "D"
"""What the id of a direct conversation begins with; rules about channels do not speak of those."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduledPlaces:
    """Implements the runtime's `Places`."""

    client: AsyncWebClient
    access: Access

    async def refusal(self, schedule: Schedule) -> str:
        """The gate that also stands in front of what people say, asked anew."""
        try:
            return await self.access.refusal(schedule.owner, DIRECT if schedule.target == "dm" else schedule.channel)
        except DeliveryError as error:
            raise NotNow(str(error)) from error

    async def open(self, schedule: Schedule, at_ms: int) -> SessionKey:
        """The thread of one occurrence; its first message carries the occurrence's id and is found again."""
        if schedule.target == "thread":
            return SessionKey(team=schedule.team, channel=schedule.channel, thread_ts=schedule.thread_ts)
        op = f"schedule:{schedule.id}:{at_ms}"
        try:
            channel = schedule.channel if schedule.target == "channel" else await self.direct(schedule.owner)
            ts = await self.find(channel, op) or await self.post(channel, op, schedule)
        except DeliveryError as error:
            raise NotNow(str(error)) from error
        return SessionKey(team=schedule.team, channel=channel, thread_ts=ts)

    async def direct(self, user: str) -> str:
        """The direct conversation with a person."""
        reply = await call(self.client, "conversations_open", users=user)
        return str(reply["channel"]["id"])

    async def find(self, channel: str, op: str) -> str:
        """The message that was posted for the occurrence; empty when none was."""
        reply = await call(self.client, "conversations_history", channel=channel, limit=100, include_all_metadata=True)
        messages: list[Mapping[str, Any]] = reply["messages"]
        return with_operation(messages, op)

    async def post(self, channel: str, op: str, schedule: Schedule) -> str:
        """The first message of a thread."""
        words = texts_budget.scheduled(schedule.owner, escape.within(schedule.prompt, 500))
        reply = await call(
            self.client,
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
        words = texts_budget.schedule_paused(escape.within(schedule.prompt, 500), schedule.why_paused)
        try:
            await call(self.client, "chat_postMessage", channel=await self.direct(schedule.owner), text=words)
        except DeliveryError as error:
            log.warning("owner of schedule %s not told that it is paused: %s", schedule.id, error)

    async def zone_of(self, user: str) -> str:
        """The person's time zone as Slack has it; empty when it does not say."""
        try:
            reply = await call(self.client, "users_info", user=user)
        except DeliveryError as error:
            log.info("users.info of %s: %s", user, error)
            return ""
        return str(reply["user"].get("tz") or "")
