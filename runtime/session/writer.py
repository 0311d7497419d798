"""The one writer of a session while its lease lasts: agent and delivery append through it, in one order."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Sequence
from typing import Protocol

from runtime.engine.lease import Lease
from runtime.session import snapshot
from runtime.session.ahead import Planned, RunOver, as_of, folded_at, longer, planned
from runtime.session.deadlines import Deadline, between
from runtime.session.events import READER_VERSION, AnyEvent
from runtime.session.state import SessionState
from runtime.store.redis_store import SessionStore
from runtime.store.values import Due

SNAPSHOT_EVERY = 200
"""Events between two snapshots where the settings do not say."""


async def load_state(store: SessionStore, session_id: str) -> SessionState:
    """Fold a session's journal; for reading, without a lease."""
    return (await snapshot.load(store, session_id)).state


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
        self.ahead: Planned | None = None
        """What is being stored for `commit_soon` and is not in `state` yet."""
        self.is_sent = True
        """Whether `ahead` is on its way, so that nothing can be added to it."""
        self.storing: asyncio.Task[None] | None = None

    @property
    def latest(self) -> SessionState:
        """The state with what `commit_soon` is still storing. Only the agent may reckon with that: nobody sees it."""
        ahead = self.ahead
        if ahead is None:
            return self.state
        if ahead.states[0] is not self.state:
            try:
                ahead = self.ahead = as_of(ahead, self.state)
            except RunOver:
                return self.state
        return ahead.states[-1]

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

    async def commit_soon(self, *events: AnyEvent) -> None:
        """Append events while something else goes on: `latest` has them at once. They join what was not yet sent.

        What follows may read and ask. Before it changes anything, it calls `settled`.

        Raises:
            RunOver: the run the events belong to has ended meanwhile; nothing was written.
            StoreUnavailable, LeaseLost, JournalConflict: what was to be stored before could not be.
        """
        if self.ahead is not None and not self.is_sent:
            self.ahead = longer(as_of(self.ahead, self.state), events)
            return
        await self.settled()
        self.ahead, self.is_sent = planned(self.state, events, self.lease.now_ms()), False
        self.storing = asyncio.create_task(self.append_ahead())

    async def settled(self) -> None:
        """Wait until what `commit_soon` was given is stored.

        Raises:
            RunOver, StoreUnavailable, LeaseLost, JournalConflict: it could not be; see `commit`.
        """
        storing = self.storing
        if storing is None:
            return
        try:
            await asyncio.shield(storing)
        finally:
            if storing.done():
                self.storing = None

    async def written(self) -> None:
        """Wait until nothing is being stored any more; what came of it, `settled` says."""
        if self.storing is not None:
            await asyncio.wait({self.storing})

    def check(self) -> None:
        """Raise what `settled` would, where that is known already."""
        if self.storing is not None and self.storing.done():
            storing, self.storing = self.storing, None
            storing.result()

    @contextlib.asynccontextmanager
    async def settling(self) -> AsyncGenerator[None]:
        """Leave nothing unstored behind, however the block ends. What it raises comes first."""
        try:
            yield
        finally:
            storing, self.storing = self.storing, None
            if storing is not None:
                await asyncio.gather(asyncio.shield(storing), return_exceptions=True)
        if storing is not None:
            storing.result()

    async def append_ahead(self) -> None:
        """The body of `commit_soon`."""
        try:
            async with self.lock:
                self.is_sent = True
                assert self.ahead is not None
                self.ahead = as_of(self.ahead, self.state)
                await self.store_plan(self.ahead, (), ())
        finally:
            self.ahead = None
        self.announce()

    async def append(self, events: Sequence[AnyEvent], consume: Sequence[str], due: Sequence[Deadline]) -> SessionState:
        """The body of `commit`."""
        async with self.lock:
            await self.store_plan(planned(self.state, events, self.lease.now_ms()), consume, due)
        self.announce()
        return self.state

    async def store_plan(self, plan: Planned, consume: Sequence[str], due: Sequence[Deadline]) -> None:
        """Write what was folded ahead, and take up its state. The caller holds the lock."""
        before, after = plan.states[0], plan.states[-1]
        moved = (*between(before, after, plan.now_ms), *due)
        committed = await self.store.commit(
            self.session_id,
            self.lease.token,
            before.seq,
            events=[event.model_dump_json() for event in plan.events],
            consume_ids=consume,
            deadlines=[Due(kind=d.name, id=d.about, after=d.due_in) for d in moved],
            status=after.status,
            reader_version=READER_VERSION,
            is_progress=any(event.kind in PROGRESS for event in plan.events),
        )
        self.lease.observe(committed.at_ms)
        self.state = folded_at(plan.states, plan.events, committed.at_ms)
        if plan is self.ahead:
            self.ahead = None
        if self.witness is not None:
            await self.witness.saw(plan.events, committed.seq, committed.at_ms)
        await self.keep_snapshot()

    def announce(self) -> None:
        """Wake whoever waits for a longer journal."""
        self.grown.set()
        self.grown = asyncio.Event()

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
