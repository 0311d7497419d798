"""Keeps the audit log in line with the journals: after each commit, and for what a crash left out, at the next opening.

The journal stays the truth. An entry names its place there, so that nothing is recorded twice, and what was committed
is recorded before the commit returns: no approved call runs unrecorded.
"""

import hashlib
import hmac
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Protocol, cast

from runtime.audit.chain import RETENTION, AuditChain
from runtime.audit.facts import facts_of
from runtime.audit.values import Fact
from runtime.session.events import AnyEvent, load_event
from runtime.session.ids import SessionKey
from runtime.store.connection import translated
from runtime.store.redis_store import SessionStore


def digest(key: str, name: str) -> str:
    """A keyed digest."""
    return hmac.new(key.encode(), name.encode(), hashlib.sha256).hexdigest()[:32]


@dataclass(slots=True, kw_only=True)
class SessionTrail:
    """One session's part of the log, for the time of a lease."""

    chain: AuditChain
    session_id: str
    digests: dict[str, str] = field(default_factory=dict[str, str])

    async def digest(self, name: str) -> str:
        """The digest of a person or a session in this workspace; empty for nobody."""
        if not name.partition(":")[2]:
            return ""
        if name not in self.digests:
            self.digests[name] = digest(await self.chain.key_of(name), name)
        return self.digests[name]

    async def saw(self, events: Sequence[AnyEvent], seq: int, at_ms: int) -> None:
        """Record what was just committed.

        Args:
            events: of one commit.
            seq: the position of the last of them.
            at_ms: server time of the commit.
        """
        first = seq - len(events) + 1
        found = [(first + index, at_ms, fact) for index, event in enumerate(events) for fact in facts_of(event)]
        if found:
            await self.record(seq, found)

    async def catch_up(self, store: SessionStore, seq: int) -> None:
        """Record what a crash between commit and record left out."""
        session = await self.digest(f"session:{self.session_id}")
        after = await self.chain.position(session)
        if after >= seq:
            return
        found: list[tuple[int, int, Fact]] = []
        for record in await store.read_log(self.session_id, after_seq=after):
            if record.seq <= seq:
                found += [(record.seq, record.at_ms, fact) for fact in facts_of(load_event(record.event))]
        await self.record(seq, found)

    async def record(self, seq: int, found: Sequence[tuple[int, int, Fact]]) -> None:
        """Append, with people as digests."""
        facts = [(place, at_ms, await self.digest(f"person:{fact.by}"), fact) for place, at_ms, fact in found]
        await self.chain.append(await self.digest(f"session:{self.session_id}"), seq, facts)


class Scanning(Protocol):
    """What is used of redis-py's client, whose own annotation of it is incomplete."""

    def scan_iter(self, match: str) -> AsyncIterator[bytes]:
        """Every key that fits a pattern."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditLog:
    """All workspaces' chains on one store."""

    store: SessionStore
    retention: timedelta = RETENTION

    def chain(self, workspace: str) -> AuditChain:
        """The chain of one workspace or organisation."""
        namespace = self.store.keys.namespace
        return AuditChain(self.store.clients, workspace, namespace=namespace, retention=self.retention)

    async def workspaces(self) -> list[str]:
        """Every workspace that has a chain.

        Raises:
            StoreUnavailable: the store is away.
        """
        pattern = f"{self.store.keys.namespace}:{{audit:*}}:meta"
        with translated(self.store.clients.shown_url):
            found = [key async for key in cast("Scanning", self.store.clients.commands).scan_iter(pattern)]
        return sorted(key.decode().partition("{audit:")[2].partition("}")[0] for key in found)

    async def forget_session(self, session_id: str) -> None:
        """A session was deleted: its entries no longer say which it was."""
        await self.chain(SessionKey.parse(session_id).team).forget(f"session:{session_id}")

    async def forget_person(self, user: str) -> None:
        """A person's entries no longer say whose they were, in any workspace."""
        for workspace in await self.workspaces():
            await self.chain(workspace).forget(f"person:{user}")

    async def open(self, session_id: str, seq: int) -> SessionTrail:
        """A session's trail, complete up to its journal's end."""
        chain = self.chain(SessionKey.parse(session_id).team)
        trail = SessionTrail(chain=chain, session_id=session_id)
        await trail.catch_up(self.store, seq)
        return trail
