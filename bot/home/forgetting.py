"""Deleting data: journals, files and what was remembered. The audit keeps digests, so its chain holds."""

import asyncio
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bot.delivery.recall import ThreadMemory
from bot.home.overview import OPEN
from runtime.audit.trail import AuditLog
from runtime.schedule.store import Schedules
from runtime.session.commands import Commands
from runtime.session.entries import StopEntry
from runtime.session.ids import SessionKey, workspace_name
from runtime.session.state import SessionState
from runtime.session.stopping import FAR
from runtime.session.writer import load_state
from runtime.store.redis_store import SessionStore

LOOKED_AT: Final = 10_000
PAGE: Final = 100
AT_ONCE: Final = 10
"""Journals that are read at the same time."""
OFFERED: Final = 25
"""The newest threads that are offered for deletion one by one."""


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
    """Delete every idle thread that is this person's alone, and what they have scheduled.

    Raises:
        StoreUnavailable: Redis is away; asking again goes on where it ended.
    """
    deleted = shared = running = 0
    await Schedules.beside(store).drop_team(team, user)
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


async def threads_of(store: SessionStore, team: str, user: str) -> tuple[SessionState, ...]:
    """The newest threads that are this person's alone, newest first, however many of others lie between.

    That may take a while: the journals of everybody's threads are read until enough are found.

    Raises:
        StoreUnavailable: Redis is away.
    """
    found: list[SessionState] = []
    for skip in range(0, LOOKED_AT, PAGE):
        rows = await store.list_sessions(PAGE, skip=skip)
        sids = [row.sid for row in rows if row.sid.startswith(f"{team}:")]
        for start in range(0, len(sids), AT_ONCE):
            states = await asyncio.gather(*(load_state(store, sid) for sid in sids[start : start + AT_ONCE]))
            found += [state for state in states if speakers(state) == frozenset({user})]
            if len(found) >= OFFERED:
                return tuple(found[:OFFERED])
        if len(rows) < PAGE:
            break
    return tuple(found)


async def forget_thread(store: SessionStore, workspaces: Path, sid: str, user: str) -> Forgotten:
    """Delete one thread, where it is this person's alone and idle.

    Raises:
        StoreUnavailable: Redis is away; asking again is safe.
    """
    state = await load_state(store, sid)
    is_theirs, runs = speakers(state) == frozenset({user}), state.active_run is not None
    if is_theirs and not runs:
        await forget_session(store, workspaces, sid)
    return Forgotten(deleted=int(is_theirs and not runs), shared=int(not is_theirs), running=int(is_theirs and runs))


async def forget_session(store: SessionStore, workspaces: Path, sid: str) -> None:
    """Delete one session: journal, inbox, snapshot, what was heard in its thread, files, and names in the audit log."""
    await store.forget(sid)
    await AuditLog(store=store).forget_session(sid)
    key = SessionKey.parse(sid)
    await ThreadMemory(store=store, team=key.team).forget(key.channel, key.thread_ts)
    await asyncio.to_thread(remove_files, workspaces, sid)


def remove_files(workspaces: Path, sid: str) -> None:
    """Delete a session's files and what the bot keeps beside them."""
    for path in workspaces.glob(f"{workspace_name(sid)}*"):
        shutil.rmtree(path, ignore_errors=True)


async def forget_team(store: SessionStore, workspaces: Path, team: str) -> int:
    """Delete everything of a workspace that removed the app; how many threads that were."""
    rows = [row for row in await store.list_sessions(LOOKED_AT) if SessionKey.parse(row.sid).team == team]
    for row in rows:
        await forget_session(store, workspaces, row.sid)
    await AuditLog(store=store).chain(team).forget_all()
    await Schedules.beside(store).drop_team(team)
    return len(rows)


async def stop_team(store: SessionStore, team: str, why: str) -> int:
    """End every run of a workspace that can no longer be spoken to; how many. `why` names the occasion."""
    rows = [row for row in await store.list_sessions(LOOKED_AT) if SessionKey.parse(row.sid).team == team]
    busy = [row for row in rows if row.status in OPEN]
    for row in busy:
        entry = StopEntry(entry_id=f"revoked:{why}", by="", before_ts=FAR, how="command")
        await Commands(store).stop(SessionKey.parse(row.sid), entry)
    return len(busy)
