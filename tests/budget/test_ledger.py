"""What the ledger says and keeps beside its bounds, which `test_ledger_against_a_model.py` holds against a model."""

from runtime.budget.ledger import Ledger
from runtime.budget.values import Reservation, Scope
from runtime.session.events import Usage
from runtime.store.redis_store import SessionStore

DAY = "2026-01-31"
SCOPES = (
    Scope(kind="run", name="run/T:C:1/r1", tokens=1_000),
    Scope(kind="person", name="person/T/U1/2026-01-31", micros=100),
)


def booking(number: int) -> Reservation:
    """One request."""
    return Reservation(id=f"a{number}", owner="T:C:1", kind="request", day=DAY, scopes=SCOPES, tokens=1, micros=1)


async def test_four_fifths_are_told_once_for_each_limit_and_again_after_more_was_added(store: SessionStore) -> None:
    """The first settlement that passes the mark says so, on whichever replica; an extension makes a new limit."""
    ledger = Ledger.beside(store)
    told: list[tuple[str, str, int, int]] = []
    for number, (tokens, micros) in enumerate(((790, 79), (20, 0), (10, 5), (10, 5))):
        assert await ledger.reserve(booking(number)) is None
        marks = await ledger.settle(booking(number), Usage(input=tokens), micros)
        told += [(mark.scope.kind, mark.what, mark.used, mark.limit) for mark in marks]
    assert told == [("run", "tokens", 810, 1_000), ("person", "micros", 84, 100)]
    assert await ledger.extend(SCOPES[1].name, "x1", micros=10)
    assert not await ledger.extend(SCOPES[1].name, "x1", micros=10)
    assert await ledger.reserve(booking(9)) is None
    (mark,) = await ledger.settle(booking(9), Usage(), 1)
    assert (mark.used, mark.limit) == (90, 110)


async def test_tokens_are_kept_by_kind(store: SessionStore) -> None:
    """Cached tokens are part of the input and reasoning tokens of the output; only those two make the sum."""
    ledger = Ledger.beside(store)
    await ledger.reserve(booking(1))
    await ledger.settle(booking(1), Usage(input=700, cached=300, output=90, reasoning=40), 7)
    await ledger.settle(booking(1), Usage(input=700, cached=300, output=90, reasoning=40), 7)
    used = await ledger.used(SCOPES[0].name)
    assert (used.input, used.cached, used.output, used.reasoning, used.tokens) == (700, 300, 90, 40, 790)
    assert (used.micros, used.requests) == (7, 1)
