"""Every Redis key, its type and its lifetime.

All keys of a session and the queues it moves through share one hash tag, the *partition* (`{p0}`, `{p1}`, ...), so
that every transition is one script on a standalone server, under Sentinel and on a Cluster alike. The number of
partitions is fixed at first start, because a session id names its partition.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Literal, NamedTuple
from zlib import crc32

RedisType = Literal["string", "hash", "set", "zset", "stream"]

SEEN_FOR: Final = timedelta(hours=24)
"""How long a delivered entry id is remembered."""
TOMBSTONE_FOR: Final = timedelta(days=1)
"""How long the lease token of a deleted session survives it, so that its last runner stays fenced."""
DEFAULT_RETENTION: Final = timedelta(days=30)


class KeySpec(NamedTuple):
    """What one key is for. Lifetimes are refreshed by writes; `permanent` keys have none."""

    name: str
    type: RedisType
    holds: str
    permanent: bool = False


SHARED: Final = (
    KeySpec("partitions", "string", "number of partitions, fixed at first start", permanent=True),
    KeySpec("paused", "hash", "kill switch: channel id or `*` -> why and since when, as JSON", permanent=True),
    KeySpec("bell", "string", "pub/sub channel, never a key: `ready|<sid>`, `urgent|<sid>` or `switch|`"),
)
PER_PARTITION: Final = (
    KeySpec("ready", "zset", "sid -> server ms from which it may be claimed; the order of service"),
    KeySpec("aside", "zset", "sid -> reader version it needs; ready, but not for the workers that looked so far"),
    KeySpec("leases", "zset", "sid -> server ms at which its lease lapses"),
    KeySpec("deadlines", "zset", "`sid|kind|id` -> server ms at which it is due"),
    KeySpec("seen", "zset", "`sid|entry id` -> server ms of its delivery; older than a day is trimmed"),
    KeySpec("sessions", "zset", "sid -> server ms of its last activity"),
    KeySpec("clock", "string", "tests only: ms added to the server's time in every script"),
)
PER_SESSION: Final = (
    KeySpec("inbox", "stream", "entries not yet consumed: k=kind, p=payload JSON, t=server ms"),
    KeySpec("urgent", "set", "stream ids of the inbox entries a running step is told of"),
    KeySpec("log", "stream", "the journal, explicit ids `<seq>-0`: e=event JSON, t=server ms"),
    KeySpec(
        "meta",
        "hash",
        "token, owner, seq, reader_version, status, updated_at, crashes, failures, lapsed_token, trimmed",
    ),
    KeySpec("snap", "string", "a fold of the journal: `<fold version> <seq>` in its first line, then JSON"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionKeys:
    """The keys one partition's queues live under, and the prefix of its sessions."""

    ready: str
    aside: str
    leases: str
    deadlines: str
    seen: str
    sessions: str
    clock: str
    session_base: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionKeys:
    """The keys of one session; they expire together, so that no half of a session outlives the other."""

    inbox: str
    urgent: str
    log: str
    meta: str
    snap: str
    partition: PartitionKeys


@dataclass(frozen=True, slots=True)
class Keys:
    """Builds every key name. `namespace` keeps several bots on one server apart."""

    namespace: str = "handrail"
    partitions: int = 1

    @property
    def partition_count(self) -> str:
        """Where the number of partitions is kept."""
        return f"{self.namespace}:partitions"

    @property
    def paused(self) -> str:
        """Where the kill switch is kept."""
        return f"{self.namespace}:paused"

    @property
    def bell(self) -> str:
        """The channel rung whenever a session gets something to do."""
        return f"{self.namespace}:bell"

    def partition_of(self, sid: str) -> int:
        """The partition a session lives in, for ever."""
        return crc32(sid.encode()) % self.partitions

    def partition(self, number: int) -> PartitionKeys:
        """Names the keys of one partition."""
        base = f"{self.namespace}:{{p{number}}}"
        return PartitionKeys(
            ready=f"{base}:ready",
            aside=f"{base}:aside",
            leases=f"{base}:leases",
            deadlines=f"{base}:deadlines",
            seen=f"{base}:seen",
            sessions=f"{base}:sessions",
            clock=f"{base}:clock",
            session_base=f"{base}:s:",
        )

    def session(self, sid: str) -> SessionKeys:
        """Names the keys of one session.

        Raises:
            ValueError: The id could not stand in a deadline's name.
        """
        if not sid or "|" in sid:
            raise ValueError(f"a session id must not be empty or contain '|': {sid!r}")
        partition = self.partition(self.partition_of(sid))
        base = f"{partition.session_base}{sid}"
        return SessionKeys(
            inbox=f"{base}:inbox",
            urgent=f"{base}:urgent",
            log=f"{base}:log",
            meta=f"{base}:meta",
            snap=f"{base}:snap",
            partition=partition,
        )
