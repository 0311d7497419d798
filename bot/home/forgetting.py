"""Deleting a person's data: journals, files and what was remembered. The audit keeps digests, so its chain holds."""

import asyncio
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from runtime.session.ids import SessionKey, workspace_name
from runtime.session.state import SessionState
from runtime.session.writer import load_state
from runtime.store.redis_store import SessionStore

LOOKED_AT: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What came of it."""

    deleted: int
    shared: int
    """Threads in which others spoke as well; they expire with their retention."""
    running: int
    """Threads with work under way."""


def speakers(state: SessionState) -> frozenset[str]:
    """Everybody who spoke or asked in a session."""
    return frozenset(state.people) | {run.requester for run in state.runs}


async def forget(store: SessionStore, workspaces: Path, team: str, user: str) -> Forgotten:
    """Delete every idle thread that is this person's alone.

    Raises:
        StoreUnavailable: Redis is away; asking again goes on where it ended.
    """
    deleted = shared = running = 0
    for row in await store.list_sessions(LOOKED_AT):
        if not row.sid.startswith(f"{team}:"):
            continue
        state = await load_state(store, row.sid)
        who = speakers(state)
        if user not in who:
            continue
        if len(who) > 1:
            shared += 1
        elif state.active_run is not None:
            running += 1
        else:
            await forget_session(store, workspaces, row.sid)
            deleted += 1
    return Forgotten(deleted=deleted, shared=shared, running=running)


async def forget_session(store: SessionStore, workspaces: Path, sid: str) -> None:
    """Delete one session: journal, inbox, snapshot and files."""
    await store.forget(sid)
    await asyncio.to_thread(shutil.rmtree, workspaces / workspace_name(sid), ignore_errors=True)


async def forget_team(store: SessionStore, workspaces: Path, team: str) -> int:
    """Delete everything of a workspace that removed the app; how many threads that were."""
    rows = [row for row in await store.list_sessions(LOOKED_AT) if SessionKey.parse(row.sid).team == team]
    for row in rows:
        await forget_session(store, workspaces, row.sid)
    return len(rows)
