"""A collection announces its tools in fixed bytes and turns calls into validated parameters."""

import json
from pathlib import Path
from typing import ClassVar

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from tests.tools.test_arguments import json_objects
from tools.base import BaseTool, Effect, Params, Risk, ToolResult
from tools.builtin.ask_human import AskHuman
from tools.builtin.planning import PlanningParams, PlanningTool
from tools.builtin.terminate import Terminate, TerminateParams
from tools.collection import ToolCollection, builtin_tools
from tools.context import ToolContext
from tools.errors import ToolInputError, UnknownTool
from tools.mounts import Mount
from tools.schema import field_lines

EVERYTHING = ToolCollection(builtin_tools([Mount(name="etl", path=Path("/"))]))


@pytest.fixture
def tools() -> ToolCollection:
    """Three tools that need nothing outside."""
    return ToolCollection([PlanningTool(), AskHuman(), Terminate()])


def test_schemas_are_plain_and_the_same_bytes_each_time(tools: ToolCollection) -> None:
    """Providers cache by bytes, and references or titles confuse small models."""
    text = json.dumps(tools.schemas())
    again = json.dumps(ToolCollection([PlanningTool(), AskHuman(), Terminate()]).schemas())
    assert text == again
    assert not any(noise in text for noise in ("$ref", "$defs", "anyOf", '"null"'))
    for name in tools.names:
        jsonschema.Draft202012Validator.check_schema(tools.schema(name))
        assert tools.schema(name)["additionalProperties"] is False


def test_a_parameter_called_title_stays(tools: ToolCollection) -> None:
    """Only pydantic's own titles are noise."""
    properties = tools.schema("planning")["properties"]
    assert isinstance(properties, dict)
    assert list(properties) == ["command", "title", "steps", "step_index", "step_status", "note"]
    assert properties["step_status"] == {
        "enum": ["pending", "in_progress", "completed", "blocked", "failed", "skipped"],
        "type": "string",
    }


def test_a_call_becomes_parameters_with_one_spelling(tools: ToolCollection) -> None:
    """Order of keys, spaces and defaults written out make no difference to the canonical bytes."""
    one = tools.parse("terminate", '{"status": "success", "answer": "é"}')
    two = tools.parse("terminate", '{"answer":"\\u00e9",\n"status":"success",}')
    assert one.params == TerminateParams(status="success", answer="é")
    assert one.canonical == two.canonical == '{"answer":"é","status":"success"}'.encode()


def test_a_list_that_arrived_as_text_is_read(tools: ToolCollection) -> None:
    """Some models write lists inside a field as JSON text."""
    parsed = tools.parse("planning", {"command": "create", "title": "T", "steps": '["one", "two"]'})
    assert isinstance(parsed.params, PlanningParams)
    assert parsed.params.steps == ("one", "two")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("{}", ["- status: Field required", "- answer: Field required"]),
        ('{"status": "done", "answer": "x"}', ["- status: Input should be 'success' or 'failure'"]),
        ('{"status": "success", "anwser": "x"}', ["- anwser: unknown field, did you mean answer?"]),
        ('{"status": "succ', ["cut off"]),
    ],
)
def test_a_misfit_names_the_field_and_what_the_tool_takes(
    tools: ToolCollection, arguments: str, says: list[str]
) -> None:
    """The model can correct the call from the error alone."""
    with pytest.raises(ToolInputError) as caught:
        tools.parse("terminate", arguments)
    text = str(caught.value)
    for line in [*says, "- status (one of success, failure, required)"]:
        assert line in text


def test_an_unknown_tool_is_refused_with_near_names(tools: ToolCollection) -> None:
    """A name that is not registered never runs, and the model is told which names are."""
    with pytest.raises(UnknownTool, match="Did you mean planning"):
        tools.parse("planing", "{}")


def test_a_definition_hash_follows_everything_said_about_the_tool(tools: ToolCollection) -> None:
    """A standing permission is void once name, words, schema, risk or effect change."""

    class Renamed(PlanningTool):
        description: ClassVar[str] = "Something else."

    assert tools.definition_hash("planning") == ToolCollection([PlanningTool()]).definition_hash("planning")
    assert tools.definition_hash("planning") != ToolCollection([Renamed()]).definition_hash("planning")


def test_two_tools_of_one_name_are_refused(tools: ToolCollection) -> None:
    """Shadowing a tool is a mistake of the operator, found at start."""
    with pytest.raises(ValueError, match="two tools are called terminate"):
        tools.with_tools([Terminate()])
    assert tools.without("terminate").names == ("planning", "ask_human")


def test_the_builtin_tools_have_schemas_models_can_use(tmp_path: Path) -> None:
    """Every field has a kind, and publishing is offered only where there is something to publish to."""
    tools = ToolCollection(builtin_tools([Mount(name="etl", path=tmp_path)]))
    assert tools.names == (
        "planning",
        "python_execute",
        "bash",
        "str_replace_editor",
        "search_files",
        "ask_human",
        "recall",
        "terminate",
        "publish",
    )
    assert "publish" not in ToolCollection(builtin_tools())
    for name in tools.names:
        jsonschema.Draft202012Validator.check_schema(tools.schema(name))
        for line in field_lines(tools.schema(name)):
            assert "any" not in line.partition(")")[0]


@given(st.sampled_from(EVERYTHING.names), json_objects)
def test_any_object_is_parsed_or_refused(name: str, arguments: dict[str, JsonValue]) -> None:
    """Arguments of any shape end in parameters or in an error for the model, never in another one."""
    outcome = ""
    try:
        outcome = EVERYTHING.parse(name, arguments).tool.name
    except ToolInputError as refused:
        outcome = f"refused: {refused}"
    assert outcome == name or len(outcome) > len("refused: ")


@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "Infinity"])
def test_a_number_without_end_is_refused(number: str) -> None:
    """No JSON can spell it, so nothing could be shown, hashed or sent."""
    tools = ToolCollection(builtin_tools())
    for name, arguments in (
        ("bash", f'{{"command": "ls", "timeout": {number}}}'),
        ("ask_human", f'{{"question": "Which?", "fields": [{{"name": "a", "label": "A", "kind": {number}}}]}}'),
    ):
        with pytest.raises(ToolInputError):
            tools.parse(name, arguments)


class NoParams(Params):
    """Nothing to say."""


class Holding(BaseTool[NoParams]):
    """A tool that holds something and may fail to let go."""

    description: ClassVar[str] = "Holds."
    risk: ClassVar[Risk] = Risk.READ
    effect: ClassVar[Effect] = Effect.PURE
    params: ClassVar[type[Params]] = NoParams
    released: ClassVar[list[str]] = []

    async def run(self, params: NoParams, context: ToolContext) -> ToolResult:
        """Say nothing."""
        return ToolResult(output="")

    async def cleanup(self) -> None:
        """Note it, then fail."""
        self.released.append(self.name)
        raise OSError(self.name)


class First(Holding):
    """One."""

    name: ClassVar[str] = "first"


class Second(Holding):
    """Another."""

    name: ClassVar[str] = "second"


async def test_every_tool_is_cleaned_up_though_one_fails() -> None:
    """A failing cleanup stops no other, and each runs once however often it is asked for."""
    tools = ToolCollection([First(), Second()])
    with pytest.raises(OSError, match="first"):
        await tools.cleanup()
    await tools.cleanup()
    assert Holding.released == ["second", "first"]
