"""`python -m bot usage` prints and exports the ledger by scope and day."""

import csv
import io
import json
from datetime import UTC, datetime

import pytest

from bot.commands.start import Start
from bot.commands.usage import show
from runtime.budget.ledger import Ledger
from runtime.budget.values import Reservation, Scope
from runtime.environment import load_environment
from runtime.session.events import Usage
from runtime.settings import Settings
from runtime.store.redis_store import SessionStore


def start_on(redis_url: str) -> Start:
    """What the command would have read."""
    return Start(environment=load_environment({"REDIS_URL": redis_url}), settings=Settings(), variables={})


async def spend(store: SessionStore) -> str:
    """One request of one run, today; returns the day."""
    today = datetime.now(UTC).date().isoformat()
    scopes = (Scope(kind="run", name="run/T:C:1/r1"), Scope(kind="person", name=f"person/T/U1/{today}"))
    made = Reservation(id="a", owner="T:C:1", kind="request", day=today, scopes=scopes, tokens=10, micros=10)
    ledger = Ledger.beside(store)
    await ledger.reserve(made)
    await ledger.settle(made, Usage(input=1200, cached=200, output=30, reasoning=5), 1_250_000)
    return today


async def test_a_table_is_for_people(store: SessionStore, redis_url: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A line for each scope, money in dollars."""
    await spend(store)
    assert await show(start_on(redis_url), 2, ("person",), "table") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == "day scope name requests calls failed input cached output reasoning money".split()
    assert lines[1].split()[1:] == "person T/U1 1 0 0 1200 200 30 5 $1.25".split()
    assert len(lines) == 2


async def test_csv_and_json_are_for_programs(
    store: SessionStore, redis_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both hold the same rows, money in micro-dollars."""
    day = await spend(store)
    await show(start_on(redis_url), 2, ("run", "person"), "csv")
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    await show(start_on(redis_url), 2, ("run", "person"), "json")
    body = json.loads(capsys.readouterr().out)
    assert [{name: str(value) for name, value in row.items()} for row in body["rows"]] == rows
    assert {row["scope"] for row in rows} == {"run", "person"}
    assert {(row["day"], row["micros"]) for row in rows} == {(day, "1250000")}


async def test_nothing_used_is_said(redis_url: str, capsys: pytest.CaptureFixture[str]) -> None:
    """An empty ledger is a sentence, not an empty page."""
    await show(start_on(redis_url), 1, ("run",), "table")
    assert capsys.readouterr().out == "Nothing was used in these days.\n"
