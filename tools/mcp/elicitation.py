"""A server's question to the person, put by the thread's own means while the server's call waits.

Only a server that the operator allowed may ask; each question says whose it is. The call waits at most five minutes in
all and for at most ten questions; then the server is told that each further one is cancelled.
"""

import asyncio
from collections.abc import Coroutine
from datetime import timedelta

from mcp import types

from tools.context import ToolContext
from tools.mcp.form import Answers, AskedField, NoForm, fields_of, read_form
from tools.mcp.session import Elicit
from tools.patience import Allowance
from tools.question import FormField, PersonAsked
from tools.text import cap, visible

PATIENCE = timedelta(minutes=5)
MOST = 10
"""Questions of one call; `PATIENCE` is for all of them together."""
DECLINE = "Decline"
DONE = "Done"
YES = "Yes"
SHOWN = 1_000
MAX_BUTTONS = 9
"""Of a single field, up to so many choices are buttons or a menu of the card; more are a menu in a form."""


class Declined(Exception):
    """The person does not want to answer, or the form cannot be put to one."""


class Silent(Exception):
    """Nobody answered in time, or nobody can be asked here."""


def elicitor(server: str, context: ToolContext) -> Elicit:
    """Answers the questions of one call by asking in its thread, one after the other."""
    alone = asyncio.Lock()
    allowance = Allowance(time=PATIENCE, questions=MOST)

    async def elicit(params: types.ElicitRequestParams) -> types.ElicitResult:
        try:
            async with alone:
                return await within(allowance, answered(server, params, context))
        except (Declined, NoForm, LookupError, TypeError, ValueError):
            # A form of a shape that nobody foresaw must not end the connection, which others use too.
            return types.ElicitResult(action="decline")
        except (Silent, TimeoutError):
            return types.ElicitResult(action="cancel")

    return elicit


async def within(allowance: Allowance, work: Coroutine[None, None, Answers | None]) -> types.ElicitResult:
    """What a person said, while the call may still ask.

    Raises:
        Silent: it may not.
        TimeoutError: they took longer than is left.
    """
    if allowance.is_spent:
        work.close()
        raise Silent
    with allowance.used():
        async with asyncio.timeout(allowance.left.total_seconds()):
            return types.ElicitResult(action="accept", content=await work)


async def answered(server: str, params: types.ElicitRequestParams, context: ToolContext) -> Answers | None:
    """The person's answers by field; None where the server only wants to know that something was done.

    Raises:
        Declined: they decline.
        NoForm: the form asks for more than a few fields, or for what cannot be asked.
        Silent: nobody answered.
    """
    whose = f"The MCP server {visible(server)} asks: {cap(visible(params.message), SHOWN)}"
    if isinstance(params, types.ElicitRequestURLParams):
        await ask(context, f"{whose}\nIt wants you to open {visible(params.url)[:500]} yourself.", (DONE,))
        return None
    fields = fields_of(params.requestedSchema)
    if not fields:
        await ask(context, whose, (YES,))
        return {}
    if len(fields) == 1 and 0 < len(fields[0].field.choices) <= MAX_BUTTONS:
        return await one_choice(whose, fields[0], context)
    return read_form(fields, await ask(context, whose, form=tuple(one.field for one in fields)))


async def one_choice(whose: str, asked: AskedField, context: ToolContext) -> Answers:
    """The answer to a single field with few choices, by buttons."""
    chosen = await ask(context, f"{whose}\n{asked.field.label}", asked.field.choices)
    return {asked.name: asked.value(chosen)}


async def ask(
    context: ToolContext, question: str, choices: tuple[str, ...] = (), form: tuple[FormField, ...] = ()
) -> str:
    """The person's answer; of a form as JSON.

    Raises:
        Declined: they decline.
        Silent: nobody answered, or nobody can be asked.
    """
    if context.ask is None:
        raise Silent
    answer = await context.ask(PersonAsked(question=question, choices=(*choices, DECLINE), fields=form))
    if answer is None:
        raise Silent
    if answer.strip().casefold() == DECLINE.casefold():
        raise Declined
    return answer
