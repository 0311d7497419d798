"""A server's question to the person, put by the thread's own means while the server's call waits.

Only a server that the operator allowed may ask; each question says whose it is. The call waits at most five minutes in
all, then the server is told that the question was cancelled.
"""

import asyncio
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, cast

from mcp import types
from pydantic import JsonValue

from tools.context import ToolContext
from tools.mcp.session import Elicit
from tools.text import cap, visible

PATIENCE = timedelta(minutes=5)
MAX_FIELDS = 6
MAX_CHOICES = 9
DECLINE = "Decline"
DONE = "Done"
YES, NO = "Yes", "No"

Answers = dict[str, str | int | float | bool | list[str] | None]


class Declined(Exception):
    """The person does not want to answer."""


class Silent(Exception):
    """Nobody answered in time, or nobody can be asked here."""


def elicitor(server: str, context: ToolContext) -> Elicit:
    """Answers the questions of one call by asking in its thread."""

    async def elicit(params: types.ElicitRequestParams) -> types.ElicitResult:
        try:
            async with asyncio.timeout(PATIENCE.total_seconds()):
                return types.ElicitResult(action="accept", content=await answered(server, params, context))
        except Declined:
            return types.ElicitResult(action="decline")
        except (Silent, TimeoutError):
            return types.ElicitResult(action="cancel")

    return elicit


async def answered(server: str, params: types.ElicitRequestParams, context: ToolContext) -> Answers | None:
    """The person's answers by field; None where the server only wants to know that something was done.

    Raises:
        Declined: they decline, or the form asks for more than a few fields.
        Silent: nobody answered.
    """
    whose = f"The MCP server {visible(server)} asks: {cap(visible(params.message), 1_000)}"
    if isinstance(params, types.ElicitRequestURLParams):
        await ask(context, f"{whose}\nIt wants you to open {visible(params.url)[:500]} yourself.", (DONE,))
        return None
    fields = fields_of(params.requestedSchema)
    if len(fields) > MAX_FIELDS:
        raise Declined
    if not fields:
        await ask(context, whose, (YES,))
        return {}
    answers: Answers = {}
    for name, field in fields.items():
        answers[name] = await field_answer(whose, name, field, context)
    return answers


def fields_of(schema: Mapping[str, Any]) -> dict[str, dict[str, JsonValue]]:
    """The fields of a form: the protocol allows only a flat object."""
    properties: object = schema.get("properties")
    if not isinstance(properties, dict):
        return {}
    found = cast("dict[str, object]", properties)
    return {name: cast("dict[str, JsonValue]", field) for name, field in found.items() if isinstance(field, dict)}


async def field_answer(
    whose: str, name: str, field: dict[str, JsonValue], context: ToolContext
) -> str | int | float | bool:
    """One field's answer in the kind the form wants.

    Raises:
        Declined: the answer cannot be of that kind.
    """
    title = field.get("title")
    about = visible(title if isinstance(title, str) else name)[:100]
    kind = field.get("type")
    choices = field.get("enum")
    if kind == "boolean":
        return await ask(context, f"{whose}\n{about}", (YES, NO)) == YES
    if isinstance(choices, list) and len(choices) <= MAX_CHOICES:
        return await ask(context, f"{whose}\n{about}", tuple(visible(str(choice))[:100] for choice in choices))
    text = await ask(context, f"{whose}\n{about}", ())
    try:
        return int(text) if kind == "integer" else float(text) if kind == "number" else text
    except ValueError as error:
        raise Declined from error


async def ask(context: ToolContext, question: str, choices: tuple[str, ...]) -> str:
    """The person's answer.

    Raises:
        Declined: they decline.
        Silent: nobody answered, or nobody can be asked.
    """
    if context.ask is None:
        raise Silent
    answer = await context.ask(question, (*choices, DECLINE))
    if answer is None:
        raise Silent
    if answer.strip().casefold() == DECLINE.casefold():
        raise Declined
    return answer
