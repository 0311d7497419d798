"""Which tools there are now: those that ship with Handrail, and what MCP servers may offer at this moment."""

from dataclasses import dataclass, field

from tools.collection import ToolCollection
from tools.mcp.clients import MCPClients
from tools.mcp.tool import McpTool


@dataclass(slots=True, kw_only=True)
class Catalogue:
    """Gives the present collection; the same object as before while nothing came or went."""

    own: ToolCollection
    clients: MCPClients
    foreign: tuple[McpTool, ...] = ()
    whole: ToolCollection | None = field(default=None)

    def now(self) -> ToolCollection:
        """Every tool that may be offered now, foreign ones last."""
        foreign = self.clients.tools()
        if self.whole is None or foreign is not self.foreign:
            self.foreign = foreign
            taken = {tool.name for tool in self.own}
            self.whole = self.own.with_tools(tool for tool in foreign if tool.name not in taken)
        return self.whole

    def instructions(self) -> str:
        """What the servers say about themselves, as the operator accepted it."""
        return self.clients.instructions()
