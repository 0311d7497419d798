"""Opens the MCP servers of an installation: their file, what the operator accepted, and the secrets to keep quiet."""

import contextlib
from collections.abc import AsyncGenerator, Iterable

from pydantic import SecretBytes

from bot.commands.start import Start, StartProblem
from bot.oauth.sealing import sealing_key
from tools.mcp.clients import MCPClients
from tools.mcp.config import Server, load_servers
from tools.mcp.errors import McpConfigError
from tools.mcp.oauth import login_file, tokens_of
from tools.mcp.trust import FILE, TrustFile
from tools.redact import Redactor


def configured_servers(start: Start) -> tuple[Server, ...]:
    """The servers of the file that `mcp.config` names; none without it.

    Raises:
        StartProblem: the file cannot be used.
    """
    path = start.settings.mcp.config
    if path is None:
        return ()
    try:
        servers = load_servers(path, start.variables)
    except McpConfigError as error:
        raise StartProblem(str(error)) from error
    if not any(server.url for server in servers):
        return servers
    secret = start.environment.slack_client_secret
    key = SecretBytes(sealing_key(secret.get_secret_value(), "MCP logins")) if secret is not None else None
    return tuple(
        server.model_copy(update={"login": login_file(start.data, server), "login_key": key}) if server.url else server
        for server in servers
    )


def trust_file(start: Start) -> TrustFile:
    """The record of accepted tools."""
    return TrustFile(start.data / FILE)


def secrets_of(servers: Iterable[Server]) -> list[str]:
    """Values of the servers' entries that no text may show."""
    return [value for server in servers for value in (*server.secrets, *tokens_of(server))]


@contextlib.asynccontextmanager
async def open_servers(start: Start, servers: tuple[Server, ...], redact: Redactor) -> AsyncGenerator[MCPClients]:
    """The clients of all servers; nothing is started before a call needs it. `redact` learns renewed tokens.

    Raises:
        StartProblem: `mcp.elicitation` names a server that is not there.
    """
    unknown = sorted(set(start.settings.mcp.elicitation) - {server.name for server in servers})
    if unknown:
        raise StartProblem(f"mcp.elicitation names {unknown[0]!r}, which is no enabled server of mcp.config.")
    may_elicit = frozenset(start.settings.mcp.elicitation)
    clients = MCPClients(servers, trust_file(start), may_elicit=may_elicit, redact=redact, learn=redact.learn)
    try:
        yield clients
    finally:
        await clients.aclose()
