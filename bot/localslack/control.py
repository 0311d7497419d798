"""The page on which a person breaks this Slack on purpose, and what it can have happen again."""

from pathlib import Path

from aiohttp import web

from bot.localslack.events import callback
from bot.localslack.values import JsonObject, as_object, as_text, new_id
from bot.localslack.workspace import Workspace

PAGE = Path(__file__).parent / "control.html"
KEPT = ("type", "user", "text", "ts", "thread_ts", "team", "blocks")


def routes(_workspace: Workspace) -> list[web.RouteDef]:
    """The page; what its buttons do is the test API."""

    async def page(_request: web.Request) -> web.StreamResponse:
        return web.FileResponse(PAGE, headers={"Cache-Control": "no-cache"})

    return [web.get("/_local/control", page)]


async def again(workspace: Workspace, args: JsonObject) -> JsonObject:
    """Deliver the newest event of a message again, or tell of its message as changed though its text is the same.

    Raises:
        ValueError: there was no message yet.
    """
    wanted = {"message", "app_mention"}
    events = [item.payload for item in workspace.outbox.deliveries if item.kind == "events_api"]
    said = [body for body in events if as_object(body.get("event")).get("type") in wanted]
    said = [body for body in said if "subtype" not in as_object(body["event"])]
    if not said:
        message = "no message was delivered yet"
        raise ValueError(message)
    if as_text(args.get("what")) == "event":
        workspace.outbox.deliver_event(said[-1])
        return {"ok": True}
    event = as_object(said[-1]["event"])
    same = {name: event[name] for name in KEPT if name in event} | {"type": "message"}
    changed: JsonObject = {
        "type": "message",
        "subtype": "message_changed",
        "hidden": True,
        "channel": event["channel"],
        "channel_type": event.get("channel_type", "channel"),
        "message": same,
        "previous_message": same,
        "ts": event["ts"],
        "event_ts": event["ts"],
    }
    workspace.outbox.deliver_event(callback(workspace, changed, event_id=new_id("Ev0")))
    return {"ok": True}
