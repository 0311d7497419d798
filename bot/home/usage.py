"""What was used today, from the ledger."""

from dataclasses import dataclass
from typing import Protocol, cast

from runtime.budget.days import day_of
from runtime.budget.ledger import Ledger
from runtime.budget.values import Used
from runtime.settings import MICROS_PER_USD
from runtime.settings_budget import BudgetSettings
from runtime.store.connection import translated
from runtime.store.redis_store import SessionStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """One day's use with its limits in micro-dollars; None means no limit."""

    person: Used
    person_limit: int | None
    workspace: Used
    workspace_limit: int | None


class TellsTime(Protocol):
    """What is used of redis-py's client, whose own annotations are incomplete."""

    async def time(self) -> tuple[int, int]:
        """Seconds and microseconds."""
        ...


async def server_ms(store: SessionStore) -> int:
    """The server's time, milliseconds since the epoch."""
    with translated(store.clients.shown_url):
        seconds, micros = await cast("TellsTime", store.clients.commands).time()
    return seconds * 1000 + micros // 1000


async def today(store: SessionStore, budget: BudgetSettings, team: str, user: str) -> Usage:
    """The day's use of a person and of their workspace.

    Raises:
        StoreUnavailable: Redis is away.
    """
    ledger = Ledger.beside(store)
    day = day_of(await server_ms(store), budget.timezone)
    return Usage(
        person=await ledger.used(f"person/{team}/{user}/{day}"),
        person_limit=limit(budget.person.per_day_usd),
        workspace=await ledger.used(f"workspace/{team}/{day}"),
        workspace_limit=limit(budget.workspace.per_day_usd),
    )


def limit(usd: object) -> int | None:
    """Dollars of the settings as micro-dollars."""
    return None if usd is None else int(float(str(usd)) * MICROS_PER_USD)
