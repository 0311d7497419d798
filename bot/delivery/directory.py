"""Slack's user groups, as policy asks for them. What Slack does not say counts against the call."""

import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from bot.delivery.calls import call
from bot.delivery.errors import DeliveryError
from runtime.policy.directory import Group

log = logging.getLogger(__name__)

REMEMBERED = 60.0
"""Seconds that a list of groups is taken as known."""


@dataclass(slots=True)
class SlackDirectory:
    """User groups by handle, asked of Slack at most once a minute."""

    client: AsyncWebClient
    known: Mapping[str, Group] = field(default_factory=dict[str, Group])
    at: float = -REMEMBERED

    async def all(self) -> Mapping[str, Group]:
        """Every group that is in use.

        Raises:
            DeliveryError: Slack does not say.
        """
        now = time.monotonic()
        if now - self.at >= REMEMBERED:
            listed = await call(self.client, "usergroups_list", include_users=True)
            groups: list[dict[str, Any]] = listed["usergroups"]
            self.known = {
                f"@{group['handle']}": Group(group_id=str(group["id"]), members=tuple(map(str, group.get("users", ()))))
                for group in groups
                if not group.get("date_delete")
            }
            self.at = now
        return self.known

    async def groups_of(self, user: str) -> frozenset[str] | None:
        """The handles of a person's groups; None while Slack does not say."""
        try:
            groups = await self.all()
        except DeliveryError as error:
            log.warning("usergroups.list: %s; nobody is known to be in a group", error)
            return None
        return frozenset(handle for handle, group in groups.items() if user in group.members)

    async def groups(self, handles: Sequence[str]) -> Mapping[str, Group]:
        """The groups of these handles; what is not known is left out."""
        try:
            groups = await self.all()
        except DeliveryError as error:
            log.warning("usergroups.list: %s; groups are shown by name", error)
            return {}
        return {handle: groups[handle] for handle in handles if handle in groups}
