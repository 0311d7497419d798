"""Working time: the deadline in Redis counts every hour, also those in which no process worked at the run."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

from runtime.session.deadlines import Deadline
from runtime.session.entries import AnyEntry, DeadlineEntry
from runtime.session.state import AgentState, RunState
from runtime.session.writer import SessionWriter


@dataclass(slots=True, kw_only=True)
class WorkClock:
    """How long a run was worked at: what the journal says, and what passed since this turn began its steps."""

    run_id: str = ""
    before_ms: int = 0
    """Working time when the steps began."""
    since_ms: int = 0

    @contextmanager
    def running(self, session: SessionWriter) -> Generator[None]:
        """Steps are taken within the block."""
        run = session.state.active_run
        if run is not None:
            self.run_id, self.before_ms, self.since_ms = run.run_id, run.spent.working_ms, session.lease.now_ms()
        try:
            yield
        finally:
            self.run_id = ""

    def worked_ms(self, run: RunState, now_ms: int) -> int:
        """Working time of a run so far."""
        under_way = self.before_ms + now_ms - self.since_ms if run.run_id == self.run_id else 0
        return max(run.spent.working_ms, under_way)

    def not_yet(self, entry: AnyEntry, session: SessionWriter, at_ms: int) -> Deadline | None:
        """The deadline of working time anew, where it passed while nobody worked; None for everything else.

        Args:
            entry: from the inbox.
            session: what it is for.
            at_ms: the server's time of its arrival.
        """
        run = session.state.active_run
        if not isinstance(entry, DeadlineEntry) or entry.name != "run" or run is None or entry.about != run.run_id:
            return None
        left = run.limits.wall_ms - self.worked_ms(run, max(at_ms, session.lease.now_ms()))
        if left <= 0 or run.state is not AgentState.RUNNING:
            return None
        return Deadline(name="run", about=run.run_id, due_in=timedelta(milliseconds=left))
