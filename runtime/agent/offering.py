"""Which tools a model is offered, and in which bytes."""

import json
from collections.abc import Callable, Sequence

from pydantic import JsonValue

from runtime.session.state import RunState
from tools.collection import ToolCollection


def offered(tools: ToolCollection, names: Sequence[str], *, in_a_flow: bool) -> ToolCollection:
    """The tools of an agent's list that there are; within a flow's step without the plan, which is the flow's.

    Args:
        tools: all there are.
        names: the agent's list; empty means all.
        in_a_flow: the agent does one step of a flow.
    """
    wanted = set(names or tools.names) - ({"planning"} if in_a_flow else set[str]())
    return ToolCollection(tool for tool in tools if tool.name in wanted)


PLAN_FIRST = """\
The person wants a plan first: make it with the planning tool before anything else. They approve or change it, and \
until then nothing else runs. A question that needs no work can be answered at once."""


def with_plan_first(prompt: str, run: RunState) -> str:
    """The system prompt with what such a request adds to it."""
    return f"{prompt}\n\n{PLAN_FIRST}" if run.plan_first and prompt else prompt


class Chosen:
    """A choice of tools that is the same collection again for as long as it is made from the same one."""

    def __init__(self, choose: Callable[[ToolCollection], ToolCollection]) -> None:
        """Choose by this."""
        self.choose = choose
        self.of: ToolCollection | None = None
        self.made = ToolCollection([])

    def __call__(self, tools: ToolCollection) -> ToolCollection:
        """The chosen ones."""
        if self.of is not tools:
            self.of, self.made = tools, self.choose(tools)
        return self.made


NEEDLESS = frozenset(
    {"additionalProperties", "minItems", "maxItems", "minimum", "maximum", "exclusiveMinimum", "pattern", "default"}
)
"""Parts of a schema that validation holds calls to, and that a model reads in every request for nothing."""


def described(tools: ToolCollection, untold: frozenset[str] = frozenset()) -> str:
    """The tools' schemas as they are sent; empty where there are none. Those of servers are sent as they are."""
    own = {tool.name for tool in tools if not tool.origin}
    named = zip(tools.names, tools.schemas(), strict=True)
    schemas = [slim(schema) if name in own else schema for name, schema in named if name not in untold]
    return json.dumps(schemas, ensure_ascii=False, separators=(",", ":")) if schemas else ""


def slim(value: JsonValue) -> JsonValue:
    """A schema without what a model does not need. Names of fields stay, whatever they are called."""
    if isinstance(value, dict):
        return {
            key: slim_fields(part) if key == "properties" else slim(part)
            for key, part in value.items()
            if key not in NEEDLESS
        }
    return [slim(part) for part in value] if isinstance(value, list) else value


def slim_fields(fields: JsonValue) -> JsonValue:
    """Each field of an object, by its name."""
    return {name: slim(field) for name, field in fields.items()} if isinstance(fields, dict) else fields
