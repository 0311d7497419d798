"""Installed workspaces in Redis, each encrypted with a key derived from the app's client secret."""

from collections.abc import Awaitable
from datetime import timedelta
from typing import Final, cast

from cryptography.fernet import Fernet, InvalidToken
from pydantic import BaseModel, ConfigDict, SecretStr, field_serializer

from bot.oauth.sealing import sealing_key
from runtime.store.connection import translated
from runtime.store.redis_store import SessionStore

KEPT: Final = timedelta(days=400)


class Installed(BaseModel):
    """One workspace that installed the app."""

    model_config = ConfigDict(frozen=True)

    team: str
    """The enterprise where the workspace belongs to one, else the workspace: the first part of session ids."""
    name: str = ""
    token: SecretStr
    installed_by: str = ""
    scopes: str = ""

    @field_serializer("token", when_used="json")
    def shown(self, token: SecretStr) -> str:
        """The token itself: what is written is encrypted as a whole."""
        return token.get_secret_value()


class Installations:
    """Reads and writes them. Every method may raise `StoreUnavailable`."""

    def __init__(self, store: SessionStore, client_secret: str) -> None:
        self.store = store
        self.cipher = Fernet(sealing_key(client_secret, "installations"))

    def key(self, team: str) -> str:
        """Where it is: until the workspace removes the app, or nothing comes from there for longer than a year."""
        return f"{self.store.keys.namespace}:installed:{team}"

    async def save(self, installed: Installed) -> None:
        """Keep or replace one."""
        sealed = self.cipher.encrypt(installed.model_dump_json().encode())
        with translated(self.store.clients.shown_url):
            await cast("Awaitable[object]", self.store.clients.commands.set(self.key(installed.team), sealed, ex=KEPT))

    async def find(self, team: str) -> Installed | None:
        """The installation of a workspace; None where there is none, or where the client secret was changed since."""
        with translated(self.store.clients.shown_url):
            sealed = await cast("Awaitable[bytes | None]", self.store.clients.commands.getex(self.key(team), ex=KEPT))
        if sealed is None:
            return None
        try:
            return Installed.model_validate_json(self.cipher.decrypt(sealed))
        except InvalidToken:
            return None

    async def drop(self, team: str) -> bool:
        """Forget one; whether it was there."""
        with translated(self.store.clients.shown_url):
            return bool(await self.store.clients.commands.delete(self.key(team)))
