"""The one writer of a session while its lease lasts: agent and delivery append through it, in one order."""

import asyncio
from collections.abc import Sequence
from typing import Protocol

from runtime.engine.lease import Lease
from runtime.session import snapshot
from runtime.session.deadlines import Deadline, between
from runtime.session.events import READER_VERSION, AnyEvent
from runtime.session.fold import fold
from runtime.session.folding import replace
from runtime.session.state import RunState, SessionState
from runtime.store.redis_store import SessionStore
from runtime.store.values import Due

SNAPSHOT_EVERY = 200
"""Events between two snapshots where the settings do not say."""


async def load_state(store: SessionStore, session_id: str) -> SessionState:
    """Fold a session's journal; for reading, without a lease."""
    return (await snapshot.load(store, session_id)).state


STAMPED = frozenset(
    {"run_started", "call_started", "run_finished", "question_asked", "approval_requested", "limit_reached"}
)
"""Events whose fold keeps the time of the append; the others only move the state's own clock."""


def folded(state: SessionState, events: Sequence[AnyEvent], at_ms: int) -> tuple[SessionState, ...]:
    """The states before, between and after the events of one commit."""
    states = [state]
    for event in events:
        states.append(fold(states[-1], event, at_ms=at_ms))
    return tuple(states)


def folded_at(planned: Sequence[SessionState], events: Sequence[AnyEvent], at_ms: int) -> SessionState:
    """What was folded ahead of a commit, as of the time that the server gave it.

    Only from the first event on that keeps the time is it folded again.
    """
    if not events or planned[-1].at_ms == at_ms:
        return planned[-1]
    kept = next((place for place, event in enumerate(events) if event.kind in STAMPED), len(events))
    return folded(replace(planned[kept], at_ms=at_ms), events[kept:], at_ms)[-1]


class RunOver(Exception):
    """The run ended (stopped, timed out) while this step was under way; the step gives up quietly."""


OF_STEPS = frozenset({"model_replied", "call_started", "call_finished", "question_asked", "approval_requested"})
"""What a step writes; a run that waits at a limit takes none of it."""


PROGRESS = frozenset(
    {
        "model_replied",
        "call_finished",
        "question_asked",
        "approval_requested",
        "memory_compacted",
        "answer_checked",
        "flow_planned",
        "flow_step_ended",
        "limit_reached",
        "run_finished",
    }
)
"""After one of these a crash is not the same one again. Neither an intent nor a post brings a run further."""


def is_too_late(run: RunState | None, event: AnyEvent) -> bool:
    """Whether a run has ended, or was halted at a limit, while the step that writes this was under way."""
    if run is None or run.run_id != getattr(event, "run_id", ""):
        return False
    return not run.is_active or (bool(run.open_limit) and event.kind in OF_STEPS)


class Witness(Protocol):
    """Hears of every commit before its caller does: the audit log, which must not lag behind what follows."""

    async def saw(self, events: Sequence[AnyEvent], seq: int, at_ms: int) -> None:
        """Events of one commit, the position of the last of them, and its server time."""
        ...


class SessionWriter:
    """Appends events under a lease and keeps the folded state beside them.

    The lock protects the pair (journal position, folded state): agent and delivery commit concurrently.
    """

    def __init__(
        self,
        store: SessionStore,
        lease: Lease,
        state: SessionState,
        *,
        snapshot_every: int = SNAPSHOT_EVERY,
        snapshot_seq: int = 0,
    ) -> None:
        self.lease = lease
        self.state = state
        self.store = store
        self.snapshot_every = snapshot_every
        self.snapshot_seq = snapshot_seq
        self.lock = asyncio.Lock()
        self.grown = asyncio.Event()
        """Set when the journal becomes longer; then another one takes its place."""
        self.witness: Witness | None = None

    @property
    def session_id(self) -> str:
        """The session this writer belongs to."""
        return self.state.session_id

    async def commit(
        self, *events: AnyEvent, consume: Sequence[str] = (), due: Sequence[Deadline] = ()
    ) -> SessionState:
        """Append events, consume inbox entries and move deadlines in one atomic step.

        A cancelled caller does not tear it: the append and the fold finish together.

        Args:
            events: in order.
            consume: inbox ids that these events account for.
            due: deadlines to set or clear beside those that follow from the events.

        Raises:
            RunOver: the run the events belong to has ended meanwhile; nothing was written.
            LeaseLost: another runner holds the session; nothing was written.
            JournalConflict: somebody appended meanwhile; nothing was written.
            OutcomeUnknown: the reply was lost; drop this writer and load again.
        """
        return await asyncio.shield(asyncio.create_task(self.append(events, consume, due)))

    async def append(self, events: Sequence[AnyEvent], consume: Sequence[str], due: Sequence[Deadline]) -> SessionState:
        """The body of `commit`."""
        async with self.lock:
            before = self.state
            for event in events:
                if is_too_late(before.run, event):
                    raise RunOver(f"{event.kind} comes after the end of its run or of its time; it is not written")
            now_ms = self.lease.now_ms()
            planned = folded(before, events, now_ms)
            moved = (*between(before, planned[-1], now_ms), *due)
            committed = await self.store.commit(
                self.session_id,
                self.lease.token,
                before.seq,
                events=[event.model_dump_json() for event in events],
                consume_ids=consume,
                deadlines=[Due(kind=d.name, id=d.about, after=d.due_in) for d in moved],
                status=planned[-1].status,
                reader_version=READER_VERSION,
                is_progress=any(event.kind in PROGRESS for event in events),
            )
            self.lease.observe(committed.at_ms)
            self.state = folded_at(planned, events, committed.at_ms)
            if self.witness is not None:
                await self.witness.saw(events, committed.seq, committed.at_ms)
            await self.keep_snapshot()
        self.grown.set()
        self.grown = asyncio.Event()
        return self.state

    async def keep_snapshot(self) -> None:
        """Store the state now and then, so that opening the session reads a bounded part of the journal."""
        if self.state.seq - self.snapshot_seq < self.snapshot_every:
            return
        if await snapshot.save(self.store, self.lease.token, self.state):
            self.snapshot_seq = self.state.seq

    async def changed(self, after_seq: int) -> SessionState:
        """Wait until the journal is longer than `after_seq`."""
        while self.state.seq <= after_seq:
            await self.grown.wait()
        return self.state

    def may_act(self) -> bool:
        """True while the lease is surely ours: checked before every effect outside Redis."""
        return self.lease.is_safe()
