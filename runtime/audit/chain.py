"""One workspace's chain in Redis, under a hash tag of its own: appended to, read, verified.

Whoever can write to Redis could rewrite a whole chain; keep its tip (`python -m bot audit verify` prints it) elsewhere
and hand it back to prove that nothing before it was changed.
"""

import secrets
from collections.abc import AsyncIterator, Awaitable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from importlib.resources import files
from typing import Final, NamedTuple, cast

from pydantic import ValidationError

from runtime.audit.values import AuditEntry, Fact
from runtime.store.connection import Clients, translated
from runtime.store.redis_store import milliseconds
from runtime.store.scripts import Script, items, text

PAGE: Final = 500
TRIES: Final = 100
RETENTION: Final = timedelta(days=365)


class ChainBusy(Exception):
    """Others appended again and again in between. Seen by the worker, which comes back later."""


class Tip(NamedTuple):
    """Where a chain ends."""

    n: int
    hash: str


class Link(NamedTuple):
    """An entry as it is stored."""

    n: int
    entry: str
    hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditKeys:
    """The keys of one workspace's chain; they expire together, `retention.audit` after the last entry."""

    chain: str
    """stream: `<n>-0` -> e=entry JSON, h=its hash, t=server ms."""
    meta: str
    """hash: n and tip of the newest entry; anchor_n and anchor of the last one that its age removed."""
    positions: str
    """hash: session digest -> the journal position up to which it is recorded."""
    names: str
    """hash: person or session -> the key of its digests. Deleting one makes its entries anonymous for ever."""

    @classmethod
    def of(cls, namespace: str, workspace: str) -> "AuditKeys":
        """The names for one workspace."""
        base = f"{namespace}:{{audit:{workspace}}}"
        return cls(chain=f"{base}:chain", meta=f"{base}:meta", positions=f"{base}:positions", names=f"{base}:names")


def load_script(name: str) -> Script:
    """One atomic move."""
    folder = files("runtime.audit") / "lua"
    prelude = (files("runtime.store") / "lua" / "prelude.lua").read_text("utf-8")
    return Script(name, (folder / f"{name}.lua").read_text("utf-8"), prelude)


