"""Any sequence of moves on a real server does what a plain Python model says."""

import asyncio
import json
from collections.abc import Coroutine, Generator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, NamedTuple, TypeVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from runtime.store.errors import JournalConflict, LeaseLost
from runtime.store.redis_store import SessionStore
from runtime.store.values import Due, InboxRecord
from tests.store.model import Model
from tests.support.redis import RedisServer, advance, leaked_keys

SIDS = ("T:C:1", "T:C:2", "T:C:3")
LEASE_MINUTES = 5
LIMIT = 3
KEPT = 2
"""Events that stay under a snapshot."""
BACK = st.sampled_from((0, 0, 0, 0, 0, 0, 1, 2))

T = TypeVar("T")


class Held(NamedTuple):
    """A lease somebody once got; it may long be over."""

    sid: str
    token: int


class Moves(RuleBasedStateMachine):
    """Model and store side by side. Time passes in steps of ten minutes; nothing else is a multiple of ten."""

    server: RedisServer

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        with self.server.client() as client:
            client.flushall()
        self.model = Model()
        self.store = self.wait(SessionStore.open(self.server.url, journal_events=KEPT))
        self.events = 0
        self.held: list[Held] = []

    def wait(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run one request of the store."""
        return self.loop.run_until_complete(coroutine)

    def teardown(self) -> None:
        """Close what this sequence used, and look for keys without a lifetime."""
        self.wait(self.store.aclose())
        self.loop.close()
        with self.server.client() as client:
            assert not leaked_keys(client)

    @rule(sid=st.sampled_from(SIDS), entry_id=st.sampled_from("abcdef"), urgent=st.booleans())
    def push(self, sid: str, entry_id: str, urgent: bool) -> None:
        """An entry is delivered, perhaps not for the first time."""
        said = self.wait(self.store.push(sid, entry_id, "message", entry_id, maxlen=LIMIT, urgent=urgent))
        assert said == self.model.push(sid, entry_id, urgent=urgent, limit=LIMIT)

    @rule(tens=st.sampled_from((0, 0, 1, 1, 2, 150)))
    def time_passes(self, tens: int) -> None:
        """The server's clock goes on, once in a while by more than a day."""
        self.model.now += 10 * tens
        self.wait(advance(self.store.keys, self.store, timedelta(minutes=10 * tens)))

    def lease(self, back: int) -> Held:
        """The newest lease that is still held, or one given earlier: most of what workers do is in order."""
        live = [lease for lease in self.held if self.model.holds(lease.sid, lease.token)]
        if live and not back:
            return live[-1]
        return self.held[-1 - min(back, len(self.held) - 1)]

    @rule(reader_version=st.sampled_from((1, 2)))
    def claim(self, reader_version: int) -> None:
        """A worker asks for a session."""
        may = self.model.claimable(reader_version)
        got = self.wait(self.store.claim("worker", LEASE_MINUTES * 60_000, reader_version))
        if got is None:
            assert not may
            return
        assert got.sid in may
        if all(session.reader_version < 2 for session in self.model.sessions.values()):
            assert self.model.queued[got.sid] == min(self.model.queued[sid] for sid in may)
        session = self.model.claim(got.sid, LEASE_MINUTES)
        assert got[1:3] == (session.token, session.seq or 0)
        assert (got.crashes, got.failures) == (session.crashes, session.failures)
        self.held.append(Held(got.sid, got.token))

    @precondition(lambda self: self.held)
    @rule(back=BACK)
    def renew(self, back: int) -> None:
        """Somebody keeps a lease, or thinks so."""
        lease = self.lease(back)
        said = self.wait(self.store.renew(lease.sid, lease.token, LEASE_MINUTES * 60_000))
        assert said == self.model.renew(lease.sid, lease.token, LEASE_MINUTES)

    @precondition(lambda self: self.held)
    @rule(
        back=BACK,
        count=st.integers(0, 3),
        taken=st.integers(0, 2),
        stale=st.sampled_from((0, 0, -1, 1)),
        reader_version=st.sampled_from((1, 1, 1, 2)),
        due=st.dictionaries(st.sampled_from("xy"), st.sampled_from((None, 5, 15, 25)), max_size=2),
        is_progress=st.booleans(),
    )
    def commit(
        self,
        back: int,
        count: int,
        taken: int,
        stale: int,
        reader_version: int,
        due: dict[str, int | None],
        is_progress: bool,
    ) -> None:
        """Somebody commits under a lease that may be over, at a position that may be wrong."""
        lease = self.lease(back)
        events = [f"event {self.events + n}" for n in range(count)]
        self.events += count
        seq = max(0, (self.model.of(lease.sid).seq or 0) + stale)
        inbox = self.wait(self.store.read_inbox(lease.sid))
        names = [shown(entry) for entry in inbox[:taken]] + [None] * (taken > len(inbox))
        expected = self.model.commit(
            lease.sid, lease.token, seq, events, names, reader_version, is_progress=is_progress
        )
        with self.refusals() as refusals:
            self.wait(
                self.store.commit(
                    lease.sid,
                    lease.token,
                    seq,
                    events=events,
                    consume_ids=[*(entry.id for entry in inbox[:taken]), *(["0-1"] if taken > len(inbox) else [])],
                    deadlines=[
                        Due(kind=name, id="1", after=None if after is None else timedelta(minutes=after))
                        for name, after in due.items()
                    ],
                    status="running",
                    reader_version=reader_version,
                    is_progress=is_progress,
                )
            )
        got = refusals[0] if refusals else "ok"
        assert got == expected
        if got == "ok":
            self.set_deadlines(lease.sid, due)

    @contextmanager
    def refusals(self) -> Generator[list[str]]:
        """Notes which refusal came."""
        noted: list[str] = []
        try:
            yield noted
        except LeaseLost:
            noted.append("fenced")
        except JournalConflict:
            noted.append("conflict")

    def set_deadlines(self, sid: str, due: dict[str, int | None]) -> None:
        """The model's part of a commit that went through."""
        for name, after in due.items():
            self.model.deadlines.pop((sid, name), None)
            if after is not None:
                self.model.deadlines[sid, name] = self.model.now + after

    @precondition(lambda self: self.held)
    @rule(back=BACK, behind=st.sampled_from((0, 0, 0, 1, 4, -1)))
    def snapshot(self, back: int, behind: int) -> None:
        """Somebody stores a fold of the journal, perhaps of an earlier position or of another journal."""
        lease = self.lease(back)
        seq = max(0, (self.model.of(lease.sid).seq or 0) - behind)
        said = self.wait(self.store.save_snapshot(lease.sid, lease.token, 1, seq, "{}"))
        assert said == self.model.save_snapshot(lease.sid, lease.token, seq, KEPT)

    @precondition(lambda self: self.held)
    @rule(
        back=BACK, again=st.booleans(), failed=st.booleans(), patient=st.booleans(), minutes=st.sampled_from((0, 0, 15))
    )
    def release(self, back: int, again: bool, failed: bool, patient: bool, minutes: int) -> None:
        """Somebody gives a session back, perhaps for the second time."""
        lease = self.lease(back)
        said = self.wait(
            self.store.release(
                lease.sid, lease.token, again=again, failed=failed, is_patient=patient, delay_ms=minutes * 60_000
            )
        )
        expected = self.model.release(
            lease.sid, lease.token, again=again, failed=failed, is_patient=patient, minutes=minutes
        )
        assert said == expected

    @rule()
    def sweep(self) -> None:
        """A ticker ticks."""
        assert self.wait(self.store.sweep()) == self.model.sweep()

    @rule(sid=st.sampled_from(SIDS), sure=st.sampled_from((False, False, False, False, False, False, True)))
    def forget(self, sid: str, sure: bool) -> None:
        """Once in a while a thread's data is deleted."""
        if not sure:
            return
        self.wait(self.store.forget(sid))
        self.model.forget(sid)

    @invariant()
    def journals_and_inboxes_agree(self) -> None:
        """Every event not trimmed and every entry is there once, in order, and nothing else is; no gap is left."""
        for sid in SIDS:
            session = self.model.of(sid)
            log = self.wait(self.store.read_log(sid))
            assert [(one.seq, one.event) for one in log] == [*enumerate(session.log, start=1)][session.trimmed :]
            snapshot = self.wait(self.store.load_snapshot(sid))
            assert (snapshot.seq if snapshot else 0) == session.snapshot >= session.trimmed
            inbox = [shown(entry) for entry in self.wait(self.store.read_inbox(sid))]
            # Deadlines due in the same sweep come in the order they were due, which minutes cannot tell.
            assert sorted(inbox) == sorted(entry.payload for entry in session.inbox)
            busy = sid in self.model.leases or sid in self.model.queued or bool(session.inbox)
            assert self.wait(self.store.is_idle(sid)) is not busy


def shown(entry: InboxRecord) -> str:
    """An entry as the model writes it."""
    return f"deadline {json.loads(entry.payload)['kind']}" if entry.kind == "deadline" else entry.payload


@pytest.mark.timeout(900)
def test_any_sequence_of_moves_does_what_the_model_says(redis_server: RedisServer) -> None:
    """Pushes, claims, renewals, commits, releases, sweeps, deletions and lapses, stale and repeated ones included."""

    class OnThisServer(Moves):
        server = redis_server

    run_state_machine_as_test(
        OnThisServer,
        settings=settings(
            max_examples=40,
            stateful_step_count=50,
            deadline=None,
            database=None,
            suppress_health_check=[HealthCheck.too_slow],
        ),
    )
    with redis_server.client() as client:
        client.flushall()
