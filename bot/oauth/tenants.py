"""One Slack side per installed workspace, opened when first needed; what fails in one leaves the others alone."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

from slack_bolt.async_app import AsyncApp

from bot.commands.start import StartProblem
from bot.delivery.scheduled import ScheduledPlaces
from bot.oauth.installations import Installations
from runtime.alerts import Operators
from runtime.policy.directory import Directory
from runtime.ports import Conversation
from tools.context import Conversations

log = logging.getLogger(__name__)

TOKEN_GONE = frozenset({"tokens_revoked", "app_uninstalled"})


class Side(Protocol):
    """What speaks to one workspace."""

    @property
    def app(self) -> AsyncApp:
        """Its listeners."""
        ...

    @property
    def conversation(self) -> Conversation:
        """Its delivery."""
        ...

    @property
    def places(self) -> ScheduledPlaces:
        """Where its scheduled work happens."""
        ...

    @property
    def operators(self) -> Operators:
        """Its channel of operators, if that is there."""
        ...

    @property
    def directory(self) -> Directory:
        """Its user groups."""
        ...

    def reading(self, session_id: str, person: str) -> Conversations:
        """What a person may read of it from a session."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenSide:
    """A side and how to close it."""

    side: Side
    token: str
    stack: contextlib.AsyncExitStack


@dataclass(slots=True, kw_only=True)
class Tenants:
    """The sides. Implements the finder of the HTTP route and the observer of removals."""

    installations: Installations
    open_side: Callable[[str], AbstractAsyncContextManager[Side]]
    """Opens one for a bot token."""
    forget: Callable[[str], Awaitable[int]]
    """Deletes everything of a workspace."""
    stop: Callable[[str, str], Awaitable[int]]
    """Ends every run of a workspace, on an occasion that has a name."""
    sides: dict[str, OpenSide] = field(default_factory=dict[str, OpenSide])
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """So that two requests at once open one side."""

    async def side(self, team: str) -> Side | None:
        """A workspace's side; None where it is not installed or its token is refused.

        What another process removed or installed anew is seen here: a side lives as long as its token.
        """
        async with self.lock:
            installed = await self.installations.find(team)
            token = installed.token.get_secret_value() if installed is not None else ""
            known = self.sides.get(team)
            if known is not None and known.token == token:
                return known.side
            if known is not None:
                del self.sides[team]
                await known.stack.aclose()
            return await self.opened(team, token) if token else None

    async def opened(self, team: str, token: str) -> Side | None:
        """Open a side; None where its token is refused."""
        stack = contextlib.AsyncExitStack()
        try:
            side = await stack.enter_async_context(self.open_side(token))
        except StartProblem as error:
            await stack.aclose()
            log.warning("workspace %s cannot be served: %s", team, error)
            return None
        self.sides[team] = OpenSide(side=side, token=token, stack=stack)
        return side

    async def app_of(self, team: str) -> AsyncApp | None:
        """The listeners of a workspace."""
        side = await self.side(team)
        return side.app if side is not None else None

    async def observe(self, payload: Mapping[str, Any]) -> None:
        """Removal ends here: the token goes at once with what was under way and, when the app was uninstalled, with
        every record and file.
        """
        event: Mapping[str, Any] = payload.get("event") or {}
        if payload.get("type") != "event_callback" or event.get("type") not in TOKEN_GONE:
            return
        tokens: Mapping[str, Any] = event.get("tokens") or {}
        if event["type"] == "tokens_revoked" and not tokens.get("bot"):
            return
        team = str(payload.get("enterprise_id") or payload.get("team_id") or "")
        await self.installations.drop(team)
        await self.close(team)
        if event["type"] == "tokens_revoked":
            stopped = await self.stop(team, str(payload.get("event_id", "")))
            log.info("workspace %s revoked the token; %d runs stopped", team, stopped)
        if event["type"] == "app_uninstalled":
            log.info("workspace %s removed the app; %d threads deleted", team, await self.forget(team))

    async def close(self, team: str) -> None:
        """Close one side; the next request opens it again, with the token of then."""
        async with self.lock:
            known = self.sides.pop(team, None)
        if known is not None:
            await known.stack.aclose()

    async def aclose(self) -> None:
        """Close all."""
        for team in tuple(self.sides):
            await self.close(team)
