"""The ledger: what every scope has used and holds, in Redis, for all replicas together.

A reservation is admitted while something is left that neither was used nor is held by others. So all runs together
overspend by no more than the one call each that was under way, and by none where the estimates were high enough.
"""

from collections.abc import Awaitable, Sequence
from dataclasses import fields
from datetime import timedelta
from importlib.resources import files
from typing import Final, cast

from runtime.budget.keys import KEPT, BudgetKeys
from runtime.budget.values import Mark, Refused, Reservation, Scope, Used, What
from runtime.session.events import Usage
from runtime.store.connection import Clients, translated
from runtime.store.redis_store import SessionStore, milliseconds
from runtime.store.scripts import Argument, Reply, Script, items, number, text

NAMES: Final = ("reserve", "settle", "extend", "lapse", "seat", "seated", "start")
NEAR_PERCENT: Final = 80
HOLD: Final = timedelta(minutes=12)
"""How long a reservation holds at most where nothing else is said."""
NOTHING: Final = Usage()
COUNTS: Final = tuple(field.name for field in fields(Used) if field.name != "name")


def load_scripts() -> dict[str, Script]:
    """The ledger's scripts, with the store's prelude and their own."""
    folder = files("runtime.budget") / "lua"
    prelude = (files("runtime.store") / "lua" / "prelude.lua").read_text("utf-8")
    prelude += (folder / "prelude.lua").read_text("utf-8")
    return {name: Script(name, (folder / f"{name}.lua").read_text("utf-8"), prelude) for name in NAMES}


class Ledger:
    """Every method may raise `StoreUnavailable`; all may be repeated."""

    def __init__(self, clients: Clients, keys: BudgetKeys | None = None, *, kept: timedelta = KEPT) -> None:
        self.clients = clients
        self.keys = keys or BudgetKeys()
        self.shared = self.keys.shared
        self.kept_ms = milliseconds(kept)
        self.scripts = load_scripts()

    @classmethod
    def beside(cls, store: SessionStore) -> "Ledger":
        """The ledger on a store's server, in its namespace."""
        return cls(store.clients, BudgetKeys(store.keys.namespace))

    async def reserve(self, wanted: Reservation, *, hold: timedelta = HOLD) -> Refused | None:
        """Hold what a request may cost; None when it may be made.

        Args:
            wanted: repeated under the same id it holds once.
            hold: when it lapses by itself.
        """
        reply = items(
            await self.run(
                "reserve",
                id=wanted.id,
                owner=wanted.owner,
                day=wanted.day,
                tokens=wanted.tokens,
                micros=wanted.micros,
                ttl_ms=milliseconds(hold),
                kept_ms=self.kept_ms,
                scopes=flat(wanted.scopes),
            )
        )
        verdict = text(reply[0])
        if verdict not in {"reached", "held"}:
            return None
        return Refused(mark=as_mark(reply[1:], wanted.scopes), is_for_now=verdict == "held")

    async def settle(
        self, made: Reservation, usage: Usage = NOTHING, micros: int = 0, *, failed: bool = False
    ) -> tuple[Mark, ...]:
        """Count what was used in place of what was held; once, also after the reservation lapsed.

        Args:
            made: the reservation.
            usage: what was used.
            micros: what it cost.
            failed: it was made and brought nothing; billed all the same.

        Returns:
            The limits of which four fifths are used now for the first time.
        """
        reply = items(
            await self.run(
                "settle",
                id=made.id,
                day=made.day,
                kept_ms=self.kept_ms,
                near=NEAR_PERCENT,
                counter=f"{made.kind}s",
                failed=failed,
                fresh=usage.input,
                cached=usage.cached,
                output=usage.output,
                reasoning=usage.reasoning,
                micros=micros,
                scopes=flat(made.scopes),
            )
        )
        return tuple(as_mark(reply[start : start + 4], made.scopes) for start in range(0, len(reply), 4))

    async def extend(self, scope_name: str, extension_id: str, *, tokens: int = 0, micros: int = 0) -> bool:
        """Add to a scope's limit; False when this extension was added before."""
        reply = await self.run(
            "extend", id=extension_id, scope_name=scope_name, tokens=tokens, micros=micros, kept_ms=self.kept_ms
        )
        return bool(number(reply))

    async def lapse(self) -> int:
        """Give back what vanished processes held; how many reservations that were."""
        return number(await self.run("lapse"))

    async def used(self, scope_name: str) -> Used:
        """What a scope has used."""
        with translated(self.clients.shown_url):
            reply = self.clients.commands.hmget(self.keys.scope(scope_name), list(COUNTS))
            values = await cast("Awaitable[list[bytes | None]]", reply)
        counts = {name: int(value or 0) for name, value in zip(COUNTS, values, strict=True)}
        return Used(name=scope_name, **counts)

    async def scopes_of(self, day: str) -> list[str]:
        """The names of the scopes used on a day."""
        with translated(self.clients.shown_url):
            members = await cast("Awaitable[set[bytes]]", self.clients.commands.smembers(self.keys.day(day)))
        return sorted(member.decode() for member in members)

    async def is_first(self, what: str, *, within: timedelta = KEPT) -> bool:
        """True for the first of all replicas that asks within a time: it says what is to be said once."""
        with translated(self.clients.shown_url):
            return bool(await self.clients.commands.set(self.keys.told(what), "1", nx=True, px=milliseconds(within)))

    async def forget(self, what: str) -> bool:
        """Let it be said again; whether it had been said."""
        with translated(self.clients.shown_url):
            return bool(await self.clients.commands.delete(self.keys.told(what)))

    async def run(self, name: str, **args: Argument) -> Reply:
        """One script."""
        with translated(self.clients.shown_url):
            return await self.scripts[name](
                self.clients.commands, keys=self.shared, args={"base": self.keys.base, **args}
            )


def flat(scopes: Sequence[Scope]) -> list[str]:
    """Scopes as the scripts read them."""
    return [part for scope in scopes for part in scope.flat()]


def as_mark(reply: Sequence[Reply], scopes: Sequence[Scope]) -> Mark:
    """A limit by names."""
    place, what, used, limit = reply
    return Mark(scope=scopes[number(place)], what=cast("What", text(what)), used=number(used), limit=number(limit))
