"""Which tools of MCP servers the operator has seen and accepted, each pinned over its raw definition.

One file in the data directory, written by `python -m bot mcp accept` and, for quarantine alone, by the bot. What is not
in it is not offered; a tool whose server describes it otherwise than accepted is quarantined until the operator has
seen the difference. A file that cannot be read offers nothing.
"""

import contextlib
import fcntl
import os
import secrets
from collections.abc import Generator, Iterable
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from tools.mcp.definition import Definition, Raw
from tools.mcp.errors import McpConfigError

FILE = "mcp-trust.json"


class Pin(BaseModel):
    """One accepted tool."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    definition: dict[str, JsonValue]
    """The raw object as it was accepted."""
    reads: bool = False
    """The operator lets it run without asking."""
    changed: dict[str, JsonValue] | None = None
    """What the server said instead later: the tool is quarantined until this is accepted."""


class ServerTrust(BaseModel):
    """What is accepted of one server."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tools: dict[str, Pin] = Field(default_factory=dict[str, Pin])
    instructions: str = ""
    """The server's own words as accepted; only these reach the model."""


class Trust(BaseModel):
    """The whole file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: int = 1
    servers: dict[str, ServerTrust] = Field(default_factory=dict[str, ServerTrust])

    def of(self, server: str) -> ServerTrust:
        """What is accepted of a server; nothing where it is unknown."""
        return self.servers.get(server) or ServerTrust()


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """Tells one content of the file from another without reading it."""

    inode: int
    size: int
    changed_ns: int


class TrustFile:
    """Reads the record when it changed, and writes it whole."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.stamp: Stamp | None = None
        self.read_before: Trust | None = None

    def read(self) -> Trust:
        """What is accepted now; the same object as before while the file is the same.

        Raises:
            McpConfigError: the file cannot be understood; nothing may be offered then.
        """
        stamp = self.present_stamp()
        if self.read_before is not None and stamp == self.stamp:
            return self.read_before
        if stamp is None:
            found = Trust()
        else:
            try:
                found = Trust.model_validate_json(self.path.read_bytes())
            except (OSError, ValidationError) as error:
                self.read_before = None
                raise McpConfigError(
                    f"{self.path} cannot be read, so no MCP tool is offered. Restore it, or remove it and accept the "
                    "servers' tools again with `python -m bot mcp accept`."
                ) from error
        self.stamp, self.read_before = stamp, found
        return found

    def present_stamp(self) -> Stamp | None:
        """The file as it lies there; None where there is none."""
        try:
            status = self.path.stat()
        except FileNotFoundError:
            return None
        return Stamp(inode=status.st_ino, size=status.st_size, changed_ns=status.st_mtime_ns)

    def accept(
        self, server: str, definitions: Iterable[Definition], *, reads: frozenset[str], instructions: str
    ) -> None:
        """Record exactly these tools of a server as seen by the operator; others of it are forgotten."""
        with self.locked():
            pins = {one.tool: Pin(definition=one.raw, reads=one.tool in reads) for one in definitions}
            trust = self.read()
            entry = ServerTrust(tools=pins, instructions=instructions)
            self.write(trust.model_copy(update={"servers": {**trust.servers, server: entry}}))

    def forget(self, server: str) -> None:
        """Take back everything accepted of a server."""
        with self.locked():
            trust = self.read()
            self.write(trust.model_copy(update={"servers": {k: v for k, v in trust.servers.items() if k != server}}))

    def quarantine(self, server: str, changed: Iterable[Definition]) -> None:
        """Set tools aside whose definition is no longer the accepted one."""
        with self.locked():
            trust = self.read()
            entry = trust.of(server)
            aside: dict[str, Raw] = {one.tool: one.raw for one in changed}
            pins = {
                name: pin.model_copy(update={"changed": aside[name]}) if name in aside else pin
                for name, pin in entry.tools.items()
            }
            entry = entry.model_copy(update={"tools": pins})
            self.write(trust.model_copy(update={"servers": {**trust.servers, server: entry}}))

    @contextlib.contextmanager
    def locked(self) -> Generator[None]:
        """One writer at a time, in this and in other processes."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self.path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def write(self, trust: Trust) -> None:
        """Replace the file in one move."""
        draft = self.path.with_name(f".{self.path.name}.{secrets.token_hex(4)}")
        draft.write_text(trust.model_dump_json(indent=1) + "\n", encoding="utf-8")
        draft.chmod(0o600)
        draft.replace(self.path)
