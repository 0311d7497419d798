"""Journals as they were recorded, kept for ever: one file per journal, one folder per schema version.

A line is `{"at_ms": ..., "event": {...}}`; the last line is `{"state": {...}}`, what the journal folded to then.
`python -m tests.durability.recordings FILE` replaces the last line after a deliberate change of the fold, which
raises `FOLD_VERSION`; the events themselves are never touched.
"""

import json
import sys
from pathlib import Path

from runtime.session import snapshot
from runtime.session.events import load_event
from runtime.session.fold import fold
from runtime.session.state import SessionState
from runtime.store.redis_store import SessionStore

FOLDER = Path(__file__).parents[1] / "data" / "journals"


def replay(lines: list[str], session_id: str) -> SessionState:
    """Fold recorded events with today's code."""
    state = SessionState(session_id=session_id)
    for line in lines:
        recorded = json.loads(line)
        state = fold(state, load_event(json.dumps(recorded["event"])), at_ms=recorded["at_ms"])
    return state


def last_line(state: SessionState) -> str:
    """What a journal folds to, with sets in order."""
    body = snapshot.STATE.dump_python(state, mode="json")
    body["seen_ts"] = sorted(body["seen_ts"])
    return json.dumps({"state": body}, ensure_ascii=False, sort_keys=True)


async def record(store: SessionStore, sid: str, path: Path) -> None:
    """Write a session's journal as a recording."""
    records = await store.read_log(sid)
    lines = [json.dumps({"at_ms": one.at_ms, "event": json.loads(one.event)}, ensure_ascii=False) for one in records]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([*lines, last_line(replay(lines, sid))]) + "\n", encoding="utf-8")


def refresh(path: Path) -> None:
    """Replace what a recording folds to."""
    *lines, last = path.read_text(encoding="utf-8").splitlines()
    session_id = json.loads(last)["state"]["session_id"]
    path.write_text("\n".join([*lines, last_line(replay(lines, session_id))]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        refresh(Path(name))
