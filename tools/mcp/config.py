"""Reads the ecosystem's `mcpServers` file as it is: what other clients write there works here unchanged.

Only this file says which programs and addresses are servers; nothing a model or a message says can add one. Keys that
other clients use to skip questions (`autoApprove`, `alwaysAllow`) are read over: that is this house's decision.
"""

import json
import re
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Literal

from pydantic import (
    AliasChoices,
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    SecretBytes,
    ValidationError,
    model_validator,
)

from tools.mcp.errors import McpConfigError

MAX_SERVERS = 50
VARIABLE = re.compile(r"\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<otherwise>[^}]*))?\}")
NAMED_SECRET = re.compile(r"key|token|secret|passw|credential|auth|cookie|dsn", re.IGNORECASE)
LOOKS_SECRET = re.compile(r"(?=.*[0-9])(?=.*[A-Za-z])[^\s/\\]{20,}")
LEAST_MILLISECONDS = 1000
"""Clients differ in the unit of `timeout`; nobody means a thousand seconds or 30 milliseconds."""

Transport = Literal["stdio", "http", "sse", "auto"]
TRANSPORTS: Mapping[str, Transport] = {
    "stdio": "stdio",
    "sse": "sse",
    "http": "http",
    "streamable-http": "http",
    "streamable_http": "http",
    "streamablehttp": "http",
}


class ServerEntry(BaseModel):
    """One entry of `mcpServers`. Unknown keys belong to other clients and are left alone."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    command: str = ""
    args: tuple[str, ...] = ()
    env: dict[str, str] = Field(default_factory=dict[str, str])
    cwd: str | None = None
    url: str = Field(default="", validation_alias=AliasChoices("url", "serverUrl", "httpUrl"))
    headers: dict[str, str] = Field(default_factory=dict[str, str])
    type: str = Field(default="", validation_alias=AliasChoices("type", "transport"))
    timeout: float | None = Field(default=None, gt=0)
    disabled: bool = False

    @model_validator(mode="after")
    def must_be_one_kind(self) -> "ServerEntry":
        """A server is a program or an address."""
        if bool(self.command) == bool(self.url):
            raise ValueError("needs exactly one of command (a program) and url (an address)")
        if self.url and not re.match(r"https?://[^/\s]+", self.url) and not VARIABLE.search(self.url):
            raise ValueError("has a url that does not start with http:// or https://")
        kind = self.type.lower()
        if kind and kind not in TRANSPORTS:
            raise ValueError(f"has the unknown type {self.type!r}; use stdio, http or sse")
        if kind and (TRANSPORTS[kind] == "stdio") != bool(self.command):
            raise ValueError(f"has the type {self.type!r}, which does not fit {'command' if self.command else 'url'}")
        return self


class Server(BaseModel):
    """A server as it is started or reached, with every `${VARIABLE}` written out."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    transport: Transport
    """`auto`: streamable HTTP, and SSE where the server knows only that."""
    command: str = ""
    args: tuple[str, ...] = ()
    env: dict[str, str] = Field(default_factory=dict[str, str], repr=False)
    cwd: str | None = None
    url: str = ""
    headers: dict[str, str] = Field(default_factory=dict[str, str], repr=False)
    timeout: timedelta | None = None
    """For one call; None: the house's own."""
    login: Path | None = None
    """Where its OAuth tokens are kept; None: nobody can log in at it."""
    login_key: SecretBytes | None = None
    """What they are encrypted with there; None: they are not."""

    @property
    def secrets(self) -> tuple[str, ...]:
        """Values that go to this server only, and that no text may show: those named like one or looking like one.

        A plain setting such as a log level is none, else its word would be blacked out everywhere.
        """
        named = {**self.env, **self.headers}
        values = [(name, value.rpartition(" ")[2] if name in self.headers else value) for name, value in named.items()]
        return tuple(value for name, value in values if NAMED_SECRET.search(name) or LOOKS_SECRET.fullmatch(value))

    @property
    def shown(self) -> str:
        """What it is, without secrets."""
        return self.url or " ".join((self.command, *self.args))


def load_servers(path: Path, variables: Mapping[str, str]) -> tuple[Server, ...]:
    """The servers of a file that are not disabled, in its order.

    Args:
        path: the file, in the `mcpServers` shape.
        variables: what `${NAME}` and `${NAME:-otherwise}` in values stand for.

    Raises:
        McpConfigError: it cannot be read, or an entry is wrong.
    """
    entries = read_entries(path)
    servers: list[Server] = []
    for name, raw in entries.items():
        try:
            entry = ServerEntry.model_validate(raw)
        except ValidationError as error:
            detail = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(str(part) for part in detail["loc"])
            message = detail["msg"].removeprefix("Value error, ")
            raise McpConfigError(f"{path}: server {name!r} {where and where + ': '}{message}.") from error
        if not entry.disabled:
            servers.append(resolved(name, entry, variables, path))
    return tuple(servers)


def read_entries(path: Path) -> dict[str, JsonValue]:
    """The raw entries by name.

    Raises:
        McpConfigError: the file is missing, no JSON, or has no `mcpServers`.
    """
    try:
        whole: object = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise McpConfigError(f"{path} cannot be read ({error.strerror}); mcp.config names it.") from error
    except (ValueError, RecursionError) as error:
        raise McpConfigError(f"{path} is not valid JSON: {error}.") from error
    try:
        return McpFile.model_validate(whole).mcpServers
    except ValidationError as error:
        raise McpConfigError(
            f'{path} needs an object "mcpServers" with at most {MAX_SERVERS} servers, each a name and an object.'
        ) from error


class McpFile(BaseModel):
    """The whole file; other top-level keys belong to other clients."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    mcpServers: dict[str, JsonValue] = Field(max_length=MAX_SERVERS)  # noqa: N815 - the ecosystem's name


def resolved(name: str, entry: ServerEntry, variables: Mapping[str, str], path: Path) -> Server:
    """The entry with its variables written out.

    Raises:
        McpConfigError: a variable is not set and has no other value.
    """

    def out(text: str) -> str:
        def value(found: re.Match[str]) -> str:
            set_to = variables.get(found["name"]) or found["otherwise"]
            if set_to is None:
                raise McpConfigError(f"{path}: server {name!r} needs the variable {found['name']}, which is not set.")
            return set_to

        return VARIABLE.sub(value, text)

    transport: Transport = TRANSPORTS[entry.type.lower()] if entry.type else ("stdio" if entry.command else "auto")
    return Server(
        name=name,
        transport=transport,
        command=str(Path(out(entry.command)).expanduser()) if entry.command.startswith("~") else out(entry.command),
        args=tuple(out(arg) for arg in entry.args),
        env={key: out(value) for key, value in entry.env.items()},
        cwd=out(entry.cwd) if entry.cwd is not None else None,
        url=out(entry.url),
        headers={key: out(value) for key, value in entry.headers.items()},
        timeout=duration(entry.timeout),
    )


def duration(timeout: float | None) -> timedelta | None:
    """A timeout as clients write it: seconds when small, milliseconds from a thousand on."""
    if timeout is None:
        return None
    return timedelta(milliseconds=timeout) if timeout >= LEAST_MILLISECONDS else timedelta(seconds=timeout)
