"""Which tools a model is offered, and in which bytes."""

import json
from collections.abc import Sequence

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


def described(tools: ToolCollection) -> str:
    """The tools' schemas as they are sent; empty where there are none."""
    schemas = tools.schemas()
    return json.dumps(schemas, ensure_ascii=False, separators=(",", ":")) if schemas else ""
