"""How the MCP servers are, for `doctor`."""

import asyncio
from collections.abc import AsyncIterator
from typing import NamedTuple

from bot.commands.start import Start, StartProblem
from bot.mcp import configured_servers, secrets_of, trust_file
from tools.mcp.client import MCPClient
from tools.mcp.clients import MCPClients
from tools.mcp.errors import McpConfigError, ServerUnavailable
from tools.mcp.trust import ServerTrust
from tools.redact import Redactor


class McpFinding(NamedTuple):
    """One server, whether it is as it should be, and what to do."""

    server: str
    ok: bool
    text: str


async def mcp_findings(start: Start) -> AsyncIterator[McpFinding]:
    """A finding per server, all started at the same time; one finding where the files cannot be used."""
    try:
        servers = configured_servers(start)
        trust_file(start).read()
    except (StartProblem, McpConfigError) as error:
        yield McpFinding("servers", ok=False, text=str(error))
        return
    clients = MCPClients(servers, trust_file(start), redact=Redactor(secrets_of(servers)))
    try:
        problems = await asyncio.gather(*(problem_of(client) for client in clients.clients.values()))
        for (name, client), problem in zip(clients.clients.items(), problems, strict=True):
            yield finding(client, problem, clients.accepted().of(name))
    finally:
        await clients.aclose()


async def problem_of(client: MCPClient) -> str:
    """Why a server cannot be used now; empty when it can."""
    try:
        await client.connected()
    except ServerUnavailable as error:
        return str(error)
    return ""


def finding(client: MCPClient, problem: str, accepted: ServerTrust) -> McpFinding:
    """What there is to say of one server."""
    name = client.server.name
    fix = f"`python -m bot mcp accept {name}`"
    aside = sum(pin.changed is not None for pin in accepted.tools.values())
    if problem:
        return McpFinding(name, ok=False, text=f"{problem} Check its entry in mcp.config.")
    if not accepted.tools:
        return McpFinding(name, ok=False, text=f"answers, but nothing of it is accepted yet: {fix} shows its tools.")
    if aside:
        return McpFinding(name, ok=False, text=f"{aside} of its tools changed and are set aside: {fix} shows how.")
    reads = sum(pin.reads for pin in accepted.tools.values())
    return McpFinding(name, ok=True, text=f"answers; {len(accepted.tools)} tools accepted, {reads} run without asking")
