"""`python -m bot mcp add|list|accept|login|remove`: the MCP servers and what is accepted of them.

`add` writes the ecosystem's `mcpServers` file; `accept` starts a server, shows each tool once as the server describes
it, shows what changed since it was accepted, and records the operator's word. Nothing is offered to a model before.
"""

import argparse
import contextlib
import json
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from bot.commands.mcp_login import login
from bot.commands.mcp_review import clean, news, said_yes, which_read
from bot.commands.start import Start, StartProblem, run_command
from bot.mcp import configured_servers, secrets_of, trust_file
from tools.mcp.client import MCPClient
from tools.mcp.clients import MCPClients
from tools.mcp.config import load_servers, read_entries
from tools.mcp.errors import McpConfigError, ServerUnavailable
from tools.mcp.names import tool_name
from tools.mcp.trust import ServerTrust
from tools.redact import Redactor

CONFIG = "mcp.json"


def main(arguments: Sequence[str]) -> int:
    """Run the command."""
    before, program = list(arguments), list[str]()
    if "--" in before:
        where = before.index("--")
        before, program = before[:where], before[where + 1 :]
    whole = parser()
    # Positional arguments after options: argparse would have matched an optional one to nothing by then.
    options, more = whole.parse_known_args(before)
    if more[1:] or any(text.startswith("-") or options.command != "add" for text in more):
        whole.error(f"unrecognized arguments: {' '.join(more)}")
    options.target, options.arguments = (program[0], program[1:]) if program else ((more or [""])[0], [])
    return run_command(lambda start: COMMANDS[options.command](start, options))


def parser() -> argparse.ArgumentParser:
    """What may be said on the command line."""
    whole = argparse.ArgumentParser(prog="python -m bot mcp", description="MCP servers and what is accepted of them.")
    commands = whole.add_subparsers(dest="command", required=True)
    adding = commands.add_parser(
        "add",
        help="add a server to the mcpServers file and show its tools",
        usage="%(prog)s NAME [options] URL | NAME [options] -- PROGRAM [arguments]",
    )
    adding.add_argument("name")
    adding.add_argument("--env", action="append", default=[], metavar="NAME=VALUE", help="${NAME} is read at start")
    adding.add_argument("--header", action="append", default=[], metavar="NAME: VALUE")
    adding.add_argument("--transport", choices=("stdio", "http", "sse"))
    listing = commands.add_parser("list", help="show servers, tools and what is accepted")
    listing.add_argument("--check", action="store_true", help="start every server and compare")
    accepting = commands.add_parser("accept", help="show a server's tools, or what changed, and accept them")
    accepting.add_argument("name")
    for command in (adding, accepting):
        command.add_argument("--yes", action="store_true", help="accept all that was shown without asking")
        command.add_argument("--reads", default=None, metavar="TOOL,TOOL", help="these may run without asking a person")
    entering = commands.add_parser("login", help="log in at a server that uses OAuth")
    entering.add_argument("name")
    entering.add_argument("--port", type=int, default=0, help="where the browser comes back to on this machine")
    removing = commands.add_parser("remove", help="take back everything accepted of a server")
    removing.add_argument("name")
    return whole


def config_path(start: Start) -> Path:
    """The file that `mcp.config` names.

    Raises:
        StartProblem: it names none.
    """
    if start.settings.mcp.config is None:
        raise StartProblem(f'Set config = "{CONFIG}" under [mcp] in handrail.toml first; servers are written there.')
    return start.settings.mcp.config


