"""What the browser page asks and does, as JSON under `/_local/api/`."""

from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import ClientSession, ClientTimeout, WSMsgType, web

from bot.localslack import interactive, posting
from bot.localslack.errors import SlackRefusal
from bot.localslack.file_routes import receive_from_page
from bot.localslack.methods_files import tell_shared
from bot.localslack.outbox import Undelivered
from bot.localslack.page_views import page_messages, page_state
from bot.localslack.values import JsonObject, as_flag, as_int, as_list, as_object, as_text, compact, parse_json
from bot.localslack.workspace import Workspace

Act = Callable[[Workspace, JsonObject], Awaitable[JsonObject]]
ROOT = "/_local/api"
LONGEST_WAIT = 0.25
"""Seconds."""


def routes(workspace: Workspace) -> list[web.RouteDef]:
    """The routes of the page's API."""

    def post(act: Act) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        async def handle(request: web.Request) -> web.StreamResponse:
            return await serve(workspace, act, as_object(parse_json(await request.text())))

        return handle

    def get(act: Act) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        async def handle(request: web.Request) -> web.StreamResponse:
            return await serve(workspace, act, dict(request.query))

        return handle

    async def upload(request: web.Request) -> web.StreamResponse:
        return await receive_from_page(workspace, request)

    async def live(request: web.Request) -> web.StreamResponse:
        return await serve_live(workspace, request)

    return [
        *(web.get(f"{ROOT}/{name}", get(act)) for name, act in READS.items()),
        *(web.post(f"{ROOT}/{name}", post(act)) for name, act in ACTS.items()),
        web.post(f"{ROOT}/upload", upload),
        web.get(f"{ROOT}/ws", live),
    ]


async def serve(workspace: Workspace, act: Act, args: JsonObject) -> web.StreamResponse:
    """Run one request of a page; refusals come back as `ok: false` with an error word."""
    try:
        if act is state and not args.get("user"):
            args["user"] = next(iter(workspace.directory.people))
        if act is not press_bot:
            check_person(workspace, args)
        body = await act(workspace, args)
        return web.json_response({"ok": True, **body, "changes": workspace.feed.changes})
    except SlackRefusal as refusal:
        return web.json_response(refusal.body())
    except Undelivered as failure:
        return web.json_response({"ok": False, "error": str(failure)})


def check_person(workspace: Workspace, args: JsonObject) -> None:
    """Raises SlackRefusal user_not_found or not_in_channel when the acting person may not do this."""
    user, channel = as_text(args.get("user")), as_text(args.get("channel"))
    if not user:
        # A page that knows nobody yet starts as the first person of the scene.
        user = args["user"] = next(iter(workspace.directory.people), "")
    if user not in workspace.directory.people:
        raise SlackRefusal("user_not_found")
    if channel and not workspace.directory.is_member(channel, user):
        raise SlackRefusal("not_in_channel")


async def state(workspace: Workspace, args: JsonObject) -> JsonObject:
    """Everything the page needs to start; a page that names nobody becomes the first person of the scene."""
    await news(workspace, args)
    return page_state(workspace, as_text(args["user"]))


async def messages(workspace: Workspace, args: JsonObject) -> JsonObject:
    """The messages of a channel or of a thread, oldest first."""
    await news(workspace, args)
    thread_ts = as_text(args.get("thread_ts")) or None
    return page_messages(workspace, as_text(args["user"]), as_text(args.get("channel")), thread_ts)


async def news(workspace: Workspace, args: JsonObject) -> None:
    """For who would ask again and again: with `after`, wait until there were more changes, but not for long."""
    if "after" in args:
        await workspace.feed.news(as_int(args["after"], 0), LONGEST_WAIT)


async def home(workspace: Workspace, args: JsonObject) -> JsonObject:
    """The Home tab. Asking counts as opening it, except when the app has just published a new one."""
    user = as_text(args["user"])
    if user in workspace.views.unseen_homes:
        workspace.views.unseen_homes.discard(user)
    else:
        interactive.home_opened(workspace, user, "home")
    published = workspace.views.homes.get(user)
    return {"view": published.view if published else None}


async def opened(workspace: Workspace, args: JsonObject) -> JsonObject:
    """The person opened the Messages or Home tab."""
    interactive.home_opened(workspace, as_text(args["user"]), as_text(args.get("tab")) or "messages")
    return {}


async def send(workspace: Workspace, args: JsonObject) -> JsonObject:
    """Send a message."""
    user, channel, text = as_text(args["user"]), as_text(args.get("channel")), as_text(args.get("text"))
    file_ids = [as_text(item) for item in as_list(args.get("file_ids"))]
    if not workspace.directory.exists(channel):
        raise SlackRefusal("channel_not_found")
    if not text.strip() and not file_ids:
        raise SlackRefusal("no_text")
    if any(file_id not in workspace.shelf.files for file_id in file_ids):
        raise SlackRefusal("file_not_found")
    thread_ts = as_text(args.get("thread_ts")) or None
    message = posting.say_as_person(workspace, user, channel, text, thread_ts, file_ids)
    tell_shared(workspace, channel, user, file_ids)
    return {"channel": channel, "ts": message["ts"], "message": message}


