"""What runs and what waits for a person, read from the journals; any replica can."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from bot.delivery.status import title_of
from runtime.session.ids import SessionKey
from runtime.session.state import AgentState, ApprovalState, QuestionState, RunState, SessionState
from runtime.session.writer import load_state
from runtime.store.redis_store import SessionStore

LOOKED_AT: Final = 200
"""The newest sessions that are looked at; whatever waits longer is found in its thread."""
OPEN: Final = frozenset({AgentState.RUNNING.value, AgentState.WAITING.value})
SHOWN: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A run under way."""

    key: SessionKey
    run: RunState
    title: str

    @property
    def question(self) -> QuestionState | None:
        """The question it waits for."""
        return self.run.questions.get(self.run.open_question)

    @property
    def approval(self) -> ApprovalState | None:
        """The approval it waits for."""
        return self.run.approvals.get(self.run.open_approval)

    def waits_for(self, user: str) -> bool:
        """Whether this person is asked. Groups are not resolved: their members see the card in the thread."""
        if self.question is not None:
            return self.question.asked.asked_of == user
        if self.run.open_limit:
            asked = self.run.limits_reached[self.run.open_limit].reached.approvers
        else:
            asked = self.approval.approvers if self.approval is not None else ()
        return user in asked or ("requester" in asked and user == self.run.requester)


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """One person's view of one workspace."""

    mine: tuple[Task, ...]
    """Runs the person asked for."""
    waiting: tuple[Task, ...]
    """Runs that wait for the person."""


async def tasks(store: SessionStore, team: str) -> tuple[Task, ...]:
    """Every run under way in a workspace, newest first.

    Raises:
        StoreUnavailable: Redis is away.
    """
    newest = await store.list_sessions(LOOKED_AT)
    rows = [row for row in newest if row.status in OPEN and row.sid.startswith(f"{team}:")]
    states = await asyncio.gather(*(load_state(store, row.sid) for row in rows))
    return tuple(found(states))


def found(states: list[SessionState]) -> Iterator[Task]:
    """The active run of each session."""
    for state in states:
        run = state.active_run
        if run is not None:
            yield Task(key=SessionKey.parse(state.session_id), run=run, title=title_of(state))


async def overview(store: SessionStore, team: str, user: str) -> Overview:
    """What concerns one person.

    Raises:
        StoreUnavailable: Redis is away.
    """
    every = await tasks(store, team)
    return Overview(
        mine=tuple(task for task in every if task.run.requester == user),
        waiting=tuple(task for task in every if task.waits_for(user)),
    )
