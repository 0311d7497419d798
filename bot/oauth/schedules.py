"""Scheduled work of several workspaces: each schedule goes to the side of its own."""

from dataclasses import dataclass

from bot.delivery.scheduled import ScheduledPlaces
from bot.oauth.tenants import Tenants
from runtime.schedule.firing import NotNow, Opened
from runtime.schedule.records import Schedule


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantPlaces:
    """Implements the runtime's `Places` for all workspaces that have installed the app."""

    tenants: Tenants

    async def of(self, team: str) -> ScheduledPlaces:
        """One workspace's places.

        Raises:
            NotNow: it cannot be spoken to.
        """
        side = await self.tenants.side(team)
        if side is None:
            raise NotNow(f"workspace {team} cannot be spoken to")
        return side.places

    async def refusal(self, schedule: Schedule) -> str:
        """As its workspace says."""
        return await (await self.of(schedule.team)).refusal(schedule)

    async def open(self, schedule: Schedule, at_ms: int) -> Opened:
        """In its workspace."""
        return await (await self.of(schedule.team)).open(schedule, at_ms)

    async def tell_paused(self, schedule: Schedule) -> None:
        """In its workspace; where that is gone nobody can be told."""
        side = await self.tenants.side(schedule.team)
        if side is not None:
            await side.places.tell_paused(schedule)

    async def zone_of(self, team: str, user: str) -> str:
        """As Slack has it in the person's workspace."""
        side = await self.tenants.side(team)
        return await side.places.zone_of(team, user) if side is not None else ""
