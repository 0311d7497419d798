"""`python -m bot forget`: delete a thread's data, or every thread in which a person spoke."""

import argparse
from collections.abc import Sequence

from bot.assembly import open_store
from bot.commands.sessions import session_id
from bot.commands.start import Start, StartProblem, run_command
from bot.home.forgetting import forget_session, speakers
from runtime.audit.trail import AuditLog
from runtime.schedule.store import Schedules
from runtime.session.writer import load_state
from runtime.store.redis_store import SessionStore

ALL = 1_000_000


def main(arguments: Sequence[str]) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(
        prog="python -m bot forget",
        description="Delete journals, inboxes, snapshots and workspaces. Messages in Slack stay; the audit log keeps "
        "its digests, which then no longer tell which thread and whose they were.",
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--session", help="TEAM:CHANNEL:THREAD_TS, as `sessions` prints it")
    what.add_argument("--person", help="a user id: every thread in which this person spoke, and their schedules")
    parser.add_argument("--yes", action="store_true", help="really delete; else only say what would be")
    options = parser.parse_args(arguments)
    return run_command(lambda start: forget(start, options.session or "", options.person or "", really=options.yes))


async def forget(start: Start, session: str, person: str, *, really: bool) -> int:
    """Find what is meant, and delete it when that is wanted."""
    async with open_store(start) as store:
        found = [session_id(session)] if session else await of_person(store, person)
        if session and not await store.exists(found[0]):
            raise StartProblem(f"There is no session {session}; `python -m bot sessions` lists them.")
        if really and person:
            await drop_schedules(store, person)
        for sid in found:
            if really:
                await forget_session(store, start.data / "workspaces", sid)
            print(f"{'deleted' if really else 'would delete'}: {sid}", flush=True)
        if person:
            if really:
                await AuditLog(store=store).forget_person(person)
            print(f"{'made' if really else 'would make'} anonymous: {person} in the audit log", flush=True)
    if (found or person) and not really:
        print("Nothing was deleted; add --yes to do it.")
    return 0


async def drop_schedules(store: SessionStore, person: str) -> None:
    """Delete what somebody has scheduled."""
    schedules = Schedules.beside(store)
    for schedule in await schedules.of(person):
        await schedules.drop(schedule.id)
        print(f"deleted: schedule {schedule.id}", flush=True)


async def of_person(store: SessionStore, person: str) -> list[str]:
    """Every session in which somebody spoke."""
    rows = await store.list_sessions(ALL)
    return [row.sid for row in rows if person in speakers(await load_state(store, row.sid))]
