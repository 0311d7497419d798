"""Two pages: the way to Slack's consent, and the way back with a code."""

import base64
import hashlib
import html
import logging
import secrets
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Final, cast
from urllib.parse import urlencode, urljoin

from aiohttp import web
from slack_sdk.web.async_client import AsyncWebClient

from bot import texts_web
from bot.delivery.calls import call
from bot.delivery.errors import DeliveryError
from bot.listeners.clicks import part
from bot.oauth.installations import Installations, Installed
from bot.oauth.tenants import Tenants
from bot.scopes import optional_scopes, required_scopes
from runtime.store.connection import translated
from runtime.store.redis_store import SessionStore

log = logging.getLogger(__name__)

STATE_SECONDS: Final = 600
COOKIE: Final = "handrail-install"
STYLE: Final = (
    ":root{color-scheme:light dark}"
    "main{max-width:34rem;margin:15vh auto;padding:0 1.25rem;font:1.1rem/1.5 system-ui,sans-serif}"
    "h1{font-size:1.5rem}"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OAuthPages:
    """The routes of an installation."""

    store: SessionStore
    installations: Installations
    tenants: Tenants
    client: AsyncWebClient
    """Without a token."""
    client_id: str
    client_secret: str
    api_url: str

    def key(self, state: str) -> str:
        """Where a state is remembered until it is used."""
        return f"{self.store.keys.namespace}:oauth-state:{state}"

    async def begin(self, _request: web.Request) -> web.StreamResponse:
        """To Slack's consent page, with a state that this browser alone brings back."""
        state = secrets.token_urlsafe(24)
        with translated(self.store.clients.shown_url):
            kept = self.store.clients.commands.set(self.key(state), "1", ex=STATE_SECONDS)
            await cast("Awaitable[object]", kept)
        query = {
            "client_id": self.client_id,
            "scope": ",".join(sorted(required_scopes() | optional_scopes())),
            "state": state,
        }
        reply = web.Response(status=302)
        reply.headers["Location"] = urljoin(self.api_url, "../oauth/v2/authorize") + "?" + urlencode(query)
        reply.set_cookie(COOKIE, state, max_age=STATE_SECONDS, httponly=True, samesite="Lax")
        return reply

    async def end(self, request: web.Request) -> web.StreamResponse:
        """Exchange the code and keep the token."""
        state = request.query.get("state", "")
        if request.query.get("error"):
            return page(400, texts_web.DECLINED)
        if not state or request.cookies.get(COOKIE) != state or not await self.used(state):
            return page(400, texts_web.STATE_GONE)
        try:
            # As a form: the client's own method takes a way that its HTTP library gives up.
            form = {
                "client_id": self.client_id,
                "client_secret": self.client_secret,
                "code": request.query.get("code", ""),
            }
            found = await call(self.client, "api_call", api_method="oauth.v2.access", data=form)
        except DeliveryError as error:
            log.warning("oauth.v2.access: %s", error)
            return page(502, texts_web.REFUSED)
        team, enterprise, user = part(found, "team"), part(found, "enterprise"), part(found, "authed_user")
        installed = Installed(
            team=str(enterprise.get("id") or team.get("id") or ""),
            name=str(team.get("name") or enterprise.get("name") or ""),
            token=found["access_token"],
            installed_by=str(user.get("id", "")),
            scopes=str(found.get("scope", "")),
        )
        await self.installations.save(installed)
        await self.tenants.close(installed.team)
        return page(200, texts_web.installed(installed.name))

    async def used(self, state: str) -> bool:
        """Use a state up; whether it was one of ours and fresh."""
        with translated(self.store.clients.shown_url):
            return bool(await self.store.clients.commands.delete(self.key(state)))


def page(status: int, words: str) -> web.Response:
    """One sentence as a page, in the reader's own theme and at the width of a phone."""
    body = (
        "<!DOCTYPE html><html lang=en><meta charset=utf-8>"
        '<meta name=viewport content="width=device-width, initial-scale=1">'
        f"<title>Handrail</title><style>{STYLE}</style><main><h1>Handrail</h1><p>{html.escape(words)}</p></main></html>"
    )
    digest = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'"
    headers = {"Content-Security-Policy": policy, "Cache-Control": "no-store"}
    return web.Response(status=status, text=body, content_type="text/html", headers=headers)


def routes(pages: OAuthPages) -> list[web.RouteDef]:
    """Both pages."""
    return [web.get("/slack/install", pages.begin), web.get("/slack/oauth_redirect", pages.end)]
