"""A cleared call, carried out between its two entries in the ledger."""

import contextlib

from runtime.agent.context import AgentContext
from runtime.agent.execution import Outcome, execute
from runtime.agent.moves import Cleared
from runtime.session.events import CallFinished, CallStatus
from runtime.session.state import RunState
from runtime.store.errors import StoreUnavailable


async def paid_call(context: AgentContext, run: RunState, move: Cleared) -> Outcome:
    """Run the call, booked before and settled after, whatever comes of it."""
    account = context.account
    if account is None:
        return await execute(context, move.parsed, move.tool_context)
    booked = await account.book_call(run, move.started.call_id, move.started.attempt)
    failed = True
    try:
        outcome = await execute(context, move.parsed, move.tool_context)
        failed = isinstance(outcome, CallFinished) and outcome.status is not CallStatus.OK
    finally:
        # Where the store is away the reservation, which holds nothing, lapses by itself.
        with contextlib.suppress(StoreUnavailable):
            await account.settle_call(booked, failed=failed)
    return outcome
