"""One session's account: which scopes a run is counted in, booked before a request and settled after it."""

import asyncio
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from runtime.budget.days import day_of, next_day_ms
from runtime.budget.ledger import NOTHING, Ledger
from runtime.budget.offers import MILLISECOND, approvers_of
from runtime.budget.values import Mark, Refused, Reservation, Scope, ScopeKind
from runtime.engine.lease import Lease
from runtime.llm.port import ModelRequest
from runtime.llm.prices import Prices
from runtime.policy.engine import Policy
from runtime.session.events import LimitReached, NoteCode, RunNoted, Usage
from runtime.session.ids import SessionKey
from runtime.session.limit_events import Limited
from runtime.session.state import RunState
from runtime.settings import Settings
from runtime.settings_base import micros_of
from runtime.settings_budget import DayBudget

PATIENCE: Final = timedelta(seconds=30)
"""How long a run waits for what others hold, before a limit counts as reached."""
LOOK_EVERY: Final = timedelta(milliseconds=250)
OUTPUT_EXPECTED: Final = 4_096
"""Tokens of a reply where no limit is set."""


@dataclass(slots=True, kw_only=True)
class Account:
    """Books for one session while a lease lasts."""

    ledger: Ledger
    settings: Settings
    policy: Policy
    prices: Prices
    lease: Lease
    added: set[str] = field(default_factory=set[str])
    """Extensions that are surely in the ledger."""
    guessed: set[str] = field(default_factory=set[str])
    """Models whose price is a guess, and that this was surely said of."""

    def scopes(self, run: RunState) -> tuple[Scope, ...]:
        """Everything a request of the run counts in, today."""
        budget = self.settings.budget
        key = SessionKey.parse(self.lease.sid)
        day = self.today()
        person, channel, workspace = budget.person, budget.channel, budget.workspace
        thread_micros = None if budget.thread.usd is None else micros_of(budget.thread.usd)
        daily: tuple[tuple[ScopeKind, str, DayBudget], ...] = (
            ("person", run.requester, person),
            ("channel", key.channel, channel),
            ("workspace", "", workspace),
        )
        return (
            Scope(kind="run", name=f"run/{key}/{run.run_id}", tokens=run.limits.tokens, micros=run.limits.micros),
            Scope(kind="thread", name=f"thread/{key}", tokens=budget.thread.tokens, micros=thread_micros),
            *(
                Scope(
                    kind=kind,
                    name="/".join(part for part in (kind, key.team, who, day) if part),
                    tokens=limits.per_day_tokens,
                    micros=None if limits.per_day_usd is None else micros_of(limits.per_day_usd),
                )
                for kind, who, limits in daily
            ),
        )

    def today(self) -> str:
        """The ledger's date."""
        return day_of(self.lease.now_ms(), self.settings.budget.timezone)

    def expected(self, request: ModelRequest) -> Usage:
        """What a request is expected to use at most, by its size."""
        return Usage(
            input=request.tokens, output=self.settings.model.max_output_tokens or OUTPUT_EXPECTED, estimated=True
        )

    async def book_request(self, run: RunState, request: ModelRequest, profile: str) -> Reservation | Refused:
        """Hold what a model request may cost, in every scope.

        Args:
            run: the run that pays.
            request: what will be asked.
            profile: who is asked, whose price holds.

        Raises:
            StoreUnavailable: nothing can be booked, so nothing may be asked.
        """
        expected = self.expected(request)
        wanted = Reservation(
            # The lease's token tells a request asked again after a crash from the one that was lost.
            id=f"{request.step_id}.{self.lease.token}",
            owner=self.lease.sid,
            kind="request",
            day=self.today(),
            scopes=self.scopes(run),
            tokens=expected.total,
            micros=self.prices.of(profile).cost(expected),
        )
        await self.add_what_was_granted(run)
        hold = self.settings.timeouts.model + timedelta(minutes=1)
        looks = PATIENCE // LOOK_EVERY
        while (refused := await self.ledger.reserve(wanted, hold=hold)) is not None:
            if not refused.is_for_now or not looks:
                return refused
            looks -= 1
            await asyncio.sleep(LOOK_EVERY.total_seconds())
        return wanted

    async def book_call(self, run: RunState, call_id: str, attempt: int) -> Reservation:
        """Note a tool call. It costs nothing by itself, so it is never refused."""
        wanted = Reservation(
            id=f"{self.lease.sid}.{call_id}.{attempt}.{self.lease.token}",
            owner=self.lease.sid,
            kind="call",
            day=self.today(),
            scopes=self.scopes(run),
        )
        await self.ledger.reserve(wanted, hold=self.settings.timeouts.tool_max + timedelta(minutes=1))
        return wanted

    async def add_what_was_granted(self, run: RunState) -> None:
        """Put extensions of the journal into the ledger; a repetition adds nothing."""
        for known in run.limits_reached.values():
            reached, extended = known.reached, known.extended
            if extended is None or not extended.added or reached.scope == "run" or reached.limit_id in self.added:
                continue
            amount = {"tokens" if reached.what == "tokens" else "micros": extended.added}
            await self.ledger.extend(reached.scope_name, f"{self.lease.sid}/{reached.limit_id}", **amount)
            self.added.add(reached.limit_id)

    async def settle_request(
        self, made: Reservation, run: RunState, usage: Usage, micros: int, *, failed: bool = False
    ) -> tuple[RunNoted, ...]:
        """Count a request; what is to be said of limits that come near."""
        marks = await self.ledger.settle(made, usage, micros, failed=failed)
        return tuple(near(run, mark) for mark in marks)

    async def settle_call(self, made: Reservation, *, failed: bool) -> None:
        """Count a call."""
        await self.ledger.settle(made, NOTHING, 0, failed=failed)

    def card(self, run: RunState, mark: Mark) -> LimitReached | None:
        """The card at a limit of the ledger; None where nobody may add to it."""
        approvers = approvers_of(self.policy, mark.scope.kind, SessionKey.parse(self.lease.sid), run.requester)
        more = self.settings.budget.run
        adds = more.tokens if mark.what == "tokens" else more.micros
        if not approvers or not adds:
            return None
        now_ms = self.lease.now_ms()
        expires = now_ms + self.settings.timeouts.limit // MILLISECOND
        day_ends = next_day_ms(now_ms, self.settings.budget.timezone)
        is_daily = mark.scope.kind in {"person", "channel", "workspace"}
        return LimitReached(
            run_id=run.run_id,
            limit_id=f"{run.run_id}.limit{len(run.limits_reached) + 1}",
            scope=mark.scope.kind,
            scope_name=mark.scope.name,
            what=name_of(mark),
            used=mark.used,
            limit=mark.limit,
            adds=adds,
            approvers=approvers,
            expires_at_ms=min(expires, day_ends) if is_daily else expires,
            remind_at_ms=now_ms + self.settings.timeouts.reminder // MILLISECOND,
            new_day=is_daily and day_ends <= expires,
        )


def name_of(mark: Mark) -> Limited:
    """How journal and settings call it."""
    return "tokens" if mark.what == "tokens" else "usd"


def near(run: RunState, mark: Mark) -> RunNoted:
    """The quiet note about a limit of which four fifths are used."""
    return RunNoted(
        run_id=run.run_id,
        note_id=f"near:{mark.scope.name}:{mark.what}:{mark.limit}",
        code=NoteCode.NEAR,
        about={
            "scope": mark.scope.kind,
            "what": name_of(mark),
            "used": str(mark.used),
            "limit": str(mark.limit),
        },
    )
