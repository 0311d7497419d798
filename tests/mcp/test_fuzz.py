"""Any arguments against the tools of real servers, and any schema a server may claim: refusals, never an exception."""

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import given as drawn
from hypothesis import strategies as st
from pydantic import JsonValue

from tests.mcp.real import clients_of, node_server, odd_server
from tests.tools.conftest import NO_SANDBOX
from tests.tools.test_every_tool_fuzz import JSON, NASTY, World, as_json, objects
from tools.collection import ToolCollection
from tools.context import ToolContext
from tools.mcp.config import Server
from tools.mcp.definition import Definition, announced_schema
from tools.mcp.judging import misfit
from tools.workspace import Workspace

QUICK = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
    database=None,
)
SLOW = ("long", "slow", "dies", "sampling", "elicit", "roots", "gzip", "toggle", "simulate", "book", "confirm", "think")
"""Tools that take their time whatever they are given, or ask somebody."""
KEYWORDS = (
    "type", "properties", "required", "items", "pattern", "patternProperties", "additionalProperties", "enum", "const",
    "allOf", "anyOf", "oneOf", "not", "if", "then", "$ref", "$schema", "$id", "$defs", "$dynamicRef", "multipleOf",
    "minLength", "maximum", "uniqueItems", "contains", "propertyNames", "dependentRequired", "format", "prefixItems",
    "unevaluatedProperties", "unevaluatedItems", "description", "title", "default",
)  # fmt: skip
LATEST, OLDEST = "https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-03/schema#"
WORDS = ("(", "[", "(a+)+$", "#", "#/$defs/a", "#/properties/a", "http://127.0.0.1:1/x", "string", "object")
HUGE = (0, -1, 1e-320, float("inf"), float("nan"))
ODDITIES: st.SearchStrategy[object] = st.sampled_from((*WORDS, LATEST, OLDEST, *HUGE, True, None))
SCHEMAS = st.recursive(
    ODDITIES,
    lambda inner: st.dictionaries(st.sampled_from((*KEYWORDS, "a")), inner, max_size=5) | st.lists(inner, max_size=3),
    max_leaves=25,
)
ARGUMENTS = st.dictionaries(st.sampled_from(("a", "b", *NASTY[:6])), JSON | st.just("a" * 40 + "b"), max_size=4)


def filesystem(folder: Path) -> Server:
    """A real server that may see one folder."""
    return node_server("server-filesystem", str(folder))


def everything(_folder: Path) -> Server:
    """A real server with a tool of every kind."""
    return node_server("server-everything", "stdio")


def odd(folder: Path) -> Server:
    """Our own."""
    return odd_server("good", folder)


@pytest.fixture(params=[odd, everything, filesystem], ids=["odd", "everything", "filesystem"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    """The tools of one server, all of them accepted."""
    (tmp_path / "shown").mkdir()
    (tmp_path / "workspace").mkdir()
    server: Server = request.param(tmp_path / "shown")
    context = ToolContext(
        session_id="s",
        run_id="r1",
        call_id="r1.1.1",
        workspace=Workspace(root=tmp_path / "workspace"),
        sandbox=NO_SANDBOX,
        timeout=timedelta(seconds=60),
    )
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        clients = runner.run(stack.enter_async_context(clients_of(server, data=tmp_path)))
        tools = [tool for tool in clients.tools() if not any(word in tool.name for word in SLOW)]
        assert tools
        yield World(tools=ToolCollection(tools), context=context, runner=runner)
        runner.run(stack.aclose())


@pytest.mark.timeout(600)
def test_no_arguments_make_a_servers_tool_raise_anything_but_a_refusal(world: World) -> None:
    """Drawn from the schema it announces, mixed with values of other kinds: what does not fit never reaches it."""
    seen: set[str] = set()
    called = st.one_of(
        *(st.tuples(st.just(name), objects(world.tools.schema(name))) for name in sorted(world.tools.names))
    )

    @QUICK
    @drawn(called)
    def every(call: tuple[str, JsonValue]) -> None:
        seen.add(world.put(*call))

    every()
    assert seen == {"result", "refused"}
    for number in (float("inf"), float("-inf"), float("nan")):
        assert world.put(world.tools.names[0], {"message": number, "city": number, "path": number}) == "refused"


@settings(QUICK, max_examples=300)
@drawn(st.dictionaries(st.sampled_from(KEYWORDS), SCHEMAS, max_size=6), ARGUMENTS)
def test_whatever_a_server_calls_a_schema_arguments_are_judged_or_left_to_it(
    schema: dict[str, object], arguments: dict[str, JsonValue]
) -> None:
    """No schema, however broken, makes the judgement or the announcement of the tool fail."""
    raw = as_json({"name": "tool", "inputSchema": schema})
    assert isinstance(raw, dict)
    definition = Definition(server="odd", raw=raw)
    assert isinstance(definition.problem, str)
    assert len(definition.digest) == 64
    assert announced_schema(definition)["type"] == "object"
    assert isinstance(misfit(definition.schema, arguments), str)


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"a": {"pattern": "^(a+)+$"}}},
        {"patternProperties": {"^(a+)+$": {"type": "string"}}, "additionalProperties": False},
        {"propertyNames": {"pattern": "^(a+)+$"}},
        {
            "$ref": "#/$defs/n0",
            "$defs": {f"n{i}": {"allOf": [{"$ref": f"#/$defs/n{i + 1}"}] * 2} for i in range(60)} | {"n60": {}},
        },
        {"$ref": "#"},
        {"properties": {"a": {"items": {"uniqueItems": True}, "uniqueItems": True}}},
    ],
    ids=["pattern", "pattern of names", "names", "references", "itself", "comparisons"],
)
def test_a_schema_that_would_take_for_ever_is_left_to_its_server(schema: dict[str, JsonValue]) -> None:
    """Expressions and references that blow up cost a moment, in a process where everybody else works as well."""
    items: JsonValue = [{"n": number} for number in range(4_000)]
    given: list[dict[str, JsonValue]] = [{"a": "a" * 60 + "!"}, {"a" * 60 + "!": "x"}, {"a": items}]
    for arguments in given:
        assert misfit(schema, arguments) == ""


def test_what_can_be_judged_still_is() -> None:
    """Kinds, needed fields, choices and bounds are refused here, before anybody is asked; an expression is not."""
    schema: dict[str, JsonValue] = {
        "properties": {"a": {"type": "integer", "maximum": 5, "pattern": "^x"}, "b": {"enum": ["x"]}},
        "required": ["a"],
        "additionalProperties": False,
    }
    assert misfit(schema, {"a": 1, "b": "x"}) == ""
    assert "a: 7 is greater" in misfit(schema, {"a": 7})
    assert "b: 'y' is not one of" in misfit(schema, {"a": 1, "b": "y"})
    assert "'a' is a required property" in misfit(schema, {})
    assert "'c' was unexpected" in misfit(schema, {"a": 1, "c": 1})
