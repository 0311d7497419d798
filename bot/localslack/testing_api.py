"""What tests ask and do, as JSON under `/_local/test/`."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web
from pydantic import ValidationError

from bot.localslack import socket_mode
from bot.localslack.calls import Fault
from bot.localslack.control import again
from bot.localslack.events import callback
from bot.localslack.events_http import start_pushing
from bot.localslack.outbox import Undelivered, describe
from bot.localslack.scene import Person, Scene, Settings
from bot.localslack.values import JsonObject, as_flag, as_int, as_object, as_text, compact, new_id, parse_json
from bot.localslack.workspace import Workspace

Act = Callable[[Workspace, JsonObject], Awaitable[JsonObject]]
ROOT = "/_local/test"


def routes(workspace: Workspace) -> list[web.RouteDef]:
    """The routes of the test API."""

    def serve(act: Act) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        async def handle(request: web.Request) -> web.StreamResponse:
            args = {**dict(request.query), **as_object(parse_json(await request.text()))}
            try:
                return web.json_response(await act(workspace, args))
            except (TypeError, ValueError, ValidationError) as error:
                return web.json_response({"ok": False, "error": str(error)}, status=400)

        return handle

    return [
        web.get(f"{ROOT}/calls", serve(list_calls)),
        web.get(f"{ROOT}/deliveries", serve(list_deliveries)),
        web.get(f"{ROOT}/wait_idle", serve(wait_idle)),
        web.get(f"{ROOT}/metadata", serve(metadata)),
        web.post(f"{ROOT}/faults", serve(add_fault)),
        web.get(f"{ROOT}/faults", serve(list_faults)),
        web.delete(f"{ROOT}/faults", serve(clear_faults)),
        web.post(f"{ROOT}/deliver", serve(deliver)),
        web.post(f"{ROOT}/again", serve(again)),
        web.post(f"{ROOT}/socket", serve(socket)),
        web.post(f"{ROOT}/settings", serve(settings)),
        web.post(f"{ROOT}/member", serve(member)),
        web.post(f"{ROOT}/person", serve(person)),
        web.post(f"{ROOT}/stream", serve(seal)),
        web.post(f"{ROOT}/reset", serve(reset)),
    ]


async def list_calls(workspace: Workspace, args: JsonObject) -> JsonObject:
    """The recorded Web API calls."""
    return {"calls": workspace.calls.since(as_int(args.get("since"), 0), as_text(args.get("method")) or None)}


async def list_deliveries(workspace: Workspace, args: JsonObject) -> JsonObject:
    """Every delivery with its fate."""
    since = as_int(args.get("since"), 0)
    return {"deliveries": [describe(item) for item in workspace.outbox.deliveries if item.number > since]}


async def wait_idle(workspace: Workspace, args: JsonObject) -> JsonObject:
    """Wait until everything is acknowledged, at most `ms`."""
    return {"idle": await workspace.outbox.idle(as_int(args.get("ms"), 5_000) / 1_000)}


async def metadata(workspace: Workspace, args: JsonObject) -> JsonObject:
    """The metadata of a message."""
    message = workspace.log.get(as_text(args.get("channel")), as_text(args.get("ts"))) or {}
    return {"metadata": message.get("metadata")}


async def add_fault(workspace: Workspace, args: JsonObject) -> JsonObject:
    """Let the next calls of a method go wrong."""
    workspace.faults.waiting.append(Fault(**args))
    return {"ok": True}


async def list_faults(workspace: Workspace, _args: JsonObject) -> JsonObject:
    """What waits for its calls."""
    return {
        "faults": [{"method": one.method, "kind": one.kind, "times": one.times} for one in workspace.faults.waiting]
    }


async def clear_faults(workspace: Workspace, _args: JsonObject) -> JsonObject:
    """Let everything go well again."""
    workspace.faults.waiting.clear()
    return {"ok": True}


async def deliver(workspace: Workspace, args: JsonObject) -> JsonObject:
    """Deliver a payload as it is: an event (wrapped unless it is an `event_callback`) or an interactive payload."""
    body = as_object(args.get("body"))
    times = as_int(args.get("times"), 1)
    pause = as_int(args.get("delay_ms"), 0) / 1_000
    event_id = new_id("Ev0")
    answers: list[Any] = []
    for turn in range(times):
        if turn and pause:
            await asyncio.sleep(pause)
        if as_text(args.get("payload_type")) == "interactive":
            answers.append(await _ask(workspace, body))
            continue
        wrapped = body if body.get("type") == "event_callback" else callback(workspace, body, event_id=event_id)
        fresh = {"event_id": new_id("Ev0")} if as_flag(args.get("fresh_event_id")) else {}
        workspace.outbox.deliver_event({**wrapped, **fresh})
    return {"ok": True, "answers": answers}


async def _ask(workspace: Workspace, body: JsonObject) -> JsonObject:
    try:
        return {"acked": True, "payload": await workspace.outbox.ask("interactive", body)}
    except Undelivered as failure:
        return {"acked": False, "error": str(failure)}


async def socket(workspace: Workspace, args: JsonObject) -> JsonObject:
    """Drop every socket, hush them, or announce that they will be closed."""
    command = as_text(args.get("command"))
    if command == "drop":
        return {"ok": True, "sockets": socket_mode.drop(workspace)}
    if command == "hush":
        return {"ok": True, "sockets": socket_mode.hush(workspace)}
    if command == "disconnect_warning":
        return {"ok": True, "sockets": socket_mode.warn(workspace)}
    message = f"unknown command {command!r}: drop, hush or disconnect_warning"
    raise ValueError(message)


async def settings(workspace: Workspace, args: JsonObject) -> JsonObject:
    """Change some settings; the rest stays."""
    workspace.apply(Settings.model_validate({**workspace.settings.model_dump(), **args}))
    return {"ok": True, "settings": workspace.settings.model_dump()}


async def member(workspace: Workspace, args: JsonObject) -> JsonObject:
    """Let somebody (a user id, or the bot's) join or leave a channel."""
    channel, user = as_text(args.get("channel")), as_text(args.get("user"))
    changed = workspace.directory.set_member(channel, user, member=as_flag(args.get("member", True)))
    return {"ok": True, "changed": changed}


async def person(workspace: Workspace, args: JsonObject) -> JsonObject:
    """Change what is known of somebody, such as that they are a guest now; until the next reset or restart."""
    people, user = workspace.directory.people, as_text(args.get("user"))
    facts = {name: value for name, value in args.items() if name != "user"}
    people[user] = Person.model_validate({**people[user].model_dump(), **facts})
    return {"ok": True}


async def seal(workspace: Workspace, args: JsonObject) -> JsonObject:
    """Seal open streams now, as if their time had passed."""
    sealed = [stream for stream in workspace.streams.by_message.values() if stream.state == "open"]
    for stream in sealed:
        if as_text(args.get("ts")) in {"", stream.ts}:
            stream.started_at = 0.0
            workspace.streams.save(stream)
    return {"ok": True, "sealed": len(sealed)}


async def reset(workspace: Workspace, args: JsonObject) -> JsonObject:
    """Start over, with another scene if one is given."""
    workspace.reset(Scene.model_validate_json(compact(as_object(args.get("scene")))))
    start_pushing(workspace)
    return {"ok": True}
