"""Runs one session while its lease lasts: take in the inbox, drive the agent, let the conversation keep up.

Above: the engine, which decides which worker holds which session, and when. Below: the journal through one writer.
"""

import asyncio
import contextlib
import hashlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Protocol

from runtime.audit.trail import AuditLog
from runtime.context import at_work_on
from runtime.engine.lease import Lease
from runtime.engine.port import RunOutcome as EngineOutcome
from runtime.ports import Conversation, View
from runtime.session import intake
from runtime.session.ahead import RunOver
from runtime.session.caution import USUAL, Caution, Reason
from runtime.session.entries import AnyEntry
from runtime.session.events import EntryIgnored, NoticeCode, NoticeQueued, RunStarted
from runtime.session.interrupted import abandoned
from runtime.session.opening import open_writer
from runtime.session.overtaking import as_they_stand
from runtime.session.reading import readable, unless_stopped
from runtime.session.state import AgentState, SessionState
from runtime.session.stopping import begun
from runtime.session.working_time import WorkClock
from runtime.session.writer import SNAPSHOT_EVERY, SessionWriter
from runtime.store.errors import StoreUnavailable
from runtime.store.redis_store import SessionStore
from tools.workspace import Workspace


class Crowded(Exception):
    """The run's person or channel has no place left at work; the session comes back later."""


class Places(Protocol):
    """Places at work, of each person and channel. Implementation: `runtime.budget.seats.Seats`."""

    async def take(self, session: SessionWriter) -> bool:
        """Take or keep the active run's place; False when there is none."""
        ...

    async def leave(self, session: SessionWriter) -> None:
        """Give back what any of the session's runs took."""
        ...


class RunnableAgent(Protocol):
    """What the runner needs of an agent: steps until it pauses."""

    async def run(self, pause: Callable[[], Awaitable[bool]]) -> None:
        """Take steps until the run no longer runs or `pause` says so."""
        ...


class AgentHouse(Protocol):
    """Makes agents and workspaces: the composition root's answer to "which agent, with which tools"."""

    def start(self, state: SessionState) -> RunStarted:
        """The event that starts a run on the messages nobody has taken up."""
        ...

    def agent(self, session: SessionWriter, workspace: Workspace) -> RunnableAgent:
        """The agent of the active run."""
        ...

    async def workspace(self, session_id: str) -> Workspace:
        """The session's workspace, made ready."""
        ...


