"""Any arguments a schema allows, and some it does not, against every tool: a result or a refusal, nothing else."""

import asyncio
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import JsonValue, TypeAdapter

from tests.tools.conftest import NO_SANDBOX
from tools.base import FinishProposed, PersonAsked, ToolInputError, ToolRefused, ToolResult
from tools.builtin.schedule import NoDesk, ScheduleTool
from tools.builtin.slack_read import SlackRead
from tools.builtin.web_fetch import WebFetch
from tools.builtin.web_search import WebSearch
from tools.collection import ToolCollection, builtin_tools
from tools.context import Found, Said, ToolContext
from tools.mounts import Mount, prepare_workspace
from tools.sandbox.port import Sandbox
from tools.sandbox.probe import owner_for
from tools.schema import Schema
from tools.web.addresses import Guard
from tools.web.engines import Brave

NASTY = (
    "", " ", ".", "..", "../../etc/passwd", "/etc/passwd", "/workspace", "/workspace/../x", "a/b/c", "etl", "import.py",
    "etl/import.py", "a\0b", "\u202egnp.exe", "-", "--help", "-1", "*", "[", "(", "(?P<", "{}", "null", "%s%n", "$(id)",
    "`id`", "x" * 300, "/" * 5_000, "é\n\r\t", "C0DATA", "1700000000.123456", "r1.1.1", "2026-02-30T25:61",
    "0 0 31 2 *", "99999999h", "Mars/Base", "http://127.0.0.1:1/", "http://[::1]/", "http://2130706433/", "main",
    "@{u}", "file:///etc/passwd", "http://a@b:99999/", "https://[",
    "https://a.slack.com/archives/C0DATA/p1700000000123456",
)  # fmt: skip
ANY_JSON: TypeAdapter[JsonValue] = TypeAdapter(JsonValue)


def as_json(value: object) -> JsonValue:
    """The same, known to be JSON."""
    return ANY_JSON.validate_python(value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**18), 10**18) | st.floats(allow_nan=False) | st.sampled_from(NASTY),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NASTY), inner, max_size=3),
    max_leaves=6,
).map(as_json)


def values(schema: Schema) -> st.SearchStrategy[JsonValue]:
    """Values of a schema, at and beyond its bounds."""
    choices, kind = schema.get("enum"), schema.get("type")
    if isinstance(choices, list):
        return st.sampled_from(choices)
    if kind == "object":
        return objects(schema)
    if kind == "array" and isinstance(items := schema.get("items", {}), dict):
        return st.lists(values(items), max_size=4).map(as_json)
    by_kind: dict[JsonValue, st.SearchStrategy[JsonValue]] = {
        "string": st.sampled_from(NASTY) | st.text(st.characters(exclude_categories=["Cs"]), max_size=40),
        "integer": st.integers(-2, 12) | st.sampled_from([-(2**63), 2**63, 10**30]),
        "number": st.floats(allow_nan=False, allow_infinity=False) | st.integers(-2, 700),
        "boolean": st.booleans(),
    }
    return by_kind.get(kind, JSON)


def objects(schema: Schema) -> st.SearchStrategy[JsonValue]:
    """Objects of a schema: each field there or not, now and then with a value of another kind."""
    fields = schema.get("properties")
    known = fields if isinstance(fields, dict) else {}
    drawn = {name: values(field) | JSON for name, field in known.items() if isinstance(field, dict)}
    return st.fixed_dictionaries({}, optional=drawn).map(as_json)


class Past:
    """A session's past with one long output."""

    async def output(self, call_id: str) -> str | None:
        """Of one call."""
        return "word\n" * 100 if call_id == "r1.1.1" else None

    async def search(self, words: str, limit: int) -> Sequence[Found]:
        """Always the same."""
        return [Found("r1.1.1", words)] * limit