async def add(start: Start, options: argparse.Namespace) -> int:
    """Write the entry, then show and accept."""
    path = config_path(start)
    entry = entry_of(options)
    whole: dict[str, JsonValue] = {"mcpServers": {}}
    if path.exists():
        whole = json.loads(path.read_text(encoding="utf-8-sig"))
        with told():
            known = read_entries(path)
        if options.name in known:
            raise StartProblem(f"{path} has a server {options.name!r} already. Edit it there, or choose another name.")
    servers = whole.setdefault("mcpServers", {})
    assert isinstance(servers, dict)
    servers[options.name] = entry
    draft = path.with_name(f".{path.name}.new")
    draft.write_text(json.dumps(whole, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    draft.chmod(0o600)
    with told():
        load_servers(draft, start.variables)
    draft.replace(path)
    print(f"{options.name} is now in {path}.")
    return await accept(start, options)


def entry_of(options: argparse.Namespace) -> dict[str, JsonValue]:
    """The entry that the command line describes.

    Raises:
        StartProblem: it describes none.
    """
    if not options.target:
        raise StartProblem("Say what to start or where it is: `mcp add NAME https://…` or `mcp add NAME -- PROGRAM …`.")
    entry: dict[str, JsonValue] = {}
    if options.target.startswith(("http://", "https://")):
        entry["url"] = options.target
    else:
        entry["command"] = options.target
        entry["args"] = list(options.arguments)
    if options.transport:
        entry["type"] = options.transport
    if options.env:
        entry["env"] = pairs(options.env, "=", "--env NAME=VALUE")
    if options.header:
        entry["headers"] = pairs(options.header, ":", "--header 'NAME: VALUE'")
    return entry


def pairs(texts: Sequence[str], separator: str, shape: str) -> dict[str, JsonValue]:
    """Names and values.

    Raises:
        StartProblem: one has no separator.
    """
    found: dict[str, JsonValue] = {}
    for text in texts:
        name, mark, value = text.partition(separator)
        if not mark or not name.strip():
            raise StartProblem(f"Write {shape}.")
        found[name.strip()] = value.strip()
    return found


async def show(start: Start, options: argparse.Namespace) -> int:
    """Each server, what is accepted of it, and with --check how it is now."""
    whole = 0
    with told():
        trust = trust_file(start).read()
    async with opened(start) as clients:
        if not clients.clients:
            print(f"No servers. Set mcp.config to an mcpServers file such as {CONFIG}, then `python -m bot mcp add`.")
        for name, client in clients.clients.items():
            print(f"{name}: {client.server.transport}, {client.server.shown}")
            if options.check:
                whole |= await check(client)
            with told():
                trust = trust_file(start).read()
            for line in lines_of(trust.of(name), name, clients.names):
                print(f"  {line}")
    return whole


async def check(client: MCPClient) -> int:
    """Start the server once; what it lists is compared with what is accepted."""
    try:
        await client.connected()
    except ServerUnavailable as error:
        print(f"  {error}")
        return 1
    print(f"  answers; lists {len(client.listing.definitions) if client.listing else 0} tools")
    return 0


def lines_of(entry: ServerTrust, server: str, servers: Sequence[str]) -> list[str]:
    """What is accepted of a server, a line per tool."""
    if not entry.tools:
        return [f"nothing accepted yet; `python -m bot mcp accept {server}` shows its tools"]
    lines: list[str] = []
    for tool, pin in entry.tools.items():
        state = "QUARANTINED: it changed" if pin.changed is not None else "reads" if pin.reads else "asks"
        lines.append(f"{tool_name(server, tool, servers)}: {state}")
    return lines


async def accept(start: Start, options: argparse.Namespace) -> int:
    """Show what there is to accept, ask, record."""
    async with opened(start) as clients:
        client = clients.clients.get(options.name)
        if client is None:
            known = ", ".join(clients.names) or "none"
            raise StartProblem(f"There is no enabled server {options.name!r}. The servers are: {known}.")
        with told():
            before = trust_file(start).read().of(options.name)
        try:
            connection = await client.connected()
        except ServerUnavailable as error:
            raise StartProblem(str(error)) from error
        offered = clean(client.listing.definitions if client.listing else ())
        instructions = connection.instructions
    for line in news(offered, before, instructions):
        print(line)
    if not options.yes and not said_yes(f"Accept these {len(offered)} tools? [y/N] "):
        print("Nothing was accepted.")
        return 1
    reads = which_read(options, offered, before)
    trust_file(start).accept(options.name, offered, reads=reads, instructions=instructions)
    asking = len(offered) - len(reads)
    print(f"Accepted {len(offered)} tools of {options.name}: {len(reads)} may run without asking, {asking} ask.")
    return 0


async def remove(start: Start, options: argparse.Namespace) -> int:
    """Forget a server; its entry in the file is the operator's to delete."""
    with told():
        trust_file(start).forget(options.name)
    print(f"Nothing of {options.name} is accepted any more. Its entry stays in {config_path(start)}.")
    return 0


@contextlib.asynccontextmanager
async def opened(start: Start) -> AsyncGenerator[MCPClients]:
    """All servers, not started yet."""
    servers = configured_servers(start)
    clients = MCPClients(servers, trust_file(start), redact=Redactor(secrets_of(servers)))
    try:
        yield clients
    finally:
        await clients.aclose()


@contextlib.contextmanager
def told() -> Generator[None]:
    """Turn a problem of the files into one for the operator."""
    try:
        yield
    except McpConfigError as error:
        raise StartProblem(str(error)) from error


COMMANDS: Mapping[str, Callable[[Start, argparse.Namespace], Coroutine[Any, Any, int]]] = {
    "add": add,
    "list": show,
    "accept": accept,
    "login": login,
    "remove": remove,
}
