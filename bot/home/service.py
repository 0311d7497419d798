"""What App Home and `/handrail` ask for: one person's overview, usage, settings, deletion."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bot import texts_surface
from bot.home import cards, schedules
from bot.home.forgetting import Forgotten, forget, forget_thread, threads_of
from bot.home.notes import Notes
from bot.home.overview import Overview, overview
from bot.home.usage import Usage, today
from bot.render.amounts import money, span
from bot.render.blocks import section
from bot.render.limits import Block
from runtime.schedule.store import Schedules
from runtime.session.state import SessionState
from runtime.settings import Settings, micros_of
from runtime.store.redis_store import SessionStore


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeService:
    """Reads for one workspace. Every method raises `StoreUnavailable` while Redis is away."""

    store: SessionStore
    settings: Settings
    workspaces: Path
    team: str

    async def overview(self, user: str) -> Overview:
        """What runs and waits."""
        return await overview(self.store, self.team, user)

    async def usage(self, user: str) -> Usage:
        """What was used today."""
        return await today(self.store, self.settings.budget, self.team, user)

    async def view(self, user: str) -> Block:
        """The Home tab as it should look now."""
        kept = [one for one in await Schedules.beside(self.store).of(user) if one.team == self.team]
        planned = tuple(schedules.listing(kept, round(datetime.now(UTC).timestamp() * 1000)))
        view = cards.home(await self.overview(user), await self.usage(user), self.facts(), self.team, user, planned)
        note = await self.notes.read(user)
        return {**view, "blocks": [section(note), *view["blocks"]]} if note else view

    @property
    def notes(self) -> Notes:
        """What was just done for a person."""
        return Notes(store=self.store, team=self.team)

    async def forget(self, user: str) -> Forgotten:
        """Delete what is this person's alone."""
        return await forget(self.store, self.workspaces, self.team, user)

    async def threads(self, user: str) -> tuple[SessionState, ...]:
        """The threads that are this person's alone."""
        return await threads_of(self.store, self.team, user)

    async def forget_thread(self, sid: str, user: str) -> Forgotten:
        """Delete one of them, whatever the form says only in the own workspace."""
        if not sid.startswith(f"{self.team}:"):
            return Forgotten(deleted=0, shared=0, running=0)
        return await forget_thread(self.store, self.workspaces, sid, user)

    def facts(self) -> Mapping[str, str]:
        """The settings that people notice; the operator changes them in handrail.toml."""
        settings, run = self.settings, self.settings.budget.run
        return {
            "Replies": texts_surface.replies(settings.slack.verbosity),
            "Follow-ups without a mention": "yes" if settings.slack.follow_ups else "no",
            "A run may use": f"{run.steps} steps, {span(run.wall)} of work, {money(micros_of(run.usd))}",
            "An approval waits": span(settings.timeouts.approval),
            "Records are kept": span(settings.retention.sessions),
        }
