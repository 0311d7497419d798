"""A server's question: who may put one, how a person sees it, what comes back, and what becomes of it."""

import asyncio
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from mcp import types

from tests.mcp.conftest import Calling
from tests.mcp.real import clients_of, odd_server
from tools.context import Ask, ToolContext
from tools.errors import ToolRefused
from tools.mcp import elicitation
from tools.mcp.form import NoForm, fields_of, read_form
from tools.question import PersonAsked
from tools.sandbox.unavailable import Unavailable
from tools.workspace import Workspace


async def test_a_server_that_may_not_ask_is_refused(calling: Calling, tmp_path: Path) -> None:
    """Elicitation is off unless the operator names the server."""

    async def ask(_asked: PersonAsked) -> str | None:
        pytest.fail("nobody may be asked")

    async with clients_of(odd_server("good", tmp_path), data=tmp_path) as clients:
        assert (await calling(clients, "mcp_odd_book", ask=ask)).is_error


async def test_a_server_that_may_ask_gets_the_persons_answers(calling: Calling, tmp_path: Path) -> None:
    """Several fields are one form that says whose it is; declining, silence and nonsense each end only the question."""
    asked: list[PersonAsked] = []
    answers = [json.dumps({"field_0": 4, "field_1": "Yes"}), "decline", None, json.dumps({"field_0": "many"})]

    async def ask(question: PersonAsked) -> str | None:
        asked.append(question)
        return answers[len(asked) - 1]

    async with clients_of(odd_server("good", tmp_path), data=tmp_path, may_elicit=["odd"]) as clients:
        told = [(await calling(clients, "mcp_odd_book", ask=ask)).output for _ in answers]
    assert told == ["accept seats=4 inside=True", "decline", "cancel", "decline"]
    assert asked[0].question == "The MCP server odd asks: Which table?"
    assert asked[0].choices == ("Decline",)
    assert [(field.label, field.kind, field.choices) for field in asked[0].fields] == [
        ("Seats", "number", ()),
        ("Inside", "choice", ("Yes", "No")),
    ]


async def test_a_single_choice_is_buttons(calling: Calling, tmp_path: Path) -> None:
    """Yes, no and Decline; nothing has to be typed."""
    asked: list[PersonAsked] = []

    async def ask(question: PersonAsked) -> str | None:
        asked.append(question)
        return "No"

    async with clients_of(odd_server("good", tmp_path), data=tmp_path, may_elicit=["odd"]) as clients:
        result = await calling(clients, "mcp_odd_confirm", ask=ask)
    assert result.output == "accept really=False"
    assert (asked[0].choices, asked[0].fields) == (("Yes", "No", "Decline"), ())


def form(**properties: Any) -> dict[str, Any]:
    """A server's form of which the first field is needed."""
    return {"type": "object", "properties": properties, "required": list(properties)[:1]}


def test_a_form_is_put_in_words_and_read_back_under_the_servers_own_names() -> None:
    """Titles of choices are shown and their values sent; odd names, formats and what is left empty are kept right."""
    fields = fields_of(
        form(
            **{"the size?": {"type": "string", "oneOf": [{"const": "s", "title": "Small"}, {"const": "l"}]}},
            mail={"type": "string", "format": "email", "title": "Mail", "description": "yours"},
            number={"type": "number"},
            shade={"type": "string", "enum": ["r", "g"], "enumNames": ["Red", "Green"]},
        )
    )
    kinds = [(one.field.label, one.field.kind, one.field.optional, one.field.choices) for one in fields]
    assert kinds == [
        ("the size?", "choice", False, ("Small", "l")),
        ("Mail: yours", "email", True, ()),
        ("number", "number", True, ()),
        ("shade", "choice", True, ("Red", "Green")),
    ]
    filled = json.dumps({"field_0": "small", "field_2": 1.5, "field_3": "Green"})
    assert read_form(fields, filled) == {"the size?": "s", "number": 1.5, "shade": "g"}