class AuditChain:
    """Every method may raise `StoreUnavailable`; all may be repeated."""

    def __init__(
        self, clients: Clients, workspace: str, *, namespace: str = "handrail", retention: timedelta = RETENTION
    ) -> None:
        self.clients = clients
        self.keys = AuditKeys.of(namespace, workspace)
        self.clock = f"{namespace}:{{audit:{workspace}}}:clock"
        self.retention_ms = milliseconds(retention)
        self.append_links, self.name_key = load_script("append"), load_script("name")

    async def key_of(self, name: str) -> str:
        """The secret with which a name's digests are made; made at its first use."""
        with translated(self.clients.shown_url):
            reply = await self.name_key(
                self.clients.commands,
                keys={"clock": self.clock, "names": self.keys.names},
                args={"name": name, "fresh": secrets.token_hex(16), "retention_ms": self.retention_ms},
            )
        return text(reply)

    async def forget(self, *names: str) -> None:
        """Make the entries of names anonymous: their digests stay, and the chain with them, and mean nothing more."""
        with translated(self.clients.shown_url):
            await self.clients.commands.hdel(self.keys.names, *names)

    async def forget_all(self) -> None:
        """Make every entry anonymous."""
        with translated(self.clients.shown_url):
            await self.clients.commands.delete(self.keys.names)

    async def names(self) -> dict[str, str]:
        """Every name whose digests can still be told, with its key."""
        with translated(self.clients.shown_url):
            found = await cast("Awaitable[dict[bytes, bytes]]", self.clients.commands.hgetall(self.keys.names))
        return {name.decode(): key.decode() for name, key in found.items()}

    async def tip(self) -> Tip:
        """The newest entry's number and hash; zero and nothing for an empty chain."""
        n, tip = await self.meta("n", "tip")
        return Tip(int(n or 0), tip)

    async def anchor(self) -> Tip:
        """The last entry that its age removed; zero and nothing while all are there."""
        n, anchor = await self.meta("anchor_n", "anchor")
        return Tip(int(n or 0), anchor)

    async def meta(self, *fields: str) -> tuple[str, ...]:
        """Fields of the chain's record."""
        with translated(self.clients.shown_url):
            reply = self.clients.commands.hmget(self.keys.meta, list(fields))
            found = await cast("Awaitable[list[bytes | None]]", reply)
        return tuple((value or b"").decode() for value in found)

    async def position(self, session: str) -> int:
        """The journal position up to which a session is recorded."""
        with translated(self.clients.shown_url):
            found = await cast("Awaitable[bytes | None]", self.clients.commands.hget(self.keys.positions, session))
        return int(found or 0)

    async def append(self, session: str, seq: int, facts: Sequence[tuple[int, int, str, Fact]]) -> None:
        """Record facts of a session's journal up to a position; what was recorded before is left as it is.

        Args:
            session: the session's digest.
            seq: the position up to which the facts are complete.
            facts: each with its own position, its server time, and the digest of who did it.

        Raises:
            ChainBusy: there was never a moment to append.
        """
        for _ in range(TRIES):
            tip = await self.tip()
            entries = linked(tip, session, facts)
            with translated(self.clients.shown_url):
                reply = await self.append_links(
                    self.clients.commands,
                    keys={
                        "clock": self.clock,
                        "chain": self.keys.chain,
                        "meta": self.keys.meta,
                        "positions": self.keys.positions,
                        "names": self.keys.names,
                    },
                    args={
                        "session": session,
                        "seq": seq,
                        "n": tip.n,
                        "tip": tip.hash,
                        "retention_ms": self.retention_ms,
                        "entries": [entry.model_dump_json() for entry in entries],
                        "hashes": [entry.hash for entry in entries],
                        "times": [str(entry.at_ms) for entry in entries],
                    },
                )
            if text(items(reply)[0]) != "moved":
                return
        raise ChainBusy(f"the audit log at {self.keys.chain} was never free")

    async def links(self, after: int = 0) -> AsyncIterator[Link]:
        """Every entry after a number, in order."""
        start = f"({after}-0"
        while True:
            with translated(self.clients.shown_url):
                reply = await self.clients.commands.xrange(self.keys.chain, min=start, count=PAGE)
            page = cast("list[tuple[bytes, dict[bytes, bytes]]]", reply or [])
            for name, fields in page:
                n = int(name.partition(b"-")[0])
                yield Link(n, fields.get(b"e", b"").decode(errors="replace"), fields.get(b"h", b"").decode())
                start = f"({n}-0"
            if len(page) < PAGE:
                return


def linked(tip: Tip, session: str, facts: Sequence[tuple[int, int, str, Fact]]) -> list[AuditEntry]:
    """The facts as entries behind a tip."""
    entries: list[AuditEntry] = []
    prev = tip.hash
    for number, (seq, at_ms, by, fact) in enumerate(facts, start=tip.n + 1):
        entry = AuditEntry(
            n=number,
            at_ms=at_ms,
            prev=prev,
            what=fact.what,
            session=session,
            seq=seq,
            by=by,
            run=fact.run,
            call=fact.call,
            approval=fact.approval,
            details=dict(fact.details),
        )
        entries.append(entry)
        prev = entry.hash
    return entries


async def problems(chain: AuditChain) -> AsyncIterator[str]:
    """Everything that is wrong with a chain, each with the number of the entry. It may be appended to meanwhile."""
    anchor, tip = await chain.anchor(), await chain.tip()
    expected, prev = anchor.n + 1, anchor.hash
    async for link in chain.links():
        for problem in of_link(link, expected, prev):
            yield problem
        expected, prev = link.n + 1, link.hash
    end, newest = expected - 1, await chain.tip()
    if end < tip.n:
        yield f"entries {expected} to {tip.n} are missing at the end"
    elif end > newest.n or (end == newest.n > anchor.n and prev != newest.hash):
        yield f"the chain does not end where its record says: entry {newest.n} with hash {newest.hash}"


def of_link(link: Link, expected: int, prev: str) -> Iterator[str]:
    """What is wrong with one entry, given the number and the hash that should stand before it."""
    if link.n > expected:
        yield f"entries {expected} to {link.n - 1} are missing"
    try:
        entry = AuditEntry.model_validate_json(link.entry)
    except ValidationError:
        yield f"entry {link.n} cannot be read"
        return
    if entry.hash != link.hash or entry.n != link.n:
        yield f"entry {link.n} was changed"
    elif link.n == expected and entry.prev != prev:
        yield f"entry {link.n} does not follow from the one before: that one was changed, or this one put in"
