"""A model that is away: the run waits without a worker and tries again by itself, for a bounded time."""

import random
from datetime import timedelta
from typing import Final

from runtime.agent.context import AgentContext
from runtime.alerts import Alert
from runtime.llm.errors import ModelUnavailable
from runtime.session.events import ModelAway
from runtime.session.state import RunState

FIRST_PAUSE: Final = timedelta(seconds=10)
LONGEST_PAUSE: Final = timedelta(minutes=5)
MILLISECOND: Final = timedelta(milliseconds=1)
TOLD: Final = "outage"


def away(context: AgentContext, run: RunState, error: ModelUnavailable) -> ModelAway | None:
    """When the run tries again; None when it has waited long enough."""
    now_ms = context.session.lease.now_ms()
    known = run.away.away if run.away else None
    since_ms = known.since_ms if known else now_ms
    ends_ms = since_ms + context.settings.timeouts.outage // MILLISECOND
    if now_ms >= ends_ms:
        return None
    tries = (known.tries if known else 0) + 1
    # Jitter keeps the threads of an outage from coming back in the same instant.
    backoff = min(FIRST_PAUSE * 2 ** min(tries - 1, 10), LONGEST_PAUSE) * random.uniform(0.8, 1.2)  # noqa: S311 - no secret
    pause = max(backoff, error.retry_after or backoff)
    return ModelAway(
        run_id=run.run_id,
        away_id=known.away_id if known else f"{run.run_id}.away{len(run.outages) + 1}",
        code=error.code,
        since_ms=since_ms,
        tries=tries,
        until_ms=min(now_ms + pause // MILLISECOND, ends_ms),
    )


async def tell_of_outage(context: AgentContext, error: ModelUnavailable) -> None:
    """Tell the operators, once for all threads and replicas."""
    if context.account is None or context.operators is None:
        return
    if await context.account.ledger.is_first(TOLD, within=context.settings.timeouts.outage):
        await context.operators.tell(Alert.MODEL_AWAY, {"code": error.code, "sentence": str(error)})


async def tell_of_return(context: AgentContext, run: RunState) -> None:
    """Tell the operators that it is over, once."""
    if run.away is None or context.account is None or context.operators is None:
        return
    await context.session.settled()
    if await context.account.ledger.forget(TOLD):
        await context.operators.tell(Alert.MODEL_BACK, {})
