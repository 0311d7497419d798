"""The store of sessions: one method per atomic move, and the reads around them."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import timedelta
from functools import lru_cache
from typing import Final, cast

from runtime.store.connection import Clients, connect, translated
from runtime.store.errors import JournalConflict, LeaseLost
from runtime.store.keys import DEFAULT_RETENTION, SEEN_FOR, TOMBSTONE_FOR, Keys
from runtime.store.partitions import settle_partitions
from runtime.store.reads import SessionReads, Wire
from runtime.store.scripts import Argument, Reply, items, load_scripts, number, text
from runtime.store.topologies import CLUSTER_PARTITIONS, is_cluster
from runtime.store.values import (
    Claimed,
    Committed,
    Due,
    PushResult,
    ReleaseResult,
    RenewResult,
)

DEFAULT_INBOX_LIMIT: Final = 50


def milliseconds(duration: timedelta) -> int:
    """Whole milliseconds, never less than one for a positive duration."""
    whole = round(duration.total_seconds() * 1000)
    return max(1, whole) if duration > timedelta(0) else whole


def as_claimed(reply: Sequence[Reply]) -> Claimed:
    """A claim's reply by names."""
    sid, token, seq, waited_ms, crashes, failures, at_ms = reply
    return Claimed(
        sid=text(sid),
        token=number(token),
        seq=number(seq),
        waited=timedelta(milliseconds=number(waited_ms)),
        crashes=number(crashes),
        failures=number(failures),
        at_ms=number(at_ms),
    )


@lru_cache(maxsize=1024)
def names_of(keys: Keys, sid: str) -> Mapping[str, str]:
    """A session's keys and its partition's by the names the scripts use; the same at every step, so kept."""
    session = keys.session(sid)
    return {
        "inbox": session.inbox,
        "urgent": session.urgent,
        "log": session.log,
        "meta": session.meta,
        "snap": session.snap,
        **asdict(session.partition),
    }


