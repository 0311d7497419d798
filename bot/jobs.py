"""What each process does periodically beside the sweep of deadlines."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Protocol

from bot.assembly import Core
from runtime.budget.ledger import Ledger
from runtime.schedule.firing import Firing, Places
from runtime.schedule.presence import Presence
from runtime.schedule.retention import remove_stale
from runtime.schedule.store import Schedules
from runtime.schedule.ticker import Periodic

SECOND = timedelta(seconds=1)


class SlackPlaces(Places, Protocol):
    """Where scheduled work happens, and what time it is for whom, in one workspace or all."""

    async def zone_of(self, team: str, user: str, /) -> str:
        """A person's time zone; empty where it is not known."""
        ...


def usual_jobs(core: Core) -> Sequence[Periodic]:
    """What every process does: reservations of vanished processes, presence, and files of threads that are gone."""
    settings = core.start.settings
    ledger, presence = Ledger.beside(core.store), Presence(core.store, core.worker_name, settings.engine.concurrency)
    workspaces: Path = core.house.workspaces

    async def retention() -> None:
        await asyncio.to_thread(remove_stale, workspaces, settings.retention.sessions)

    return (
        Periodic(SECOND * 15, "reservations", ledger.lapse),
        Periodic(SECOND * 10, "presence", presence.renew),
        Periodic(timedelta(hours=1), "retention", retention),
    )


def slack_jobs(core: Core, places: SlackPlaces) -> Sequence[Periodic]:
    """What a process with Slack does as well: begin work on a schedule."""
    core.desk.zone_of = places.zone_of
    firing = Firing(
        schedules=Schedules.beside(core.store),
        sessions=core.store,
        places=places,
        room=core.seats,
    )
    return (*usual_jobs(core), Periodic(SECOND, "schedules", firing.tick))
