"""Slack over HTTP: events, clicks, commands and forms as signed requests, handed to the app of their workspace."""

import hashlib
import hmac
import json
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, cast
from urllib.parse import parse_qs

from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response
from slack_bolt.async_app import AsyncApp
from slack_bolt.request.async_request import AsyncBoltRequest

log = logging.getLogger(__name__)

WINDOW: Final = 300
"""Seconds by which a request's time may differ from ours; what is older is a replay."""
NO_RETRY: Final = {"x-slack-no-retry": "1"}
LARGEST: Final = 1024**2

Finder = Callable[[str], Awaitable[AsyncApp | None]]
"""The app of a workspace by its enterprise or team id; None for one that is not installed."""
Observer = Callable[[Mapping[str, Any]], Awaitable[None]]


class NotSlack(Exception):
    """The request is not one of Slack's, or not a fresh one. Answered with 401 and nothing else."""


class Unreadable(Exception):
    """A signed request without a payload we can read. Answered with 400."""


def check_signature(secret: str, headers: Mapping[str, str], body: bytes, now: float) -> None:
    """Slack's v0 signature over time and body.

    Raises:
        NotSlack: it is missing, wrong, or of another time.
    """
    stamp, given = headers.get("X-Slack-Request-Timestamp", ""), headers.get("X-Slack-Signature", "")
    if not stamp.isascii() or not stamp.isdigit() or abs(now - int(stamp)) > WINDOW:
        raise NotSlack("no time, or another time")
    digest = hmac.new(secret.encode(), b"v0:" + stamp.encode() + b":" + body, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(f"v0={digest}".encode(), given.encode()):
        raise NotSlack("wrong signature")


def payload_of(body: bytes, content_type: str) -> Mapping[str, Any]:
    """The payload: JSON of an event, JSON inside a form of an interaction, the form of a command.

    Raises:
        Unreadable: it is none of these.
    """
    try:
        text = body.decode()
        if content_type == "application/json":
            found: object = json.loads(text)
        else:
            form = {name: values[0] for name, values in parse_qs(text, keep_blank_values=True).items()}
            found = json.loads(form["payload"]) if "payload" in form else form
    except (ValueError, RecursionError) as error:
        raise Unreadable(type(error).__name__) from error
    if not isinstance(found, dict):
        raise Unreadable("not an object")
    return cast("Mapping[str, Any]", found)


def team_of(payload: Mapping[str, Any]) -> str:
    """The enterprise where the workspace belongs to one, else the workspace."""
    for name in ("enterprise", "team"):
        nested: object = payload.get(name)
        inner = cast("Mapping[str, Any]", nested if isinstance(nested, dict) else {})
        found: object = payload.get(f"{name}_id") or inner.get("id")
        if found:
            return str(found)
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlackHttp:
    """The one route that Slack posts to."""

    secret: str
    app_of: Finder
    observe: Observer
    """Told of every signed event before its app is: installs end here."""

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Check, read, hand on. A 503 of the app lets Slack deliver again."""
        body = await request.read()
        try:
            check_signature(self.secret, request.headers, body, datetime.now(UTC).timestamp())
            payload = payload_of(body, request.content_type)
        except NotSlack as error:
            log.warning("refused a request to %s: %s", request.path, error)
            return web.Response(status=401, text="not signed by Slack")
        except Unreadable as error:
            return web.Response(status=400, text=f"unreadable: {error}", headers=NO_RETRY)
        if payload.get("type") == "url_verification":
            return web.Response(text=str(payload.get("challenge", "")))
        if payload.get("ssl_check"):
            return web.Response()
        return await self.dispatch(request, body, payload)

    async def dispatch(self, request: web.Request, body: bytes, payload: Mapping[str, Any]) -> web.StreamResponse:
        """Let the workspace's app answer."""
        await self.observe(payload)
        app = await self.app_of(team_of(payload))
        if app is None:
            log.info("a %s for a workspace that is not installed", payload.get("type"))
            return web.Response(headers=NO_RETRY)
        headers: dict[str, str | Sequence[str]] = dict(request.headers.items())
        bolt = AsyncBoltRequest(body=body.decode(), query=request.query_string, headers=headers)
        return await to_aiohttp_response(await app.async_dispatch(bolt))


def routes(http: SlackHttp) -> list[web.RouteDef]:
    """Events, interactivity and commands may all name this address."""
    return [web.post("/slack/events", http.handle)]
