"""What can be wrong with MCP servers, by who must react.

McpConfigError      the operator: the mcpServers file or the record of accepted tools cannot be used
ServerUnavailable   the model: the server cannot be reached now; the operator reads the same in `mcp list`
CallInterrupted     the model: the server was lost while the call was under way, so its outcome is not known
"""

from tools.errors import ToolRefused


class McpConfigError(Exception):
    """The file cannot be used; the text names the file, the server and the fix."""


class ServerUnavailable(ToolRefused):
    """The server does not answer now. Nothing was done."""


class CallInterrupted(ToolRefused):
    """The server went away, or took too long, in the middle of a call: it may or may not have had its effect."""
