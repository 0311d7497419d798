"""The Web API on the wire: any verb, arguments in query, form or JSON, and Slack's way of saying no."""

import asyncio
from collections.abc import Mapping
from typing import Any, Final

from aiohttp import web

from bot.localslack import (
    methods_agent,
    methods_chat,
    methods_conversations,
    methods_files,
    methods_people,
    methods_stream,
    methods_views,
)
from bot.localslack.call import Call, Method, Methods
from bot.localslack.calls import Fault, finish
from bot.localslack.errors import SlackRefusal
from bot.localslack.limits import TIER_CALLS
from bot.localslack.values import JsonObject, as_text, epoch, is_object, new_word, parse_json
from bot.localslack.workspace import Workspace

METHODS: Final[Methods] = {
    **methods_agent.METHODS,
    **methods_chat.METHODS,
    **methods_conversations.METHODS,
    **methods_files.METHODS,
    **methods_people.METHODS,
    **methods_stream.METHODS,
    **methods_views.METHODS,
}
OF_EVENTS: Final = frozenset({"app_mentions:read", "commands", "mpim:history", "reactions:read"})
"""Scopes that no method needs: events and slash commands do."""
SCOPES: Final = sorted({scope for method in METHODS.values() for scope in method.scopes} | OF_EVENTS)
PAGED_READS: Final = frozenset({"conversations.replies", "conversations.history"})


def routes(workspace: Workspace) -> list[web.RouteDef]:
    """The routes of the Web API."""

    async def handle(request: web.Request) -> web.StreamResponse:
        return await answer(workspace, request)

    return [web.route("*", "/api/{method}", handle)]


async def read_arguments(request: web.Request) -> JsonObject:
    """The arguments of a call. Raises SlackRefusal invalid_json or json_not_object."""
    args: JsonObject = dict(request.query)
    kind = request.content_type
    if kind == "application/json" and request.can_read_body:
        text = await request.text()
        parsed: Any = parse_json(text) if text.strip() else {}
        if parsed is None:
            raise SlackRefusal("invalid_json")
        if not is_object(parsed):
            raise SlackRefusal("json_not_object")
        args.update(parsed)
    elif kind in {"application/x-www-form-urlencoded", "multipart/form-data"}:
        form = await request.post()
        args.update({name: value for name, value in form.items() if isinstance(value, str)})
    return args


def token_of(headers: Mapping[str, str], args: JsonObject) -> str:
    """The token of a call, from the header or from the arguments."""
    return headers.get("Authorization", "").removeprefix("Bearer ").strip() or as_text(args.get("token"))


async def answer(workspace: Workspace, request: web.Request) -> web.StreamResponse:
    """Serve one call: record it, apply faults, check token, scope and rate, run it."""
    method = request.match_info["method"]
    record = workspace.calls.add(method, {})
    fault = workspace.faults.take(method)
    try:
        if fault is not None and (spoiled := await spoil(fault, request)) is not None:
            finish(record, {"ok": False, "error": fault.kind})
            return spoiled
        args = await read_arguments(request)
        token = token_of(request.headers, args)
        record["args"] = {name: value for name, value in args.items() if name != "token"}
        call = Call(workspace=workspace, method=method, args=record["args"])
        body: JsonObject = {"ok": True, **await run(call, token)}
        status, headers = 200, dict[str, str]()
    except SlackRefusal as refusal:
        body, status, headers = refusal.body(), refusal.status, refusal.headers
    finish(record, body)
    if fault is not None and fault.kind.endswith("_after"):
        hidden = await hide(fault, request)
        finish(record, {**body, "hidden": fault.kind})
        return hidden
    scopes = ",".join(workspace.scene.bot.scopes or SCOPES)
    shown = {**headers, "x-oauth-scopes": scopes, "x-slack-req-id": new_word(32)}
    return web.json_response(body, status=status, headers=shown)


async def run(call: Call, token: str) -> JsonObject:
    """Run a method for a token. Raises SlackRefusal."""
    method = METHODS.get(call.method)
    if method is None:
        raise SlackRefusal("unknown_method", req_method=call.method)
    authorise(call.workspace, method, token)
    limit(call, method)
    return await method.handler(call)


def authorise(workspace: Workspace, method: Method, token: str) -> None:
    """Raises SlackRefusal: not_authed, invalid_auth, not_allowed_token_type, missing_scope."""
    bot = workspace.scene.bot
    if method.access == "none":
        return
    if not token:
        raise SlackRefusal("not_authed")
    if token not in {bot.bot_token, bot.app_token}:
        raise SlackRefusal("invalid_auth")
    fitting = {"bot": bot.bot_token, "app": bot.app_token}.get(method.access, token)
    if token != fitting:
        raise SlackRefusal("not_allowed_token_type")
    granted = bot.scopes
    if method.access != "bot" or granted is None or not method.scopes or set(method.scopes) & set(granted):
        return
    raise SlackRefusal("missing_scope", needed=method.scopes[0], provided=",".join(granted))


def limit(call: Call, method: Method) -> None:
    """Raises SlackRefusal ratelimited when Slack's limits are enforced and this call is one too many."""
    workspace = call.workspace
    settings = workspace.settings
    wait, now = 0.0, epoch() * settings.rate_speed
    if settings.reads_per_minute is not None and call.method in PAGED_READS:
        wait = workspace.rates.method(call.method, settings.reads_per_minute, now)
    elif settings.rate_limits == "slack" and method.tier:
        wait = workspace.rates.method(call.method, TIER_CALLS[method.tier], now)
    elif settings.rate_limits == "slack":
        wait = workspace.rates.post(call.text("channel"), now)
    if wait > 0:
        raise ratelimited(wait / settings.rate_speed)


def ratelimited(seconds: float) -> SlackRefusal:
    """Slack's 429; Retry-After is a whole number of seconds."""
    return SlackRefusal("ratelimited", status=429, headers={"Retry-After": str(max(1, int(seconds + 0.999)))})


async def spoil(fault: Fault, request: web.Request) -> web.StreamResponse | None:
    """Carry out a fault that strikes before the work; None lets the call go on."""
    if fault.delay_ms or fault.kind == "slow":
        await asyncio.sleep(fault.delay_ms / 1_000)
    if fault.kind == "ratelimited":
        raise ratelimited(fault.retry_after)
    if fault.kind == "error":
        raise SlackRefusal(fault.error)
    if fault.kind in {"slow", "reset_after", "http_500_after"}:
        return None
    return await hide(fault, request)


async def hide(fault: Fault, request: web.Request) -> web.StreamResponse:
    """Answer as a broken server or a broken connection does."""
    if fault.kind.startswith("http_500"):
        return web.json_response({"ok": False, "error": "internal_error"}, status=500)
    if fault.kind == "html":
        return web.Response(text="<!DOCTYPE html><html><body>Sign in</body></html>", content_type="text/html")
    if request.transport is not None:
        request.transport.abort()
    # The peer sees the reset; what is returned here reaches nobody.
    return web.Response(status=500)
