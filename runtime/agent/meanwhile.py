"""A question that a call puts to a person while the call itself waits, as a server of tools may.

It is journalled like any other question, so that every replica's click and every deadline meets it, but its answer goes
to the waiting call and not to the model. It never outlives its call: whoever finds one open whose process is gone
closes it, and the call's effect class decides what comes of the call.
"""

import asyncio
import contextlib
from datetime import timedelta
from itertools import count

from runtime.agent.asking import asked_by_call
from runtime.agent.context import AgentContext
from runtime.session.ahead import RunOver
from runtime.session.events import QuestionAsked
from runtime.session.interrupted import abandoned
from runtime.session.state import RunState
from runtime.session.writer import SessionWriter
from runtime.store.errors import LeaseLost, StoreUnavailable
from tools.context import Ask
from tools.patience import Allowance
from tools.question import PersonAsked

LONGEST = timedelta(minutes=5)
MOST = 10
"""Questions of one attempt of a call; `LONGEST` is for all of them together."""
MILLISECOND = timedelta(milliseconds=1)
GONE = (RunOver, LeaseLost, StoreUnavailable)
"""Why nobody can be asked any more; whoever waits for the call learns it in their own way."""


def asker(context: AgentContext, run: RunState, call_id: str, attempt: int) -> Ask:
    """Asks on behalf of one attempt of a call; one question at a time, and none once their allowance is spent."""
    session = context.session
    alone = asyncio.Lock()
    numbers = count(1)
    allowance = Allowance(time=LONGEST, questions=MOST)

    async def ask(asked: PersonAsked) -> str | None:
        async with alone:
            if allowance.is_spent:
                return None
            event = put(context, run, asked, call_id, f"{call_id}.s{attempt}.{next(numbers)}", allowance.left)
            with allowance.used(), context.patience.paused(), contextlib.suppress(*GONE):
                try:
                    # Cancelled while it is written, it may be written all the same.
                    await session.commit(event)
                    return await answer(session, run.run_id, event.question_id)
                finally:
                    await close(session, run.run_id, event.question_id)
            return None

    return ask


def put(
    context: AgentContext, run: RunState, asked: PersonAsked, call_id: str, question_id: str, wait: timedelta
) -> QuestionAsked:
    """The question as the journal keeps it."""
    terms = {
        "question_id": question_id,
        "purpose": "server_asks",
        "expires_at_ms": context.session.lease.now_ms() + wait // MILLISECOND,
        "remind_at_ms": 0,
    }
    return asked_by_call(context, run, asked, call_id).model_copy(update=terms)


async def answer(session: SessionWriter, run_id: str, question_id: str) -> str | None:
    """What was answered; None when the time is over or the run is."""
    while True:
        state = session.state
        run = state.run
        if run is None or run.run_id != run_id or not run.is_active:
            return None
        answered = run.questions[question_id].answered
        if answered is not None:
            return None if answered.how == "expired" else answered.answer
        await session.changed(state.seq)


async def close(session: SessionWriter, run_id: str, question_id: str) -> None:
    """Leave no question open that nothing waits for."""
    async with session.lock:  # It may be on its way into the journal.
        run = session.state.active_run
    if run is not None and run.run_id == run_id and run.open_question == question_id:
        with contextlib.suppress(*GONE):
            await session.commit(abandoned(run.questions[question_id].asked))
