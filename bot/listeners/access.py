"""Who may start runs, and where: the gate in front of the inbox. Who may approve is policy's own gate."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from slack_sdk.web.async_client import AsyncWebClient

from bot import texts
from bot.delivery.calls import call
from runtime.settings import AccessSettings

Standing = Literal["member", "guest", "external", "bot"]
Refusal = Literal["", "person", "channel"]

REMEMBERED = 300.0
"""Seconds a person's standing is taken as known."""


def words_of(refusal: Refusal) -> str:
    """A refusal for the person it meets."""
    return texts.refused_channel() if refusal == "channel" else texts.refused_guest()


def standing_of(user: Mapping[str, Any], teams: frozenset[str]) -> Standing:
    """What Slack says a person is to the installing workspace; anything unclear counts as the lesser."""
    if user.get("is_bot") or user.get("id") == "USLACKBOT":
        return "bot"
    if user.get("is_stranger") or (user.get("team_id") and user["team_id"] not in teams):
        return "external"
    if user.get("is_restricted") or user.get("is_ultra_restricted") or user.get("deleted"):
        return "guest"
    return "member"


@dataclass(slots=True, kw_only=True)
class Access:
    """The gate, with what Slack said lately."""

    client: AsyncWebClient
    settings: AccessSettings
    teams: frozenset[str]
    """The installing workspace and, where there is one, its enterprise."""
    known: dict[str, tuple[float, Standing]] = field(default_factory=dict[str, tuple[float, Standing]])
    asking: dict[str, asyncio.Lock] = field(default_factory=dict[str, asyncio.Lock])
    """Of a burst of one person's messages, one asks and the others wait for what it learns."""

    async def refusal(self, user: str, channel: str) -> Refusal:
        """Why this person may not start runs in this channel; empty when they may.

        Raises:
            DeliveryError: Slack does not say who the person is; nobody is let in on a guess.
        """
        settings = self.settings
        is_direct = channel.startswith("D")
        if settings.channels is not None and not is_direct and channel not in settings.channels:
            return "channel"
        if user in settings.users:
            return ""
        standing = await self.standing(user)
        allowed = {"member": settings.members, "guest": settings.guests, "external": settings.external, "bot": False}
        return "" if allowed[standing] else "person"

    async def standing(self, user: str) -> Standing:
        """What the person is, asked of Slack at most every few minutes."""
        lock = self.asking.setdefault(user, asyncio.Lock())
        async with lock:
            at, standing = self.known.get(user, (-REMEMBERED, "external"))
            if time.monotonic() - at >= REMEMBERED:
                reply = await call(self.client, "users_info", user=user)
                standing = standing_of(reply["user"], self.teams)
                self.known[user] = (time.monotonic(), standing)
        self.asking.pop(user, None)
        return standing