def own_message(workspace: Workspace, args: JsonObject) -> JsonObject:
    """The person's own message. Raises SlackRefusal: message_not_found, cant_update_message."""
    message = workspace.log.get(as_text(args.get("channel")), as_text(args.get("ts")))
    if message is None:
        raise SlackRefusal("message_not_found")
    if message.get("user") != args["user"]:
        raise SlackRefusal("cant_update_message")
    return message


async def edit(workspace: Workspace, args: JsonObject) -> JsonObject:
    """Edit one's own message."""
    message = own_message(workspace, args)
    return {"message": posting.edit_as_person(workspace, as_text(args["channel"]), message, as_text(args.get("text")))}


async def delete(workspace: Workspace, args: JsonObject) -> JsonObject:
    """Delete one's own message."""
    posting.delete(workspace, as_text(args["channel"]), own_message(workspace, args))
    return {}


async def react(workspace: Workspace, args: JsonObject) -> JsonObject:
    """Add or remove a reaction."""
    channel, user = as_text(args.get("channel")), as_text(args["user"])
    message = workspace.log.get(channel, as_text(args.get("ts")))
    if message is None:
        raise SlackRefusal("message_not_found")
    name = as_text(args.get("name")).strip(":")
    posting.set_reaction(workspace, channel, message, name, user, add=not as_flag(args.get("remove")))
    return {}


async def act(workspace: Workspace, args: JsonObject) -> JsonObject:
    """Use an element of a message or of a view."""
    user, action = as_text(args["user"]), as_object(args.get("action"))
    values = as_object(as_object(args.get("state")).get("values"))
    if args.get("view_id"):
        await interactive.act_on_view(workspace, user, as_text(args["view_id"]), action, values)
    else:
        channel, ts = as_text(args.get("channel")), as_text(args.get("message_ts"))
        await interactive.act_on_message(workspace, user, channel, ts, action, values)
    return {}


async def view_submit(workspace: Workspace, args: JsonObject) -> JsonObject:
    """Submit a modal."""
    values = as_object(as_object(args.get("state")).get("values"))
    return await interactive.submit_view(workspace, as_text(args["user"]), as_text(args.get("view_id")), values)


async def view_close(workspace: Workspace, args: JsonObject) -> JsonObject:
    """Close a modal."""
    await interactive.close_view(workspace, as_text(args["user"]), as_text(args.get("view_id")))
    return {}


async def slash(workspace: Workspace, args: JsonObject) -> JsonObject:
    """Type a slash command."""
    names = ("user", "channel", "command", "text")
    await interactive.slash(workspace, *(as_text(args.get(name)) for name in names))
    return {}


async def shortcut(workspace: Workspace, args: JsonObject) -> JsonObject:
    """Use a shortcut."""
    names = ("user", "callback_id", "channel", "message_ts")
    await interactive.shortcut(workspace, *(as_text(args.get(name)) for name in names))
    return {}


async def stop(workspace: Workspace, args: JsonObject) -> JsonObject:
    """Press Stop on a thread's session."""
    interactive.stop(workspace, as_text(args["user"]), as_text(args.get("channel")), as_text(args.get("thread_ts")))
    return {}


async def press_bot(workspace: Workspace, args: JsonObject) -> JsonObject:
    """Pass the page's Kill and Start on to whoever runs the bot."""
    if workspace.scene.control_url is None:
        raise SlackRefusal("no_control")
    async with ClientSession(timeout=ClientTimeout(total=60)) as session:
        command = {"command": as_text(args.get("command"))}
        async with session.post(workspace.scene.control_url, json=command) as response:
            result: Any = await response.json()
    return as_object(result)


async def serve_live(workspace: Workspace, request: web.Request) -> web.StreamResponse:
    """Live updates for one page."""
    user = request.query.get("user", "")
    if user not in workspace.directory.people:
        return web.Response(status=403)
    socket = web.WebSocketResponse(heartbeat=20)
    # Before the page hears that it is connected: what it reads then and what it is sent leave nothing out.
    queue = workspace.feed.open(user)

    async def write() -> None:
        while (update := await queue.get()) is not None:
            await socket.send_str(compact(update))
        await socket.close()

    try:
        await socket.prepare(request)
        workspace.background.start(write())
        async for message in socket:
            if message.type is WSMsgType.ERROR:
                break
    finally:
        workspace.feed.close(queue)
        queue.put_nowait(None)
    return socket


READS: dict[str, Act] = {"state": state, "messages": messages, "home": home}
ACTS: dict[str, Act] = {
    "send": send,
    "edit": edit,
    "delete": delete,
    "react": react,
    "action": act,
    "view_submit": view_submit,
    "view_close": view_close,
    "slash": slash,
    "shortcut": shortcut,
    "stop": stop,
    "opened": opened,
    "bot": press_bot,
}
