"""A model request that is paid for: booked in the ledger before it is made, settled after it, whatever comes of it."""

import asyncio
import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass

from runtime.agent.context import AgentContext
from runtime.alerts import Alert
from runtime.budget.limits import own_notes
from runtime.budget.values import Refused, Reservation
from runtime.llm.errors import ContextTooLong, ModelError
from runtime.llm.port import ChatModel, ModelReply, ModelRequest
from runtime.llm.prices import Prices, PriceSource
from runtime.session.events import NoteCode, RunNoted, Usage
from runtime.session.state import RunState
from runtime.store.errors import StoreUnavailable

SHARES = (1, 0.5, 0.25)


@dataclass(frozen=True, slots=True, kw_only=True)
class Paid:
    """A reply, what it cost, and what is to be said of limits that come near."""

    reply: ModelReply
    micros: int
    elapsed_ms: int
    notes: tuple[RunNoted, ...]
    share: float = 1
    """How much of the room the messages could take before the model found them too long."""

    @property
    def notes_beside(self) -> tuple[RunNoted, ...]:
        """What is to be said where the request was no step: of the steps themselves, nothing."""
        return tuple(note for note in self.notes if note.about.get("what") != "steps")


async def paid_reply(
    context: AgentContext, run: RunState, request_of: Callable[[float], ModelRequest], *, model: ChatModel | None = None
) -> Paid | Refused:
    """Ask with as much memory as fits; with half and then a quarter of it when the model finds it too long.

    Args:
        context: what the agent works with.
        run: the run that pays.
        request_of: makes the request that uses a share of the context window.
        model: another profile than the main one.

    Raises:
        ModelError: no usable reply came; what it cost is settled.
    """
    request = request_of(1)
    account = context.account
    asked = (model or context.model).traits.profile
    booked = None if account is None else await account.book_request(run, request, asked)
    if isinstance(booked, Refused):
        return booked
    started = time.monotonic()
    try:
        reply, share = await with_less(model or context.model, request, request_of)
    except ModelError as error:
        await lost(context, run, booked, error.usage, asked)
        raise
    except asyncio.CancelledError:
        # It was sent, so at least what it asked is billed.
        sent = Usage(input=request.tokens, estimated=True)
        await lost(context, run, booked, sent, asked)
        raise
    elapsed_ms = round((time.monotonic() - started) * 1000)
    prices = context.prices.of(reply.profile or asked)
    micros = prices.cost(reply.usage)
    notes = [*own_notes(run, reply.usage, micros, elapsed_ms), *await about_price(context, run, prices)]
    if account is not None and booked is not None:
        marks = await account.settle_request(booked, run, reply.usage, micros)
        notes += [note for note in marks if note.about["scope"] != "run"]
    return Paid(reply=reply, micros=micros, elapsed_ms=elapsed_ms, notes=tuple(notes), share=share)


async def with_less(
    model: ChatModel, request: ModelRequest, request_of: Callable[[float], ModelRequest]
) -> tuple[ModelReply, float]:
    """The reply, and the share of the room that its request could use.

    Raises:
        ModelError: none came; `ContextTooLong` when even the smallest share is too long.
    """
    refusal = ContextTooLong("model_context", "The conversation is longer than the model can read.")
    for share in SHARES:
        smaller = request if share == 1 else request_of(share)
        if share < 1 and smaller.messages == request.messages:
            continue  # Nothing more can be left out; the same request would only be refused again.
        try:
            return await model.reply(smaller), share
        except ContextTooLong as error:
            refusal = error
    raise refusal


async def lost(context: AgentContext, run: RunState, booked: Reservation | None, usage: Usage, asked: str) -> None:
    """Settle a request that brought nothing. Where the store is away as well, the reservation lapses by itself."""
    if context.account is not None and booked is not None:
        micros = context.prices.of(asked).cost(usage)
        settling = asyncio.create_task(context.account.settle_request(booked, run, usage, micros, failed=True))
        with contextlib.suppress(StoreUnavailable):
            await asyncio.shield(settling)


async def about_price(context: AgentContext, run: RunState, prices: Prices) -> list[RunNoted]:
    """Once for all replicas: the model's price is not known, so money is reckoned by a stated guess."""
    account, model = context.account, prices.model
    if account is None or prices.source is not PriceSource.FALLBACK or model in account.guessed:
        return []
    is_first = await account.ledger.is_first(f"price/{model}")
    account.guessed.add(model)
    if not is_first:
        return []
    about = {"model": model}
    if context.operators is not None:
        await context.operators.tell(Alert.PRICE_UNKNOWN, about)
    return [
        RunNoted(run_id=run.run_id, note_id=f"price:{run.run_id}:{model}", code=NoteCode.PRICE_UNKNOWN, about=about)
    ]
