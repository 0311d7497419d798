"""Short-lived permissions: trigger ids for opening views, and response URLs for answering an interaction."""

import secrets
from dataclasses import dataclass
from typing import Literal

from bot.localslack import limits
from bot.localslack.values import epoch


@dataclass(frozen=True, slots=True, kw_only=True)
class Trigger:
    """Who may be shown a view, until when; `view_id` is the view the interaction came from."""

    user: str
    expires_at: float
    view_id: str | None = None


@dataclass(slots=True, kw_only=True)
class ResponseUrl:
    """Where the answer to an interaction goes. `message_ts` is None for slash commands."""

    user: str
    channel: str
    message_ts: str | None
    thread_ts: str | None
    is_ephemeral: bool
    expires_at: float
    uses_left: int = limits.RESPONSE_URL_USES


Verdict = Literal["invalid_trigger_id", "expired_trigger_id", "exchanged_trigger_id"]


class Tickets:
    """All tickets given out by this process; none survives a restart, as they live for seconds or minutes."""

    def __init__(self) -> None:
        self.triggers: dict[str, Trigger | None] = {}
        self.urls: dict[str, ResponseUrl] = {}

    def trigger(self, user: str, seconds: float, view_id: str | None = None) -> str:
        """A fresh trigger id for a person."""
        ticket = f"{secrets.randbelow(10**13)}.{secrets.randbelow(10**13)}.{secrets.token_hex(16)}"
        self.triggers[ticket] = Trigger(user=user, expires_at=epoch() + seconds, view_id=view_id)
        return ticket

    def use_trigger(self, ticket: str) -> Trigger | Verdict:
        """Use a trigger id up, or say why it cannot be used."""
        if ticket not in self.triggers:
            return "invalid_trigger_id"
        trigger = self.triggers[ticket]
        if trigger is None:
            return "exchanged_trigger_id"
        if trigger.expires_at < epoch():
            return "expired_trigger_id"
        self.triggers[ticket] = None
        return trigger

    def response_url(self, team: str, kind: Literal["actions", "commands"], target: ResponseUrl) -> str:
        """The path of a fresh response URL."""
        path = f"/{kind}/{team}/{secrets.randbelow(10**13)}/{secrets.token_urlsafe(18)}"
        self.urls[path] = target
        return path

    def use_url(self, path: str) -> ResponseUrl | None:
        """The target of a response URL, used up by one; None when unknown, expired or used too often."""
        target = self.urls.get(path)
        if target is None or target.expires_at < epoch() or target.uses_left <= 0:
            return None
        target.uses_left -= 1
        return target