class SessionStore(SessionReads):
    """Sessions in Redis. Every method may raise `StoreUnavailable`, and a write also `OutcomeUnknown`."""

    def __init__(
        self, clients: Clients, keys: Keys, *, retention: timedelta = DEFAULT_RETENTION, journal_events: int = 0
    ) -> None:
        super().__init__(clients, keys)
        self.journal_events = journal_events
        self.retention_ms = milliseconds(retention)
        self.scripts = load_scripts()
        self.next_partition = 0

    @classmethod
    async def open(
        cls,
        url: str,
        *,
        partitions: int | None = None,
        namespace: str = "handrail",
        retention: timedelta = DEFAULT_RETENTION,
        journal_events: int = 0,
    ) -> "SessionStore":
        """Connects and settles the number of partitions: the stored one, or `partitions` at first start.

        Where nothing is asked for, a Cluster gets 16 and anything else 1.

        Under a snapshot the newest `journal_events` events stay; 0 keeps all.

        Raises `StoreMismatch` when another number is asked for than the data was written with.
        """
        clients = connect(url)
        try:
            usual = CLUSTER_PARTITIONS if is_cluster(url) else 1
            stored = await settle_partitions(clients, Keys(namespace=namespace).partition_count, partitions, usual)
        except BaseException:
            await clients.aclose()
            raise
        keys = Keys(namespace=namespace, partitions=stored)
        return cls(clients, keys, retention=retention, journal_events=journal_events)

    async def aclose(self) -> None:
        """Close every connection."""
        await self.clients.aclose()

    async def push(
        self, sid: str, entry_id: str, kind: str, payload: str, *, maxlen: int = DEFAULT_INBOX_LIMIT, urgent: bool
    ) -> PushResult:
        """Delivers one entry: "dup" when `entry_id` was delivered within a day, "full" when the inbox has no room.

        An urgent entry is always admitted, ends a back-off, and is told to the step at hand.
        """
        reply = await self.run(
            "push",
            self.session_names(sid),
            sid=sid,
            entry_id=entry_id,
            kind=kind,
            payload=payload,
            limit=maxlen,
            is_urgent=urgent,
            seen_ms=milliseconds(SEEN_FOR),
            retention_ms=self.retention_ms,
            bell=self.keys.bell,
        )
        return cast("PushResult", text(reply))

    async def claim(self, worker: str, ttl_ms: int, reader_version: int) -> Claimed | None:
        """The session that has waited longest in the next partition that has one, under a new lease."""
        first = self.next_partition
        self.next_partition = (first + 1) % self.keys.partitions
        for step in range(self.keys.partitions):
            reply = await self.run(
                "claim",
                names := self.partition_names((first + step) % self.keys.partitions),
                session_base=names["session_base"],
                worker=worker,
                ttl_ms=ttl_ms,
                reader_version=reader_version,
                retention_ms=self.retention_ms,
            )
            if reply is not None:
                return as_claimed(items(reply))
        return None

    async def renew(self, sid: str, token: int, ttl_ms: int) -> RenewResult:
        """Keeps a lease. "urgent" says that an urgent entry waits in the inbox."""
        reply = await self.run("renew", self.session_names(sid), sid=sid, token=token, ttl_ms=ttl_ms)
        return cast("RenewResult", text(reply))

    async def commit(  # noqa: PLR0913 - all of one atomic move, each by its name
        self,
        sid: str,
        token: int,
        expected_seq: int,
        *,
        events: Sequence[str],
        consume_ids: Sequence[str] = (),
        deadlines: Sequence[Due] = (),
        status: str,
        reader_version: int,
        is_progress: bool = False,
    ) -> Committed:
        """Consumes entries, appends events and sets deadlines in one move.

        Progress forgets the crashes counted so far.

        Raises `LeaseLost` or `JournalConflict`, having changed nothing. A commit repeated after a lost reply conflicts.
        """
        reply = await self.run(
            "commit",
            self.session_names(sid),
            sid=sid,
            token=token,
            seq=expected_seq,
            status=status,
            reader_version=reader_version,
            retention_ms=self.retention_ms,
            is_progress=is_progress,
            consumed=list(dict.fromkeys(consume_ids)),
            due=[part for deadline in deadlines for part in deadline.flat(sid)],
            events=events,
        )
        outcome, *numbers = items(reply)
        match text(outcome):
            case "ok":
                return Committed(number(numbers[0]), number(numbers[1]))
            case "conflict":
                raise JournalConflict(sid, expected_seq, number(numbers[0]))
            case _:
                raise LeaseLost(sid, token)

    async def release(
        self,
        sid: str,
        token: int,
        *,
        again: bool = False,
        failed: bool = False,
        is_patient: bool = False,
        delay_ms: int = 0,
    ) -> ReleaseResult:
        """Ends a lease. The session is queued when `again` or when its inbox is not empty, after `delay_ms`.

        Something urgent in the inbox ends the delay at once, unless `is_patient`.
        """
        reply = await self.run(
            "release",
            self.session_names(sid),
            sid=sid,
            token=token,
            again=again,
            failed=failed,
            is_patient=is_patient,
            delay_ms=delay_ms,
            retention_ms=self.retention_ms,
            bell=self.keys.bell,
        )
        return cast("ReleaseResult", text(reply))

    async def sweep(self, limit: int = 100) -> int:
        """Delivers due deadlines of every partition as inbox entries; returns how many."""
        fired = 0
        for partition in range(self.keys.partitions):
            names = self.partition_names(partition)
            reply = await self.run(
                "sweep",
                names,
                session_base=names["session_base"],
                limit=limit,
                retention_ms=self.retention_ms,
                bell=self.keys.bell,
            )
            fired += number(reply)
        return fired

    async def is_idle(self, sid: str) -> bool:
        """Whether the session has nothing to do: not held, not queued, nothing in its inbox."""
        return text(await self.run("look", self.session_names(sid), sid=sid)) == "idle"

    async def waiting(self) -> int:
        """How many sessions could be claimed now."""
        return sum(
            [
                number(await self.run("waiting", self.partition_names(partition)))
                for partition in range(self.keys.partitions)
            ]
        )

    async def forget(self, sid: str) -> bool:
        """Deletes everything of a session and fences its runner; whether there was anything."""
        reply = await self.run("forget", self.session_names(sid), sid=sid, tombstone_ms=milliseconds(TOMBSTONE_FOR))
        return bool(number(reply))

    async def pause(self, scope: str, note: str) -> None:
        """Throw the kill switch for a channel, or for everything with `*`; every worker hears it at once."""
        with translated(self.clients.shown_url):
            await cast("Wire", self.clients.commands).hset(self.keys.paused, scope, note)
            await cast("Wire", self.clients.commands).publish(self.keys.bell, "switch|")

    async def resume(self, scope: str) -> bool:
        """Take it back; whether it had been thrown."""
        with translated(self.clients.shown_url):
            found = await cast("Wire", self.clients.commands).hdel(self.keys.paused, scope)
            await cast("Wire", self.clients.commands).publish(self.keys.bell, "switch|")
        return bool(found)

    async def save_snapshot(self, sid: str, token: int, version: int, seq: int, state: str) -> bool:
        """Stores a fold of the journal up to `seq`, and trims the journal under it where the settings say so.

        False when the lease is over, the journal is not that far, or it was trimmed further already.
        """
        reply = await self.run(
            "snapshot",
            self.session_names(sid),
            sid=sid,
            token=token,
            seq=seq,
            body=f"{version} {seq}\n{state}",
            keep_events=self.journal_events,
            retention_ms=self.retention_ms,
        )
        return text(reply) == "ok"

    async def run(self, name: str, names: Mapping[str, str], **args: Argument) -> Reply:
        """One script with the keys it asks for."""
        script = self.scripts[name]
        with translated(self.clients.shown_url):
            return await script(self.clients.commands, keys={key: names[key] for key in script.keys}, args=args)

    def partition_names(self, number: int) -> Mapping[str, str]:
        """A partition's keys by the names the scripts use."""
        return asdict(self.keys.partition(number))

    def session_names(self, sid: str) -> Mapping[str, str]:
        """A session's keys and its partition's by the names the scripts use."""
        return names_of(self.keys, sid)
