"""Upgrades: old journals replay without difference, and a reader that is too old is never given a newer one."""

import json
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import pytest

from runtime.session import snapshot
from runtime.session.ahead import folded, folded_at
from runtime.session.events import READER_VERSION, load_event
from runtime.store.redis_store import SessionStore
from tests.durability.recordings import FOLDER, replay

RECORDINGS = sorted(FOLDER.rglob("*.jsonl"))
FIRST = 2
"""The first reader version that left the workshop."""
SID = "T:C:1"


def test_there_are_recordings_of_every_schema_version() -> None:
    """A raised reader version comes with recordings of what it writes."""
    assert {path.parent.name for path in RECORDINGS} == {f"v{number}" for number in range(FIRST, READER_VERSION + 1)}


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_recorded_journal_replays_without_difference(path: Path) -> None:
    """The same events fold to the same state as on the day they were recorded."""
    *lines, last = path.read_text(encoding="utf-8").splitlines()
    recorded = snapshot.STATE.validate_python(json.loads(last)["state"], strict=False)
    assert replay(lines, recorded.session_id) == recorded


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_what_was_folded_ahead_of_a_commit_is_as_of_the_time_that_the_server_gave_it(path: Path) -> None:
    """A writer's clock is a guess; nothing of it stays in the state."""
    *lines, last = path.read_text(encoding="utf-8").splitlines()
    before = replay([], json.loads(last)["state"]["session_id"])
    for at_ms, together in groupby(map(json.loads, lines), key=itemgetter("at_ms")):
        events = [load_event(json.dumps(recorded["event"])) for recorded in together]
        now = folded_at(folded(before, events, at_ms - 7), events, at_ms)
        assert now == folded(before, events, at_ms)[-1]
        before = now
    assert folded_at([before], [], before.at_ms + 7) == before


async def test_an_old_reader_is_not_given_what_a_newer_one_wrote(store: SessionStore) -> None:
    """During a rolling upgrade the session waits for a worker that can read it; others go on."""
    await store.push(SID, "a", "message", "a", urgent=False)
    newer = await store.claim("newer", 60_000, READER_VERSION + 1)
    assert newer is not None
    taken = [entry.id for entry in await store.read_inbox(SID)]
    await store.commit(
        SID,
        newer.token,
        0,
        events=['{"kind": "of_tomorrow"}'],
        consume_ids=taken,
        status="running",
        reader_version=READER_VERSION + 1,
    )
    await store.release(SID, newer.token, again=True)
    await store.push("T:C:2", "b", "message", "b", urgent=False)
    older = await store.claim("older", 60_000, READER_VERSION)
    assert older is not None
    assert older.sid == "T:C:2"
    assert await store.claim("older", 60_000, READER_VERSION) is None
    back = await store.claim("newer", 60_000, READER_VERSION + 1)
    assert back is not None
    assert back.sid == SID
