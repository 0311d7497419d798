"""Who can do a step of a flow: the agents of the house, a browser where there is one, and one agent per MCP server."""

from collections.abc import Mapping

from runtime.agent.context import AgentContext
from runtime.agent.data_analysis import DataAnalysis
from runtime.agent.manus import Manus
from runtime.agent.mcp import PREFIX, BrowserAgent, agent_of
from runtime.agent.swe import SWEAgent
from runtime.agent.toolcall import ToolCallAgent
from tools.collection import ToolCollection
from tools.text import visible

EXECUTORS: Mapping[str, type[ToolCallAgent]] = {
    agent.name: agent
    for agent in (
        Manus,
        SWEAgent,
        DataAnalysis,
        BrowserAgent,
    )
}
"""Another agent is a file and a line here; a plan may choose it if it says what it is `about`."""
SHOWN_TOOLS = 8


def servers_of(tools: ToolCollection) -> dict[str, list[str]]:
    """The servers that have tools now, each with the tools' names."""
    found: dict[str, list[str]] = {}
    for tool in tools:
        if tool.origin:
            found.setdefault(tool.origin, []).append(tool.name)
    return found


def kinds_of(context: AgentContext) -> dict[str, str]:
    """Every agent that a plan may choose now, with what it is for."""
    kinds = {name: agent.about for name, agent in EXECUTORS.items() if agent.about}
    servers = servers_of(context.present_tools() if context.present_tools else context.tools)
    if not servers.pop(context.settings.agent.browser, None):
        del kinds[BrowserAgent.name]
    for server, names in servers.items():
        kinds[f"{PREFIX}{server}"] = f"the tools {', '.join(names[:SHOWN_TOOLS])} of the MCP server {visible(server)}"
    return kinds


def executor_of(kind: str) -> type[ToolCallAgent]:
    """The agent of a name: Manus for one that is none; that of an MCP server also while the server has no tools."""
    if kind.startswith(PREFIX):
        return agent_of(kind.removeprefix(PREFIX))
    return EXECUTORS.get(kind, Manus)
