"""Any interleaving of reserving, settling and crashing on three replicas keeps the bounds and leaks nothing."""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, TypeVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from runtime.budget.ledger import Ledger
from runtime.budget.values import Reservation, Scope
from runtime.session.events import Usage
from runtime.store.redis_store import SessionStore
from tests.support.redis import RedisServer, advance, leaked_keys

DAY = "2026-01-31"
SESSIONS = ("T:C:1", "T:C:2", "T:C:3", "T:C:4")
LIMITS = {"run": 60, "person": 100, "workspace": 150}
T = TypeVar("T")


@dataclass(slots=True, kw_only=True)
class Booked:
    """What the model knows of one reservation."""

    made: Reservation
    holds: bool = True
    settled: bool = False
    age: int = 0


@dataclass(slots=True, kw_only=True)
class Account:
    """What the model knows of one scope."""

    limit: int
    used: int = 0
    late: set[str] = field(default_factory=set[str])
    """Reservations settled when the limit had been reached."""
    reached_at: int = -1
    """How many reservations had been made by then."""


def scopes_of(session: str) -> tuple[Scope, ...]:
    """A run of its own, one person for two sessions, one workspace for all."""
    person = "person/U1" if session in SESSIONS[:2] else "person/U2"
    return (
        Scope(kind="run", name=f"run/{session}", micros=LIMITS["run"]),
        Scope(kind="person", name=person, micros=LIMITS["person"]),
        Scope(kind="workspace", name="workspace/T", micros=LIMITS["workspace"]),
    )


class Spending(RuleBasedStateMachine):
    """Model and ledger side by side; replicas are stores of their own."""

    server: RedisServer

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        with self.server.client() as client:
            client.flushall()
        self.stores = [self.wait(SessionStore.open(self.server.url)) for _ in range(3)]
        self.replicas = [Ledger.beside(store) for store in self.stores]
        self.booked: list[Booked] = []
        self.now_at_work: dict[str, Booked] = {}
        self.accounts = {
            scope.name: Account(limit=scope.micros or 0) for session in SESSIONS for scope in scopes_of(session)
        }

    def wait(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run one request."""
        return self.loop.run_until_complete(coroutine)

    def held(self, name: str) -> int:
        """What the model thinks is held in a scope."""
        mine = (item for item in self.booked if item.holds)
        return sum(item.made.micros for item in mine if any(scope.name == name for scope in item.made.scopes))

    @rule(session=st.sampled_from(SESSIONS), replica=st.integers(0, 2), estimate=st.integers(1, 30))
    def reserve(self, session: str, replica: int, estimate: int) -> None:
        """A session that is not at work wants to make a request, somewhere."""
        if session in self.now_at_work:
            return
        scopes = scopes_of(session)
        made = Reservation(
            id=f"{session}/{len(self.booked)}", owner=session, kind="request", day=DAY, scopes=scopes, micros=estimate
        )
        for item in self.booked:
            if item.made.owner == session:
                item.holds = False
        refused = self.wait(self.replicas[replica].reserve(made))
        full = any(
            self.accounts[scope.name].used + self.held(scope.name) >= self.accounts[scope.name].limit
            for scope in scopes
        )
        assert (refused is not None) == full
        if refused is None:
            self.now_at_work[session] = booked = Booked(made=made)
            self.booked.append(booked)

    @precondition(lambda self: self.now_at_work)
    @rule(data=st.data(), replica=st.integers(0, 2))
    def reserve_again(self, data: st.DataObject, replica: int) -> None:
        """The reply of a reservation was lost, so it is sent again."""
        booked = self.now_at_work[data.draw(st.sampled_from(sorted(self.now_at_work)))]
        if booked.holds:
            assert self.wait(self.replicas[replica].reserve(booked.made)) is None
            booked.age = 0

    @precondition(lambda self: self.now_at_work)
    @rule(data=st.data(), replica=st.integers(0, 2), cost=st.integers(0, 40), times=st.integers(1, 2))
    def settle(self, data: st.DataObject, replica: int, cost: int, times: int) -> None:
        """A request came back, perhaps dearer than thought; its settlement may be sent twice."""
        session = data.draw(st.sampled_from(sorted(self.now_at_work)))
        self.count(self.now_at_work.pop(session), replica, cost, times)

    @precondition(lambda self: self.now_at_work)
    @rule(data=st.data())
    def crash(self, data: st.DataObject) -> None:
        """The process of a session vanishes in the middle of a request."""
        del self.now_at_work[data.draw(st.sampled_from(sorted(self.now_at_work)))]

    @rule(data=st.data(), replica=st.integers(0, 2), cost=st.integers(0, 40))
    def comes_late(self, data: st.DataObject, replica: int, cost: int) -> None:
        """A process taken for dead settles after all: what was billed counts."""
        at_work = [id(item) for item in self.now_at_work.values()]
        lost = [item for item in self.booked if not item.settled and id(item) not in at_work]
        if lost:
            self.count(data.draw(st.sampled_from(lost)), replica, cost, 1)

    @rule(minutes=st.sampled_from((1, 5, 13)))
    def time_passes(self, minutes: int) -> None:
        """What nobody settles lapses after twelve minutes."""
        self.wait(advance(self.stores[0].keys, self.stores[0], timedelta(minutes=minutes)))
        self.wait(self.replicas[0].lapse())
        for item in self.booked:
            item.age += minutes
            item.holds = item.holds and item.age < 12

    def count(self, booked: Booked, replica: int, cost: int, times: int) -> None:
        """Settle and keep the model's books."""
        for _ in range(times):
            self.wait(self.replicas[replica].settle(booked.made, Usage(input=cost), cost))
        booked.holds, booked.settled = False, True
        for scope in booked.made.scopes:
            account = self.accounts[scope.name]
            if account.used >= account.limit:
                account.late.add(booked.made.id)
            account.used += cost
            if account.used >= account.limit and account.reached_at < 0:
                account.reached_at = len(self.booked)

    @invariant()
    def books_agree(self) -> None:
        """Every scope has used what was settled, once each, and holds what is under way."""
        for name, account in self.accounts.items():
            used = self.wait(self.replicas[0].used(name))
            assert (used.micros, used.held_micros) == (account.used, self.held(name))
            assert used.tokens == account.used

    @invariant()
    def overspends_by_calls_under_way_only(self) -> None:
        """What is settled beyond a limit was under way when the limit was reached; nothing new was let in."""
        before = [item.made.id for item in self.booked]
        for account in self.accounts.values():
            assert all(before.index(late) < account.reached_at for late in account.late)

    def teardown(self) -> None:
        """Everybody crashes; after a while nothing is held any more and no key lives for ever."""
        self.time_passes(13)
        self.books_agree()
        with self.server.client() as client:
            for name in ("leases", "open"):
                assert not client.execute_command("EXISTS", f"{self.replicas[0].keys.base}:{name}")
            assert not leaked_keys(client)
        for store in self.stores:
            self.wait(store.aclose())
        self.loop.close()


def test_any_interleaving_keeps_the_bounds_and_leaks_nothing(redis_server: RedisServer) -> None:
    """Replicas reserve, settle, repeat themselves and vanish in any order."""
    Spending.server = redis_server
    run_state_machine_as_test(
        Spending,
        settings=settings(
            max_examples=20, stateful_step_count=30, deadline=None, suppress_health_check=[HealthCheck.too_slow]
        ),
    )
