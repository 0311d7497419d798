"""`python -m bot sessions` lists threads, `python -m bot show SESSION` tells what is known of one."""

import argparse
import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from bot.assembly import open_store, redactor
from bot.commands.start import Start, StartProblem, run_command
from bot.render.amounts import money
from runtime.session.ids import SessionKey
from runtime.session.state import RunState, SessionState
from runtime.session.writer import load_state
from runtime.store.redis_store import SessionStore
from runtime.store.values import LogRecord, SessionRow

STATUSES = {"waiting": "waiting", "failed": "error", "running": "running"}
LOOKED_AT = 10_000
"""Sessions that are looked at when only some are wanted."""
SHOWN_EVENTS = 30


def main(arguments: Sequence[str]) -> int:
    """List sessions."""
    parser = argparse.ArgumentParser(prog="python -m bot sessions", description="List threads, newest activity first.")
    only = parser.add_mutually_exclusive_group()
    for name in STATUSES:
        only.add_argument(f"--{name}", dest="only", action="store_const", const=name, help=f"only those {name}")
    parser.add_argument("--limit", type=int, default=50, help="how many at most (50)")
    options = parser.parse_args(arguments)
    return run_command(lambda start: sessions(start, options.only or "", options.limit))


async def sessions(start: Start, only: str, limit: int) -> int:
    """Print a line per session, and what is paused."""
    async with open_store(start) as store:
        for scope, note in (await store.pauses()).items():
            print(f"paused: {'everything' if scope == '*' else scope} ({note})")
        rows = await store.list_sessions(LOOKED_AT if only else limit)
        wanted = [row for row in rows if not only or row.status == STATUSES[only]][:limit]
        for row in wanted:
            print(await line(store, row), flush=True)
        print(f"{len(wanted)} session{'' if len(wanted) == 1 else 's'}{' ' + only if only else ''}")
    return 0


async def line(store: SessionStore, row: SessionRow) -> str:
    """One session: where it stands, since when, who works on it, what it waits for."""
    run = (await load_state(store, row.sid)).run
    parts = [f"{row.sid:<40}", f"{row.status or 'new':<8}", moment(row.active_at_ms)]
    if run is not None:
        parts.append(f"{run.run_id} for {run.requester}: {standing(run)}")
    if row.owner:
        parts.append(f"[{row.owner}]")
    return "  ".join(parts)


def standing(run: RunState) -> str:
    """What a run does or how it ended, in a few words."""
    if run.open_question:
        return f"waits for an answer of {run.questions[run.open_question].asked.asked_of}"
    if run.open_approval:
        return f"waits for {', '.join(run.approvals[run.open_approval].requested.approvers) or 'nobody'} to decide"
    if run.is_active:
        return f"at step {run.spent.steps + 1}"
    return f"{run.outcome.value if run.outcome else 'ended'}{' ' + run.detail if run.detail else ''}"


def show_main(arguments: Sequence[str]) -> int:
    """Show one session."""
    parser = argparse.ArgumentParser(prog="python -m bot show", description="What is known of one thread.")
    parser.add_argument("session", help="TEAM:CHANNEL:THREAD_TS, as `sessions` prints it")
    parser.add_argument("--events", type=int, default=SHOWN_EVENTS, help=f"newest events shown ({SHOWN_EVENTS})")
    parser.add_argument("--json", action="store_true", help="the whole journal, an event per line, without secrets")
    options = parser.parse_args(arguments)
    return run_command(lambda start: show(start, session_id(options.session), options.events, as_json=options.json))


def session_id(text: str) -> str:
    """The id as it was typed.

    Raises:
        StartProblem: it is none.
    """
    try:
        return str(SessionKey.parse(text))
    except ValueError as error:
        raise StartProblem(f"{error}; `python -m bot sessions` lists them.") from error


async def show(start: Start, sid: str, events: int, *, as_json: bool) -> int:
    """Print a session's runs, what waits in its inbox, and its newest events."""
    async with open_store(start) as store:
        if not await store.exists(sid):
            raise StartProblem(f"There is no session {sid}; `python -m bot sessions` lists them.")
        records = await store.read_log(sid)
        if as_json:
            redact = redactor(start)
            for record in records:
                event = redact.json(json.loads(record.event))
                print(json.dumps({"seq": record.seq, "at_ms": record.at_ms, "event": event}))
            return 0
        print("\n".join(described(await load_state(store, sid))))
        for entry in await store.read_inbox(sid):
            print(f"inbox: {entry.kind} of {moment(entry.at_ms)}")
        for record in records[-events:] if events else []:
            print(event_line(record))
    return 0


def described(state: SessionState) -> Iterator[str]:
    """The session and each of its runs."""
    yield f"session {state.session_id}: {state.status}, {state.seq} events, last at {moment(state.at_ms)}"
    for run in state.runs:
        spent = f"{run.spent.steps} steps, {run.spent.usage.total} tokens, {money(run.spent.micros)}"
        yield f"run {run.run_id} for {run.requester}: {standing(run)}; {spent}"


def event_line(record: LogRecord) -> str:
    """One event: number, time, kind, and what identifies it. Content stays in the journal."""
    event = json.loads(record.event)
    names = ("run_id", "call_id", "question_id", "approval_id", "op", "status", "verdict", "outcome", "problem", "by")
    about = " ".join(f"{name}={event[name]}" for name in names if event.get(name))
    return f"{record.seq:>5}  {moment(record.at_ms)}  {event.get('kind', '?'):<20} {about}".rstrip()


def moment(at_ms: int) -> str:
    """A time to the second, in UTC."""
    return f"{datetime.fromtimestamp(at_ms / 1000, UTC):%Y-%m-%d %H:%M:%SZ}"
