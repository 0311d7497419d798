"""Response URLs: answering an interaction without a token."""

from aiohttp import web

from bot.localslack import posting
from bot.localslack.errors import SlackRefusal
from bot.localslack.interactive import reply_in_channel
from bot.localslack.tickets import ResponseUrl
from bot.localslack.values import JsonObject, as_flag, as_object, as_text, parse_json
from bot.localslack.workspace import Workspace


def routes(workspace: Workspace) -> list[web.RouteDef]:
    """The routes of response URLs."""

    async def handle(request: web.Request) -> web.StreamResponse:
        return await answer(workspace, request)

    return [web.post(f"/{kind}/{{team}}/{{number}}/{{secret}}", handle) for kind in ("actions", "commands")]


async def answer(workspace: Workspace, request: web.Request) -> web.StreamResponse:
    """Serve one use of a response URL."""
    body = as_object(parse_json(await request.text()))
    record = workspace.calls.add("response_url", body)
    target = workspace.tickets.use_url(request.path)
    if target is None:
        record.update(ok=False, error="used_url")
        return web.Response(status=404, text='{"ok":false,"error":"used_url"}', content_type="application/json")
    try:
        carry_out(workspace, target, body)
    except SlackRefusal as refusal:
        record.update(ok=False, error=refusal.error)
        return web.json_response(refusal.body())
    record["ok"] = True
    return web.Response(text="ok")


def carry_out(workspace: Workspace, target: ResponseUrl, body: JsonObject) -> None:
    """Replace, delete or answer. Raises SlackRefusal."""
    if as_flag(body.get("delete_original")):
        remove_original(workspace, target)
    elif as_flag(body.get("replace_original")) and target.message_ts is not None:
        replace_original(workspace, target, body)
    else:
        thread_ts = as_text(body.get("thread_ts")) or (target.thread_ts if target.message_ts else None)
        reply_in_channel(workspace, target.user, target.channel, thread_ts, body)


def remove_original(workspace: Workspace, target: ResponseUrl) -> None:
    """Delete the message that was clicked."""
    ts = target.message_ts or ""
    if target.is_ephemeral:
        posting.drop_ephemeral(workspace, target.channel, target.user, ts)
        return
    message = workspace.log.get(target.channel, ts)
    if message is None:
        raise SlackRefusal("message_not_found")
    posting.delete(workspace, target.channel, message)


def replace_original(workspace: Workspace, target: ResponseUrl, body: JsonObject) -> None:
    """Put new content into the message that was clicked."""
    ts = target.message_ts or ""
    new = {**posting.answer_message(workspace, body, target.thread_ts), "ts": ts}
    if target.is_ephemeral:
        posting.show_ephemeral(workspace, target.channel, target.user, new)
        return
    old = workspace.log.get(target.channel, ts)
    if old is None:
        raise SlackRefusal("message_not_found")
    posting.change(workspace, target.channel, old, {**old, "text": new["text"], "blocks": new["blocks"]})
