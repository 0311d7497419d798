"""Which tools an agent is offered and told of."""

import json
from pathlib import Path

import pytest

from runtime.agent.manus import Manus
from runtime.agent.offering import offered
from runtime.house import agent_named, agent_names
from tests.agent.desk import Desk
from tools.collection import ToolCollection, builtin_tools
from tools.mounts import Mount

TOOLS = ToolCollection(builtin_tools([Mount(name="etl", path=Path("/"))]))


@pytest.mark.parametrize("name", agent_names())
def test_every_tool_on_an_agents_list_exists(name: str) -> None:
    """A misspelt name would silently take a tool away."""
    names: tuple[str, ...] = getattr(agent_named(name), "tool_names", ())
    assert set(offered(TOOLS, names, in_a_flow=False).names) == set(names or TOOLS.names)


async def told(desk: Desk) -> set[str]:
    """The tools that the general agent is told of in a request."""
    desk.use(TOOLS)
    await desk.hear("go")
    return {tool["function"]["name"] for tool in json.loads(Manus(desk.context).tools_json)}


async def test_the_general_agent_is_told_of_the_search_where_there_are_directories_to_search(desk: Desk) -> None:
    """Directories that people share are worth its tokens in each request."""
    desk.configure('[[workspace.mounts]]\nname = "etl"\npath = "/"\n')
    assert await told(desk) == set(TOOLS.names)


async def test_a_tool_the_general_agent_is_not_told_of_can_still_be_called(desk: Desk) -> None:
    """In an empty workspace a shell does the same for nothing; the agents for code and data are always told."""
    assert await told(desk) == set(TOOLS.names) - {"search_files"}
    assert TOOLS.parse("search_files", {"pattern": "x"}).tool.name == "search_files"
    assert {"search_files"} <= set(getattr(agent_named("swe"), "tool_names", ()))