@pytest.mark.parametrize(
    "schema",
    [
        form(**{str(n): {"type": "string"} for n in range(7)}),
        form(nested={"type": "object", "properties": {}}),
        form(many={"type": "array", "items": {"enum": ["a"]}}),
        form(odd=7),
        form(perhaps={"type": ["string", "null"]}),
        form(twice={"enum": ["a", "a"]}),
        form(endless={"enum": [str(n) for n in range(101)]}),
    ],
)
def test_what_nobody_can_fill_in_is_declined(schema: dict[str, Any]) -> None:
    """A form of another shape, too long, or with two choices that look the same is not put to anyone."""
    with pytest.raises(NoForm):
        fields_of(schema)


@pytest.mark.parametrize("answer", ["", "4", "[]", '{"field_0": "x"}', '{"field_0": {}}', "{" * 5_000])
def test_an_answer_that_does_not_fit_is_declined(answer: str) -> None:
    """The server gets only values of the kinds it asked for."""
    with pytest.raises(NoForm):
        read_form(fields_of(form(seats={"type": "integer"})), answer)


def test_a_number_that_is_none_is_declined() -> None:
    """Infinity is a number to the parser, and no whole one."""
    with pytest.raises(NoForm):
        read_form(fields_of(form(seats={"type": "integer"})), '{"field_0": Infinity}')


def asked_in(workspace: Workspace, ask: Ask) -> ToolContext:
    """A call that may ask."""
    nothing = Unavailable(reasons=("none is needed",), fix="")
    minute = timedelta(minutes=1)
    return ToolContext(
        session_id="s", run_id="r", call_id="c", workspace=workspace, sandbox=nothing, timeout=minute, ask=ask
    )


@pytest.mark.parametrize(
    ("schema", "action"),
    [
        (form(perhaps={"type": ["string", "null"]}), "decline"),
        (form(mail={"type": "string", "format": ["email"]}), "accept"),
        (form(a={"type": "string"}) | {"required": [{"a": 1}, ["b"]]}, "accept"),
    ],
)
async def test_a_schema_of_any_shape_leaves_the_connection_alone(
    schema: dict[str, Any], action: str, workspace: Workspace
) -> None:
    """What is legal JSON and no form of ours is declined or asked as text; it never raises into the session."""

    async def ask(_asked: PersonAsked) -> str | None:
        return "{}"

    elicit = elicitation.elicitor("odd", asked_in(workspace, ask))
    told = await elicit(types.ElicitRequestFormParams(message="?", requestedSchema=schema))
    assert told.action == action


async def test_what_a_person_cannot_be_asked_is_declined(workspace: Workspace) -> None:
    """An error while the question is made is the question's end, not the connection's."""

    async def ask(_asked: PersonAsked) -> str | None:
        raise ValueError

    elicit = elicitation.elicitor("odd", asked_in(workspace, ask))
    assert (await elicit(types.ElicitRequestFormParams(message="?", requestedSchema={}))).action == "decline"


async def test_the_questions_of_one_call_have_one_allowance(workspace: Workspace) -> None:
    """After ten of them nobody is asked any more, since every clock of the call stands still meanwhile."""
    asked: list[PersonAsked] = []

    async def ask(question: PersonAsked) -> str | None:
        asked.append(question)
        return "Yes"

    elicit = elicitation.elicitor("odd", asked_in(workspace, ask))
    params = types.ElicitRequestFormParams(message="?", requestedSchema={})
    told = [(await elicit(params)).action for _ in range(12)]
    assert told == ["accept"] * 10 + ["cancel"] * 2
    assert len(asked) == 10


async def test_a_question_under_way_holds_no_other_call(calling: Calling, tmp_path: Path) -> None:
    """The other thread learns that nothing was called, and why, long before its time is over."""
    is_asked, answer = asyncio.Event(), asyncio.Event()

    async def ask(_asked: PersonAsked) -> str | None:
        is_asked.set()
        await answer.wait()
        return "No"

    async with clients_of(odd_server("good", tmp_path), data=tmp_path, may_elicit=["odd"]) as clients:
        first = asyncio.create_task(calling(clients, "mcp_odd_confirm", ask=ask))
        await is_asked.wait()
        with pytest.raises(ToolRefused, match="waits for a person's answer; nothing was called"):
            await calling(clients, "mcp_odd_confirm", seconds=600)
        answer.set()
        assert (await first).output == "accept really=False"
