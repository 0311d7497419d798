"""What the runtime asks of Slack beside a thread, in whichever workspace the session or the operators are."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.delivery.operators import words
from bot.oauth.tenants import Side, Tenants
from runtime.alerts import Alert
from runtime.policy.directory import Group
from runtime.session.ids import SessionKey
from runtime.store.errors import StoreError
from tools.context import Said
from tools.errors import ToolRefused

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantDirectory:
    """Implements the runtime's `Directory`: the user groups of a session's workspace."""

    tenants: Tenants
    session_id: str

    async def side(self) -> Side | None:
        """The workspace; None where it cannot be spoken to."""
        return await self.tenants.side(SessionKey.parse(self.session_id).team)

    async def groups_of(self, user: str) -> frozenset[str] | None:
        """As the workspace says; None where that cannot be known now."""
        side = await self.side()
        return await side.directory.groups_of(user) if side is not None else None

    async def groups(self, handles: Sequence[str]) -> Mapping[str, Group]:
        """As the workspace says."""
        side = await self.side()
        return await side.directory.groups(handles) if side is not None else {}


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantReading:
    """Implements `Conversations`: what a person may read of a session's workspace."""

    tenants: Tenants
    session_id: str
    person: str

    async def read(self, channel: str, thread_ts: str, limit: int) -> Sequence[Said]:
        """As the workspace's own side does.

        Raises:
            ToolInputError: there is no such place.
            ToolRefused: the person may not see it, or the workspace cannot be spoken to.
        """
        side = await self.tenants.side(SessionKey.parse(self.session_id).team)
        if side is None:
            raise ToolRefused("This workspace cannot be spoken to now.")
        return await side.reading(self.session_id, self.person).read(channel, thread_ts, limit)


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantOperators:
    """Implements the runtime's `Operators`: a channel of one workspace among several, and always the log."""

    tenants: Tenants
    place: str
    """`TEAM:CHANNEL`; a channel alone is in no workspace in particular, so then only the log is written."""

    async def tell(self, alert: Alert, about: Mapping[str, str]) -> None:
        """Post one message. Never raises."""
        team, _, _ = self.place.rpartition(":")
        try:
            side = await self.tenants.side(team) if team else None
        except StoreError as error:
            log.warning("slack.operators_channel %s: %s", self.place, error)
            side = None
        if side is not None:
            await side.operators.tell(alert, about)
            return
        log.warning("%s", words(alert, about))
        if self.place:
            log.warning("slack.operators_channel is %r; with several workspaces write TEAM:CHANNEL.", self.place)
