"""What the scripts promise, in plain Python: no Redis, no time but the one it is told."""

from collections.abc import Sequence
from dataclasses import dataclass, field

SEEN_MINUTES = 24 * 60


@dataclass(slots=True)
class Entry:
    """One inbox entry."""

    payload: str
    urgent: bool


@dataclass(slots=True)
class Session:
    """One session's own keys."""

    token: int = 0
    seq: int | None = None
    log: list[str] = field(default_factory=list[str])
    inbox: list[Entry] = field(default_factory=list[Entry])
    reader_version: int = 0
    crashes: int = 0
    failures: int = 0
    lapsed_token: int = 0
    snapshot: int = 0
    """The position of the stored fold; 0 where there is none."""
    trimmed: int = 0
    """Up to where the journal is gone."""


@dataclass(slots=True)
class Model:
    """One partition. Times are minutes; what happens at the same minute has no order here."""

    now: int = 0
    sessions: dict[str, Session] = field(default_factory=dict[str, Session])
    seen: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])
    queued: dict[str, int] = field(default_factory=dict[str, int])
    """Ready or put aside: sid -> from when it may be claimed."""
    leases: dict[str, int] = field(default_factory=dict[str, int])
    deadlines: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])

    def of(self, sid: str) -> Session:
        """A session, empty when nobody spoke to it yet."""
        return self.sessions.setdefault(sid, Session())

    def mark(self, sid: str, *, urgent: bool) -> None:
        """Queue a session that nobody holds; something urgent moves a later turn forward."""
        if sid in self.leases:
            return
        if sid not in self.queued:
            self.queued[sid] = self.now
        elif urgent:
            self.queued[sid] = min(self.queued[sid], self.now)

    def push(self, sid: str, entry_id: str, *, urgent: bool, limit: int) -> str:
        """Deliver an entry."""
        if (sid, entry_id) in self.seen:
            return "dup"
        if not urgent and len(self.of(sid).inbox) >= limit:
            return "full"
        self.of(sid).inbox.append(Entry(entry_id, urgent))
        self.seen[sid, entry_id] = self.now
        self.seen = {key: at for key, at in self.seen.items() if at > self.now - SEEN_MINUTES}
        self.mark(sid, urgent=urgent)
        return "ok"

    def lapse(self) -> None:
        """What every claim does first."""
        for sid, expires in list(self.leases.items()):
            if expires < self.now:
                del self.leases[sid]
                session = self.of(sid)
                session.crashes += 1
                session.lapsed_token = session.token
                self.queued.setdefault(sid, expires)

    def claimable(self, reader_version: int) -> set[str]:
        """Whom a claim may give, after the lapse."""
        self.lapse()
        return {
            sid
            for sid, since in self.queued.items()
            if since <= self.now and self.of(sid).reader_version <= reader_version
        }

    def claim(self, sid: str, minutes: int) -> Session:
        """Give a session away."""
        session = self.of(sid)
        session.token += 1
        del self.queued[sid]
        self.leases[sid] = self.now + minutes
        return session

    def holds(self, sid: str, token: int) -> bool:
        """Whether a lease is still that token's."""
        return sid in self.leases and self.of(sid).token == token

    def absolve(self, sid: str, token: int) -> None:
        """A worker that can still speak did not crash."""
        session = self.of(sid)
        if session.lapsed_token == token and session.crashes:
            session.crashes -= 1
            session.lapsed_token = 0

    def renew(self, sid: str, token: int, minutes: int) -> str:
        """Keep a lease."""
        if not self.holds(sid, token):
            self.absolve(sid, token)
            return "fenced"
        self.leases[sid] = self.now + minutes
        return "urgent" if any(entry.urgent for entry in self.of(sid).inbox) else "ok"

    def commit(
        self,
        sid: str,
        token: int,
        seq: int,
        events: Sequence[str],
        taken: Sequence[str | None],
        reader_version: int,
        *,
        is_progress: bool,
    ) -> str:
        """Append events and consume entries; `None` among them is one that does not exist."""
        if not self.holds(sid, token):
            return "fenced"
        session = self.of(sid)
        if seq != (session.seq or 0) or None in taken:
            return "conflict"
        session.log.extend(events)
        session.seq = seq + len(events)
        for payload in taken:
            session.inbox.remove(next(entry for entry in session.inbox if entry.payload == payload))
        session.reader_version = max(session.reader_version, reader_version)
        if is_progress and session.crashes:
            session.crashes = session.lapsed_token = 0
        return "ok"

    def save_snapshot(self, sid: str, token: int, seq: int, keep: int) -> bool:
        """Store a fold, and let go of what lies `keep` events under it."""
        session = self.of(sid)
        if not self.holds(sid, token) or not session.trimmed <= seq <= (session.seq or 0):
            return False
        session.snapshot = seq
        session.trimmed = max(session.trimmed, seq - keep)
        return True

    def release(self, sid: str, token: int, *, again: bool, failed: bool, is_patient: bool, minutes: int) -> str:
        """Give a session back."""
        if not self.holds(sid, token):
            self.absolve(sid, token)
            return "fenced"
        del self.leases[sid]
        session = self.of(sid)
        session.crashes = session.lapsed_token = 0
        session.failures = session.failures + 1 if failed else 0
        if not again and not session.inbox:
            return "idle"
        is_urgent = not is_patient and any(entry.urgent for entry in session.inbox)
        self.queued[sid] = self.now + (0 if is_urgent else minutes)
        return "queued"

    def sweep(self) -> int:
        """Deliver due deadlines; those of a deleted session vanish."""
        due = [key for key, at in self.deadlines.items() if at <= self.now]
        for sid, name in due:
            del self.deadlines[sid, name]
            if self.of(sid).seq is not None:
                self.of(sid).inbox.append(Entry(f"deadline {name}", urgent=True))
                self.mark(sid, urgent=True)
        return len(due)

    def forget(self, sid: str) -> None:
        """Delete everything but the token."""
        self.sessions[sid] = Session(token=self.of(sid).token)
        self.queued.pop(sid, None)
        self.leases.pop(sid, None)
