"""An MCP server behind OAuth, both real: the official SDK's authorization server and streamable HTTP, in one process.

It consents to everybody at once, and forgets everything when it ends.
"""

import secrets
import sys
import time

from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    construct_redirect_uri,
)
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions
from mcp.server.fastmcp import FastMCP
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from pydantic import AnyHttpUrl

Base = OAuthAuthorizationServerProvider[AuthorizationCode, RefreshToken, AccessToken]


class Accounts(Base):
    """Keeps clients, codes and tokens in memory."""

    def __init__(self) -> None:
        self.clients: dict[str, OAuthClientInformationFull] = {}
        self.codes: dict[str, AuthorizationCode] = {}
        self.access: dict[str, AccessToken] = {}
        self.renewing: dict[str, RefreshToken] = {}
        self.renewed = 0

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        """A registered client."""
        return self.clients.get(client_id)

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        """Register one."""
        assert client_info.client_id
        self.clients[client_info.client_id] = client_info

    async def authorize(self, client: OAuthClientInformationFull, params: AuthorizationParams) -> str:
        """Consent at once."""
        assert client.client_id
        code = AuthorizationCode(
            code=secrets.token_hex(16),
            scopes=params.scopes or [],
            expires_at=time.time() + 60,
            client_id=client.client_id,
            code_challenge=params.code_challenge,
            redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly,
            resource=params.resource,
        )
        self.codes[code.code] = code
        return construct_redirect_uri(str(params.redirect_uri), code=code.code, state=params.state)

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        """A code that was given out."""
        return self.codes.get(authorization_code)

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: AuthorizationCode
    ) -> OAuthToken:
        """Tokens for a code, once."""
        del self.codes[authorization_code.code]
        return self.issued(authorization_code.client_id, authorization_code.scopes)

    async def load_refresh_token(self, client: OAuthClientInformationFull, refresh_token: str) -> RefreshToken | None:
        """A refresh token that was given out."""
        return self.renewing.get(refresh_token)

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: RefreshToken, scopes: list[str]
    ) -> OAuthToken:
        """New tokens for old ones."""
        self.renewed += 1
        del self.renewing[refresh_token.token]
        return self.issued(refresh_token.client_id, scopes)

    async def load_access_token(self, token: str) -> AccessToken | None:
        """An access token that was given out."""
        return self.access.get(token)

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None:
        """Take it back."""
        self.access.pop(token.token, None)

    def issued(self, client_id: str, scopes: list[str]) -> OAuthToken:
        """A fresh pair."""
        access, renewing = f"access-{secrets.token_hex(16)}", f"refresh-{secrets.token_hex(16)}"
        self.access[access] = AccessToken(token=access, client_id=client_id, scopes=scopes)
        self.renewing[renewing] = RefreshToken(token=renewing, client_id=client_id, scopes=scopes)
        return OAuthToken(access_token=access, refresh_token=renewing, expires_in=3600, scope=" ".join(scopes))


def main(port: int) -> None:
    """Serve until killed."""
    accounts = Accounts()
    address = AnyHttpUrl(f"http://127.0.0.1:{port}")
    settings = AuthSettings(
        issuer_url=address,
        resource_server_url=AnyHttpUrl(f"{address}mcp"),
        client_registration_options=ClientRegistrationOptions(enabled=True),
    )
    server = FastMCP("vault", auth_server_provider=accounts, auth=settings, port=port, log_level="ERROR")

    @server.tool()
    def whoami() -> str:
        """Tell how the caller is authorised."""
        token = get_access_token()
        return f"{token.token[:7] if token else 'nobody'}, renewed {accounts.renewed} times"

    server.run("streamable-http")


if __name__ == "__main__":
    main(int(sys.argv[1]))