LOOK_AGAIN = timedelta(seconds=2)
"""How often a paused session is looked at."""
TYPED_ANSWER = timedelta(seconds=1)
"""How often the inbox is looked at while a call waits for an answer: a message, unlike a click, rings no bell."""
RETRY_FIRST = timedelta(seconds=2)
"""How long after a failed delivery the session is tried again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    """Implements the engine's `SessionRunner` for the agent's life."""

    store: SessionStore
    house: AgentHouse
    conversation: Conversation
    snapshot_every: int = SNAPSHOT_EVERY
    """Events between two snapshots."""
    caution: Caution = USUAL
    """When a person is asked before an interrupted run goes on."""
    places: Places | None = None
    """None: as many as there are slots."""
    audit: AuditLog | None = None
    """Where requests and decisions are recorded; None: nowhere."""

    async def run(self, lease: Lease, preempt: asyncio.Event, slice_over: Callable[[], bool]) -> EngineOutcome:
        """Run until idle, waiting, preempted by the time slice, or out of work.

        Raises:
            LeaseLost: another runner holds the session; nothing more was written.
            StoreUnavailable: Redis is away; the lease will lapse and the session be claimed again.
        """
        session = await open_writer(self.store, lease, self.snapshot_every)
        if self.audit is not None:
            session.witness = await self.audit.open(session.session_id, session.state.seq)
        workspace = await self.house.workspace(session.session_id)
        view = self.conversation.view(session, workspace)
        if lease.paused:
            return await held(session, view, lease.paused)
        turn = Turn(runner=self, session=session, workspace=workspace, preempt=preempt, slice_over=slice_over)
        crowded, again = False, True
        try:
            async with following(view, session.session_id):
                again = await turn.work()
        except Crowded:
            crowded = True
        finally:
            if self.places is not None:
                with contextlib.suppress(StoreUnavailable):
                    await self.places.leave(session)
        settled = await view.settle()
        return EngineOutcome(again=again, delay=None if settled and not crowded else RETRY_FIRST)


async def held(session: SessionWriter, view: View, why: str) -> EngineOutcome:
    """An operator has paused the session: nothing is done in it; who waits for a run that works is told once."""
    run = session.state.active_run
    if run is not None and run.state is AgentState.RUNNING:
        notice_id = f"paused:{run.run_id}:{hashlib.sha256(why.encode()).hexdigest()[:12]}"
        if notice_id not in session.state.posts and notice_id not in session.state.notices:
            await session.commit(NoticeQueued(notice_id=notice_id, code=NoticeCode.PAUSED, to=run.requester))
        await view.settle()
    return EngineOutcome(again=True, delay=LOOK_AGAIN, is_patient=True)


@contextlib.asynccontextmanager
async def following(view: View, session_id: str) -> AsyncGenerator[None]:
    """Delivery beside the agent; it is stopped before the final settling so that one writer posts at a time."""
    task = asyncio.create_task(view.follow(), name=f"follow {session_id}")
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One stretch of work under one lease."""

    runner: Runner
    session: SessionWriter
    workspace: Workspace
    preempt: asyncio.Event
    slice_over: Callable[[], bool]
    taking_in: asyncio.Lock = field(default_factory=asyncio.Lock)
    """The agent between its steps and the preempting bell both take in; an entry is consumed by one of them."""
    clock: WorkClock = field(default_factory=WorkClock)

    async def work(self) -> bool:
        """Alternate between inbox and agent until there is nothing to do.

        Returns:
            True when the time slice ended with work left.
        """
        await self.forget_waits()
        reason = await self.doubt()
        if reason is not None:
            # Before anything is taken in: the time away is no working time, so its deadline must find the run waiting.
            await self.ask(reason)
        while True:
            await self.take_in()
            if reason is not None:
                await self.ask(reason)
                reason = None
            run = self.session.state.active_run
            if run is None or run.state is not AgentState.RUNNING:
                return False
            if self.slice_over():
                return True
            await self.be_seated()
            agent = self.runner.house.agent(self.session, self.workspace)
            with self.clock.running(self.session):
                await self.preemptible(agent.run(self.pause))

    async def forget_waits(self) -> None:
        """Close the question of a call that no process waits in any more; its effect class decides what follows."""
        run = self.session.state.active_run
        if run is not None and run.open_question:
            question = run.questions[run.open_question].asked
            if question.purpose == "server_asks":
                await self.session.commit(abandoned(question))

    async def doubt(self) -> Reason | None:
        """Why the run should not simply go on, judged by what was found when the session was opened."""
        inbox = await self.runner.store.read_inbox(self.session.session_id)
        return self.runner.caution.reason(self.session.lease, self.session.state, inbox)

    async def ask(self, reason: Reason) -> None:
        """Let a person say whether the run goes on."""
        lease = self.session.lease
        asked = self.runner.caution.question_about(reason, self.session.state, lease.now_ms())
        if asked is not None:
            await self.session.commit(asked)

    async def be_seated(self) -> None:
        """Take the run's place at work, or keep it.

        Raises:
            Crowded: there is none.
        """
        if self.runner.places is not None and not await self.runner.places.take(self.session):
            raise Crowded(self.session.session_id)

    async def pause(self) -> bool:
        """Between steps: take in what arrived; stop stepping when the slice is over or a click waits."""
        await self.take_in()
        if self.session.state.active_run is not None:
            await self.be_seated()
        return self.slice_over()

    async def preemptible(self, stepping: Coroutine[Any, Any, None]) -> None:
        """Step until done, but let an urgent entry (stop, decision, deadline) that ends the run cancel the step."""
        task = asyncio.create_task(stepping, name=f"agent {self.session.session_id}")
        began = self.session.state.active_run
        try:
            while not task.done():
                bell = asyncio.create_task(self.preempt.wait())
                seconds = TYPED_ANSWER.total_seconds()
                await asyncio.wait({task, bell}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
                bell.cancel()
                run = self.session.state.active_run
                if self.preempt.is_set() or (run is not None and run.open_question):
                    self.preempt.clear()
                    await self.take_in()
                    run = self.session.state.active_run
                    # Ended, another one begun since, or out of time: the step under way is cancelled.
                    if run is None or began is None or run.run_id != began.run_id or run.open_limit:
                        break
        finally:
            if not task.done():
                task.cancel()
            with contextlib.suppress(asyncio.CancelledError, RunOver):
                await task

    async def take_in(self) -> None:
        """Consume the inbox in order; a message that no run takes up starts one."""
        async with self.taking_in:
            await self.consume()

    async def consume(self) -> None:
        """One pass over the inbox."""
        records = await self.runner.store.read_inbox(self.session.session_id)
        for record, entry in zip(records, as_they_stand([readable(record) for record in records]), strict=True):
            if entry is None or isinstance(entry, str):
                ignored = EntryIgnored(entry=record.id, reason=entry or f"unreadable {record.kind}")
                await self.session.commit(ignored, consume=[record.id])
                continue
            if again := self.clock.not_yet(entry, self.session, record.at_ms):
                early = EntryIgnored(entry=record.id, reason="working time is left")
                await self.session.commit(early, consume=[record.id], due=[again])
                continue
            await self.accept(await self.read(entry), record.id)
            await self.start_if_asked()
        await self.start_if_asked()

    async def accept(self, entry: AnyEntry, record_id: str) -> None:
        """Append what an entry means, and what it means instead where the run that it is about ends on the way."""
        try:
            await self.append(entry, record_id)
        except RunOver:
            await self.append(entry, record_id)

    async def append(self, entry: AnyEntry, record_id: str) -> None:
        """Append what an entry means as things are."""
        events = intake.take_in(self.session.state, entry, now_ms=self.session.lease.now_ms())
        await self.session.commit(*events, consume=[record_id])

    async def read(self, entry: AnyEntry) -> AnyEntry:
        """What the outside adds to an entry; a stop that makes that vain ends the reading."""
        reading = self.runner.conversation.enrich(entry, self.session.state, self.workspace)
        return await unless_stopped(entry, reading, self.session, self.runner.store)

    async def start_if_asked(self) -> None:
        """Start a run when messages wait and none is active."""
        state = self.session.state
        if state.untaken and state.active_run is None:
            if self.runner.places is not None:
                # The next run may be another person's, or a schedule's: it keeps no place of the run before.
                await self.runner.places.leave(self.session)
            state = await self.session.commit(*begun(state, self.runner.house.start(state)))
        if state.run is not None:
            at_work_on(state.run.run_id)
