"""OAuth for a server: a person logs in once by `python -m bot mcp login`, the tokens are kept and renewed here.

The flow itself, with discovery, registration and PKCE, is the official SDK's. A server's tokens lie in a file of their
own that only the bot's user can read, encrypted where the installation has a key, named by the server's name and
address, so that another address never gets them.
"""

import hashlib
import json
import secrets
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path

import httpx
from cryptography.fernet import Fernet, InvalidToken
from mcp.client.auth import OAuthClientProvider
from mcp.client.auth.exceptions import OAuthFlowError
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthMetadata, OAuthToken
from mcp.types import LATEST_PROTOCOL_VERSION
from pydantic import AnyUrl, BaseModel, ConfigDict, SecretBytes, ValidationError

from tools.mcp.config import Server
from tools.mcp.errors import ServerUnavailable

FOLDER = "mcp-logins"
CLIENT_NAME = "Handrail"
EARLY_SECONDS = 30
"""Renewed so long before the end, since a clock may differ and a request takes its time."""
ADDRESS = "http://127.0.0.1/callback"
TIMEOUT = 30.0

Shows = Callable[[str], Awaitable[None]]
"""Takes the address that a person has to open."""
Hears = Callable[[], Awaitable[tuple[str, str | None]]]
"""Waits for the code and the state with which the browser came back."""


class Login(BaseModel):
    """What is kept of one server."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    client: OAuthClientInformationFull | None = None
    tokens: OAuthToken | None = None
    expires_at: float = 0
    """Seconds since the epoch; 0: the server did not say."""
    metadata: OAuthMetadata | None = None
    """Where tokens are renewed."""


class TokenFile:
    """Implements the SDK's `TokenStorage` in one private file, encrypted where there is a key."""

    def __init__(self, path: Path, key: SecretBytes | None = None) -> None:
        """Read nothing yet."""
        self.path = path
        self.cipher = Fernet(key.get_secret_value()) if key is not None else None
        self.metadata: OAuthMetadata | None = None
        """As it was found in this process; written beside the tokens."""

    def read(self) -> Login:
        """What is kept; nothing where there is no file, it is not ours, or the key is another one now."""
        try:
            return Login.model_validate_json(self.opened(self.path.read_bytes()))
        except (OSError, ValidationError):
            return Login()

    def opened(self, kept: bytes) -> bytes:
        """What stands in a file; one from before there was a key is read as it is, and sealed when renewed."""
        try:
            return self.cipher.decrypt(kept) if self.cipher is not None else kept
        except InvalidToken:
            return kept

    def write(self, login: Login) -> None:
        """Replace the file in one move; it never exists readable for others."""
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = self.path.with_name(f".{self.path.name}.{secrets.token_hex(4)}")
        draft.touch(mode=0o600)
        body = login.model_dump_json(exclude_none=True).encode()
        draft.write_bytes(self.cipher.encrypt(body) if self.cipher is not None else body)
        draft.replace(self.path)

    async def get_tokens(self) -> OAuthToken | None:
        """The tokens, for the SDK."""
        return self.read().tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """Keep new tokens; a renewal that brings no new refresh token leaves the old one standing."""
        kept = self.read()
        old = kept.tokens.refresh_token if kept.tokens else None
        ends = now() + tokens.expires_in if tokens.expires_in else 0
        update = {
            "tokens": tokens.model_copy(update={"refresh_token": tokens.refresh_token or old}),
            "expires_at": ends,
            "metadata": self.metadata or kept.metadata,
        }
        self.write(kept.model_copy(update=update))

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        """As whom we are registered, for the SDK."""
        return self.read().client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """Keep the registration."""
        self.write(self.read().model_copy(update={"client": client_info}))


class Provider(OAuthClientProvider):
    """The SDK's, which remembers over restarts when tokens end and where they are renewed."""

    def __init__(
        self, server: Server, file: TokenFile, *, address: str, shows: Shows | None, hears: Hears | None
    ) -> None:
        """Without `shows` and `hears` nobody can log in; tokens at hand are used and renewed."""
        self.file = file
        about = OAuthClientMetadata(redirect_uris=[AnyUrl(address)], client_name=CLIENT_NAME)
        super().__init__(server.url, about, file, redirect_handler=shows, callback_handler=hears)

    async def _initialize(self) -> None:
        await super()._initialize()
        kept = self.file.read()
        self.context.token_expiry_time = kept.expires_at - EARLY_SECONDS if kept.expires_at else None
        self.context.oauth_metadata = kept.metadata

    async def _handle_token_response(self, response: httpx.Response) -> None:
        self.file.metadata = self.context.oauth_metadata
        await super()._handle_token_response(response)


def login_file(data: Path, server: Server) -> Path:
    """Where a server's tokens lie: another name or address is another file."""
    digest = hashlib.sha256(f"{server.name}\0{server.url}".encode()).hexdigest()[:24]
    return data / FOLDER / f"{digest}.json"


def auth_of(server: Server) -> Provider | None:
    """How requests to a server are authorised; None where nobody logged in."""
    if server.login is None or not server.login.exists():
        return None
    return Provider(server, TokenFile(server.login, server.login_key), address=ADDRESS, shows=None, hears=None)


def tokens_of(server: Server) -> tuple[str, ...]:
    """The secrets of a login, which no text may show."""
    if server.login is None:
        return ()
    kept = TokenFile(server.login, server.login_key).read()
    tokens = (kept.tokens.access_token, kept.tokens.refresh_token or "") if kept.tokens else ()
    client = (kept.client.client_secret or "",) if kept.client else ()
    return tuple(text for text in (*tokens, *client) if text)


async def log_in(server: Server, *, address: str, shows: Shows, hears: Hears) -> bool:
    """Let a person log in; what was kept before is forgotten first.

    Args:
        server: reached over HTTP, with a file for its login.
        address: where the browser comes back to.
        shows: see `Shows`.
        hears: see `Hears`.

    Returns:
        False where the server asks for no login.

    Raises:
        ServerUnavailable: it cannot be reached, has no file for a login, or the login failed.
    """
    if server.login is None:
        raise ServerUnavailable(f"Nobody can log in at {server.name}: it is not reached over HTTP by the bot.")
    file = TokenFile(server.login, server.login_key)
    file.path.unlink(missing_ok=True)
    provider = Provider(server, file, address=address, shows=shows, hears=hears)
    try:
        async with httpx.AsyncClient(headers=server.headers, auth=provider, timeout=TIMEOUT) as client:
            answer = await client.post(server.url, content=json.dumps(HELLO), headers=HEADERS)
    except OAuthFlowError as error:
        raise ServerUnavailable(f"The login at {server.name} failed: {error}") from error
    except httpx.HTTPError as error:
        raise ServerUnavailable(f"{server.name} cannot be reached ({type(error).__name__}).") from error
    if answer.status_code in {401, 403}:
        raise ServerUnavailable(f"{server.name} still answers {answer.status_code} after the login.")
    return file.read().tokens is not None


HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
HELLO = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": LATEST_PROTOCOL_VERSION,
        "capabilities": {},
        "clientInfo": {"name": "handrail", "version": "0.1.0"},
    },
}
"""The first request of any client, so that a server answers as it would to the bot."""


def now() -> float:
    """Seconds since the epoch."""
    return datetime.now(UTC).timestamp()