class Elsewhere:
    """One message in every conversation."""

    async def read(self, channel: str, thread_ts: str, limit: int) -> Sequence[Said]:
        """The same in each."""
        return [Said("Ana", thread_ts or "1.0", f"said in {channel}")] * limit


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Every tool, and the context of a call."""

    tools: ToolCollection
    context: ToolContext
    runner: asyncio.Runner

    def put(self, name: str, arguments: JsonValue) -> str:
        """Parse, prepare and run as the runtime does; how it ended."""
        return self.runner.run(self.called(name, arguments))

    async def called(self, name: str, arguments: JsonValue) -> str:
        """One call through to its end."""
        try:
            parsed = self.tools.parse(name, arguments if isinstance(arguments, dict) else str(arguments))
            tool, params = parsed.tool, parsed.params
            tool.asks_once_for(params)
            prepared = await tool.prepare(params, self.context)
            outcome = await tool.run(params, replace(self.context, binding=prepared.binding))
        except (ToolInputError, ToolRefused) as refusal:
            return "refused" if str(refusal) else "refused without a word"
        assert isinstance(outcome, ToolResult | PersonAsked | FinishProposed)
        outcome.model_dump_json()
        return outcome.kind


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    """A session with a mount, and engines and hosts that nobody answers at."""
    with tempfile.TemporaryDirectory(prefix="handrail-tools-") as folder, asyncio.Runner() as runner:
        data = Path(folder)
        data.chmod(0o711)
        mount = Mount(name="etl", path=data / "srv")
        mount.path.mkdir()
        (mount.path / "import.py").write_text("x = 1\n", encoding="utf-8")
        nobody = Brave(guard=Guard(frozenset({"127.0.0.1:1"})), key="k", base="http://127.0.0.1:1")
        further = (WebSearch([nobody]), WebFetch(Guard()), SlackRead(), ScheduleTool(NoDesk()))
        context = ToolContext(
            session_id="T1:C1:1.0",
            run_id="r1",
            call_id="r1.1.1",
            workspace=prepare_workspace(data / "session", [mount], owner_for(str(data))),
            sandbox=NO_SANDBOX,
            timeout=timedelta(seconds=20),
            records=Past(),
            conversations=Elsewhere(),
        )
        yield World(tools=ToolCollection([*builtin_tools([mount]), *further]), context=context, runner=runner)


NAMES = (
    *ToolCollection(builtin_tools([Mount(name="etl", path=Path("/"))])).names,
    "web_search",
    "web_fetch",
    "slack_read",
    "schedule",
)


@pytest.mark.parametrize("name", NAMES)
def test_no_arguments_make_a_tool_raise_anything_but_a_refusal(world: World, name: str) -> None:
    """From the schema itself, mixed with values of other kinds: parsed, prepared and run, or refused in words."""
    assert set(world.tools.names) == set(NAMES)
    seen: set[str] = set()

    @settings(
        max_examples=60,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        database=None,
    )
    @given(objects(world.tools.schema(name)))
    def every(arguments: JsonValue) -> None:
        seen.add(world.put(name, arguments))

    every()
    assert seen <= {"result", "ask", "finish", "refused"}


@pytest.mark.parametrize("name", ["bash", "python_execute", "search_files"])
def test_no_text_makes_what_runs_inside_fail_otherwise(world: World, sandbox: Sandbox, name: str) -> None:
    """The same in a real sandbox, with few examples, since each starts a process."""
    inside = replace(world, context=replace(world.context, sandbox=sandbox, timeout=timedelta(seconds=10)))
    field = {"bash": "command", "python_execute": "code", "search_files": "pattern"}[name]
    for text in (
        "\ud7ff\ue000",
        "a\r\nb",
        "'",
        '"""',
        "\\",
        "exit 3",
        "(?i)x|[",
        "\x1b[31m\x07",
        "raise SystemExit(7)",
        "x" * 99_999,
    ):
        assert inside.put(name, {field: text}) in {"result", "refused"}
