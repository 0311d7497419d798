"""`python -m bot tools`: every tool there is, with risk, effect class, origin and schema."""

import argparse
import json
from collections.abc import Sequence

from pydantic import JsonValue

from bot.assembly import open_store, own_tools
from bot.commands.start import Start, StartProblem, run_command
from bot.mcp import configured_servers, trust_file
from bot.slack_side import desk_of
from runtime.catalogue import Catalogue
from tools.collection import AnyTool, ToolCollection
from tools.mcp.clients import MCPClients
from tools.schema import field_lines


def main(arguments: Sequence[str]) -> int:
    """List the tools."""
    parser = argparse.ArgumentParser(prog="python -m bot tools", description="Every tool that a model is offered.")
    parser.add_argument("--json", action="store_true", help="everything as JSON, schemas included")
    parser.add_argument("name", nargs="?", help="only this tool, with its whole schema")
    options = parser.parse_args(arguments)
    return run_command(lambda start: listed(start, options))


async def listed(start: Start, options: argparse.Namespace) -> int:
    """Print them. No MCP server is started: what was accepted of it is known."""
    clients = MCPClients(configured_servers(start), trust_file(start))
    async with open_store(start) as store:
        tools = Catalogue(own=own_tools(start, desk_of(start, store)), clients=clients).now()
    if options.name and options.name not in tools:
        raise StartProblem(f"There is no tool {options.name!r}. The tools are: {', '.join(tools.names)}.")
    chosen = [tool for tool in tools if not options.name or tool.name == options.name]
    if options.json:
        print(json.dumps([described(tool, tools) for tool in chosen], indent=2, ensure_ascii=False))
        return 0
    for tool in chosen:
        print(line_of(tool))
        if options.name:
            print(tool.description, *field_lines(tools.schema(tool.name)), sep="\n")
    return 0


def described(tool: AnyTool, tools: ToolCollection) -> dict[str, JsonValue]:
    """Everything about a tool."""
    return {
        "name": tool.name,
        "origin": tool.origin or "local",
        "risk": tool.risk.value,
        "effect": tool.effect.value,
        "accepted_read": tool.is_accepted_read,
        "description": tool.description,
        "schema": tools.schema(tool.name),
        "definition": tools.definition_hash(tool.name),
    }


def line_of(tool: AnyTool) -> str:
    """A tool in one line."""
    origin = f"mcp:{tool.origin}" if tool.origin else "local"
    first = tool.description.partition(". ")[0].removesuffix(".")
    return f"{tool.name:<22} {origin:<10} {tool.risk.value:<10} {tool.effect.value:<13} {first[:80]}"
