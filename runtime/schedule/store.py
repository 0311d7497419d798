"""Schedules in Redis: records, when each is due, and which are being begun. All keys share one hash tag."""

import logging
from collections.abc import Awaitable
from datetime import timedelta
from importlib.resources import files
from typing import Final, NamedTuple, cast

from pydantic import ValidationError

from runtime.schedule.records import Schedule
from runtime.store.connection import Clients, translated
from runtime.store.redis_store import SessionStore, milliseconds
from runtime.store.scripts import Argument, Reply, Script, items, number, text

LOG: Final = logging.getLogger(__name__)
NAMES: Final = ("put", "take", "done")
KEPT: Final = timedelta(days=400)
"""How long a record lives after it was last written or begun; longer where it is due later."""
DRAFTED: Final = timedelta(hours=1)
"""How long a form may stay open until it is sent."""
LEASE: Final = timedelta(seconds=30)


class Taken(NamedTuple):
    """A schedule that is due and ours to begin; `at_ms` is when it was due, `now_ms` the server's time."""

    schedule: Schedule
    at_ms: int
    now_ms: int


class Schedules:
    """Every method may raise `StoreUnavailable`."""

    def __init__(self, clients: Clients, namespace: str = "handrail") -> None:
        self.clients = clients
        self.base = f"{namespace}:{{plans}}"
        self.keys = {name: f"{self.base}:{name}" for name in ("clock", "due", "firing", "since", "items")}
        prelude = (files("runtime.store") / "lua" / "prelude.lua").read_text("utf-8")
        folder = files("runtime.schedule") / "lua"
        self.scripts = {name: Script(name, (folder / f"{name}.lua").read_text("utf-8"), prelude) for name in NAMES}

    @classmethod
    def beside(cls, store: SessionStore) -> "Schedules":
        """The schedules on a store's server, in its namespace."""
        return cls(store.clients, store.keys.namespace)

    async def put(self, schedule: Schedule, due_ms: int) -> None:
        """Write a record; 0 where it is not due."""
        await self.run(
            "put", id=schedule.id, body=schedule.model_dump_json(), due_ms=due_ms, kept_ms=milliseconds(KEPT)
        )

    async def draft(self, schedule: Schedule) -> None:
        """Keep what its owner has not confirmed yet, for a while."""
        key, kept_ms = f"{self.base}:draft:{schedule.id}", milliseconds(DRAFTED)
        with translated(self.clients.shown_url):
            await self.clients.commands.set(key, schedule.model_dump_json(), px=kept_ms)

    async def drafted(self, schedule_id: str) -> Schedule | None:
        """What is to be confirmed; None when that was too long ago."""
        with translated(self.clients.shown_url):
            body = cast("bytes | None", await self.clients.commands.get(f"{self.base}:draft:{schedule_id}"))
        return None if body is None else Schedule.model_validate_json(body)

    async def drop(self, schedule_id: str) -> bool:
        """Delete a record; whether there was one."""
        return bool(number(await self.run("put", id=schedule_id, body="", due_ms=0, kept_ms=milliseconds(KEPT))))

    async def take(self, limit: int = 10) -> list[Taken]:
        """The schedules that are due, for this process to begin within half a minute."""
        reply = await self.run("take", limit=limit, lease_ms=milliseconds(LEASE), kept_ms=milliseconds(KEPT))
        now, taken = items(reply)
        flat = items(taken)
        return [
            Taken(schedule, number(flat[place + 1]), number(now))
            for place in range(0, len(flat), 3)
            if (schedule := readable(text(flat[place + 2]))) is not None
        ]

    async def done(self, taken: Taken, after: Schedule | None, next_ms: int) -> bool:
        """End what was taken; False when it was changed meanwhile, which then stands."""
        body = "" if after is None else after.model_dump_json()
        reply = await self.run(
            "done", id=taken.schedule.id, at_ms=taken.at_ms, body=body, next_ms=next_ms, kept_ms=milliseconds(KEPT)
        )
        return bool(number(reply))

    async def get(self, schedule_id: str) -> Schedule | None:
        """One record."""
        with translated(self.clients.shown_url):
            body = await cast("Awaitable[bytes | None]", self.clients.commands.hget(self.keys["items"], schedule_id))
        return None if body is None else Schedule.model_validate_json(body)

    async def of(self, owner: str) -> list[Schedule]:
        """A person's schedules, oldest first."""
        return [schedule for schedule in await self.all() if schedule.owner == owner]

    async def all(self) -> list[Schedule]:
        """Everybody's, oldest first."""
        with translated(self.clients.shown_url):
            bodies = await cast("Awaitable[list[bytes]]", self.clients.commands.hvals(self.keys["items"]))
        found = [schedule for body in bodies if (schedule := readable(body)) is not None]
        return sorted(found, key=lambda schedule: schedule.created_ms)

    async def drop_team(self, team: str, owner: str = "") -> int:
        """Delete every record of a workspace, or of one person in it; how many there were."""
        ids = [one.id for one in await self.all() if one.team == team and (not owner or one.owner == owner)]
        return sum([await self.drop(schedule_id) for schedule_id in ids])

    async def run(self, name: str, **args: Argument) -> Reply:
        """One script."""
        with translated(self.clients.shown_url):
            return await self.scripts[name](self.clients.commands, keys=self.keys, args=args)


def readable(body: str | bytes) -> Schedule | None:
    """A record; None for one that this version cannot read, which must not hold up the others."""
    try:
        return Schedule.model_validate_json(body)
    except ValidationError as error:
        LOG.warning("a schedule cannot be read: %s", error)
        return None
