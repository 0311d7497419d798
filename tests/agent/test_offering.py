"""Which tools an agent is offered and told of."""

import json
from pathlib import Path

import pytest

from runtime.agent.manus import Manus
from runtime.agent.offering import described, offered
from runtime.house import AGENTS
from tools.collection import ToolCollection, builtin_tools
from tools.mounts import Mount

TOOLS = ToolCollection(builtin_tools([Mount(name="etl", path=Path("/"))]))


@pytest.mark.parametrize("name", list(AGENTS))
def test_every_tool_on_an_agents_list_exists(name: str) -> None:
    """A misspelt name would silently take a tool away."""
    names: tuple[str, ...] = getattr(AGENTS[name], "tool_names", ())
    assert set(offered(TOOLS, names, in_a_flow=False).names) == set(names or TOOLS.names)


def test_a_tool_the_general_agent_is_not_told_of_can_still_be_called() -> None:
    """Searching costs no tokens where a shell does the same; the agents for code and data are told of it."""
    told = {tool["function"]["name"] for tool in json.loads(described(TOOLS, Manus.untold))}
    assert told == set(TOOLS.names) - {"search_files"}
    assert TOOLS.parse("search_files", {"pattern": "x"}).tool.name == "search_files"
    assert {"search_files"} <= set(getattr(AGENTS["swe"], "tool_names", ()))
