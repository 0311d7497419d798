"""A server's question: who may put one, how a person sees it, what comes back, and what becomes of it."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.mcp.conftest import Calling
from tests.mcp.real import clients_of, odd_server
from tools.mcp.form import NoForm, fields_of, read_form
from tools.question import PersonAsked


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
