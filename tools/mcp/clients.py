"""All configured servers and the tools they may offer now.

Above: `runtime.house`, which asks for the present tools before each step. Below: one client per server. What is offered
comes from what the operator accepted, so nothing is started before a call needs it, and a dead server costs nobody
anything.
"""

import asyncio
import logging
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from time import monotonic

from tools.mcp.client import Health, MCPClient
from tools.mcp.config import Server
from tools.mcp.connection import Listing
from tools.mcp.definition import Definition, quoted
from tools.mcp.errors import McpConfigError
from tools.mcp.names import tool_name
from tools.mcp.tool import McpTool, mcp_tool
from tools.mcp.trust import Pin, Trust, TrustFile
from tools.text import cap, visible

logger = logging.getLogger(__name__)

MAX_INSTRUCTIONS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """One tool that may be offered, told from another by everything that matters."""

    server: str
    tool: str
    digest: str
    reads: bool


def unheard(_secrets: Iterable[str]) -> None:
    """Nobody hides them."""


class MCPClients:
    """The servers of one installation."""

    def __init__(
        self,
        servers: Sequence[Server],
        trust: TrustFile,
        *,
        may_elicit: Collection[str] = (),
        redact: Callable[[str], str] = str,
        learn: Callable[[Iterable[str]], None] = unheard,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """Start nothing yet.

        Args:
            servers: as configured.
            trust: what the operator accepted.
            may_elicit: names of servers that may ask people.
            redact: takes secrets out of what is written to files.
            learn: told the secrets of logins as they are renewed.
            clock: seconds that never go back, for pauses after failures.
        """
        self.trust = trust
        self.redact = redact
        self.names = tuple(server.name for server in servers)
        self.clients = {
            server.name: MCPClient(
                server, may_elicit=server.name in may_elicit, on_listing=self.listed, learn=learn, clock=clock
            )
            for server in servers
        }
        self.offered: tuple[Offer, ...] = ()
        self.made: tuple[McpTool, ...] = ()
        self.complained = ""

    def tools(self) -> tuple[McpTool, ...]:
        """What may be offered now; the same tuple as before while nothing changed."""
        trust = self.accepted()
        pins = {
            Offer(server=client.server.name, tool=name, digest=definition.digest, reads=pin.reads): definition
            for client in self.clients.values()
            for name, pin in trust.of(client.server.name).tools.items()
            if (definition := offerable(client, pin))
        }
        if tuple(pins) != self.offered:
            self.offered = tuple(pins)
            self.made = tuple(self.make(offer, definition) for offer, definition in pins.items())
        return self.made

    def make(self, offer: Offer, definition: Definition) -> McpTool:
        """The tool of an offer."""
        name = tool_name(offer.server, offer.tool, self.names)
        return mcp_tool(name, definition, self.clients[offer.server], reads=offer.reads, redact=self.redact)

    def accepted(self) -> Trust:
        """What the operator accepted; nothing while the record cannot be read."""
        try:
            trust = self.trust.read()
        except McpConfigError as error:
            if str(error) != self.complained:
                logger.error("%s", error)  # noqa: TRY400 - the cause is in the sentence
            self.complained = str(error)
            return Trust()
        self.complained = ""
        return trust

    def listed(self, server: str, listing: Listing) -> None:
        """Compare what a server lists with what was accepted; whatever differs is set aside and logged."""
        try:
            accepted = self.trust.read().of(server)
        except McpConfigError:
            return
        changed = [
            one
            for one in listing.definitions
            if (pin := accepted.tools.get(one.tool)) and one.digest not in known_digests(server, pin)
        ]
        new = sorted(one.tool for one in listing.definitions if one.tool not in accepted.tools)
        if changed:
            self.trust.quarantine(server, changed)
            names = ", ".join(visible(one.tool) for one in changed)
            logger.warning(
                "MCP server %s changed %s: not offered until `python -m bot mcp accept %s`", server, names, server
            )
        if new:
            logger.info("MCP server %s has %d tools that nobody accepted yet", server, len(new))

    def instructions(self) -> str:
        """The accepted servers' own words about themselves, marked as such; empty where there are none."""
        trust = self.accepted()
        parts: list[str] = []
        for name in self.names:
            entry = trust.of(name)
            if entry.instructions and any(pin.changed is None for pin in entry.tools.values()):
                words = cap(visible(entry.instructions).strip(), MAX_INSTRUCTIONS)
                parts.append(f"[{visible(name)}] {quoted(words)}")
        return "\n".join(parts)

    @property
    def health(self) -> tuple[Health, ...]:
        """How each server is."""
        return tuple(client.health for client in self.clients.values())

    async def aclose(self) -> None:
        """End every connection, all at the same time."""
        await asyncio.gather(*(client.aclose() for client in self.clients.values()))


def known_digests(server: str, pin: Pin) -> set[str]:
    """What needs no new note: the accepted definition, and the one the tool is set aside for."""
    raws = [pin.definition] if pin.changed is None else [pin.definition, pin.changed]
    return {Definition(server=server, raw=raw).digest for raw in raws}


def offerable(client: MCPClient, pin: Pin) -> Definition | None:
    """The definition to offer, or None while the tool is set aside, gone, unusable, or its server left alone."""
    definition = Definition(server=client.server.name, raw=pin.definition)
    if pin.changed is not None or definition.problem or client.breaker.is_open:
        return None
    if client.listing is not None and len(client.defined(definition.tool)) != 1:
        return None
    return definition
