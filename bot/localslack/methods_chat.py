"""chat.*: posting, changing and deleting messages, and messages for one person only."""

from typing import Any

from bot.localslack import limits, posting
from bot.localslack.call import Call, Method, Methods
from bot.localslack.errors import SlackRefusal, refused_arguments
from bot.localslack.mrkdwn import normalise, rich_text
from bot.localslack.validation import checked_blocks, checked_metadata, checked_text, filled_blocks
from bot.localslack.values import JsonObject, as_list, as_text, parse_json


def content(call: Call, *, most: int | None = None) -> JsonObject:
    """Text, blocks and attachments of a message, checked and in the form Slack stores.

    Text above `most` is refused; without it, text is cut silently at 40,000 characters, as Slack does.

    Raises SlackRefusal: no_text, msg_too_long, invalid_blocks, markdown_text_conflict and what blocks raise.
    """
    markdown = call.text("markdown_text")
    text = checked_text(call.text("text"), most=most) if most else call.text("text")[: limits.MESSAGE_TEXT]
    given: Any = call.args.get("blocks")
    if markdown:
        if text or given:
            raise SlackRefusal("markdown_text_conflict")
        checked_text(markdown, most=limits.MARKDOWN_TEXT)
        return {"text": markdown, "blocks": filled_blocks([{"type": "markdown", "text": markdown}])}
    blocks = checked_blocks(given) if given not in (None, "", "[]", []) else []
    attachments = _attachments(call)
    if not text.strip() and not blocks and not attachments:
        raise SlackRefusal("no_text")
    stored_text = normalise(text) if text else posting.fallback_text(blocks)
    return {
        "text": stored_text,
        "blocks": blocks or rich_text(stored_text),
        **({"attachments": attachments} if attachments else {}),
    }


def _attachments(call: Call) -> list[Any]:
    given: Any = call.args.get("attachments")
    parsed = parse_json(given) if isinstance(given, str) else given
    return as_list(parsed)


def naming(call: Call) -> JsonObject:
    """A name or picture other than the bot's own."""
    names = ("username", "icon_emoji", "icon_url")
    return {name: call.text(name) for name in names if call.text(name)}


async def post_message(call: Call) -> JsonObject:
    """chat.postMessage."""
    workspace = call.workspace
    if not call.text("channel"):
        raise SlackRefusal("channel_not_found")
    channel = call.joined_channel()
    thread_ts = call.thread(channel)
    metadata = checked_metadata(call.args.get("metadata"))
    body = content(call)
    message: JsonObject = {
        **posting.bot_identity(workspace, call.text("username")),
        "ts": workspace.log.next_ts(),
        **naming(call),
        **posting.thread_fields(workspace, channel, thread_ts),
        **body,
        **({"metadata": metadata} if metadata else {}),
    }
    if thread_ts and call.flag("reply_broadcast"):
        message["subtype"] = "thread_broadcast"
        message["root"] = workspace.log.get(channel, thread_ts)
    posting.publish(workspace, channel, message)
    if thread_ts:
        workspace.sessions.set_line(channel, thread_ts, "", [])
        tell_status(call, channel, thread_ts)
    shown = posting.shown(workspace, channel, message, metadata=True)
    return {"channel": channel, "ts": message["ts"], "message": shown}


def tell_status(call: Call, channel: str, thread_ts: str) -> None:
    """Tell the pages the status of a thread."""
    workspace = call.workspace
    update: JsonObject = {
        "type": "session_status",
        "channel": channel,
        "thread_ts": thread_ts,
        "status": workspace.sessions.status(channel, thread_ts),
        "text": workspace.sessions.line(channel, thread_ts),
    }
    workspace.feed.publish(update, workspace.directory.members[channel])


async def update(call: Call) -> JsonObject:
    """chat.update."""
    workspace = call.workspace
    channel = call.channel()
    message = call.message(channel)
    if message.get("bot_id") != workspace.scene.bot.bot_id:
        raise SlackRefusal("cant_update_message")
    if workspace.streams.is_open(workspace.streams.get(channel, call.text("ts")), workspace.settings.stream_seconds):
        raise SlackRefusal("streaming_state_conflict")
    metadata = checked_metadata(call.args.get("metadata"))
    body = content(call, most=limits.UPDATE_TEXT)
    new = {**message, **body, **({"metadata": metadata} if metadata else {})}
    new["edited"] = {"user": workspace.scene.bot.user_id, "ts": workspace.log.next_ts()}
    file_ids = call.args.get("file_ids")
    if file_ids is not None:
        new["file_ids"] = as_list(parse_json(file_ids) if isinstance(file_ids, str) else file_ids)
    shown = posting.change(workspace, channel, message, new)
    return {"channel": channel, "ts": message["ts"], "text": new["text"], "message": shown}


async def delete(call: Call) -> JsonObject:
    """chat.delete."""
    workspace = call.workspace
    channel = call.channel()
    message = call.message(channel)
    if message.get("bot_id") != workspace.scene.bot.bot_id:
        raise SlackRefusal("cant_delete_message")
    if workspace.streams.is_open(workspace.streams.get(channel, call.text("ts")), workspace.settings.stream_seconds):
        raise SlackRefusal("cant_delete_message")
    posting.delete(workspace, channel, message)
    return {"channel": channel, "ts": message["ts"]}


async def post_ephemeral(call: Call) -> JsonObject:
    """chat.postEphemeral."""
    workspace = call.workspace
    channel = call.joined_channel()
    user = call.needed("user", "user_not_found")
    if workspace.directory.user_object(user) is None:
        raise SlackRefusal("user_not_found")
    if not workspace.directory.is_member(channel, user):
        raise SlackRefusal("user_not_in_channel")
    body = content(call)
    thread_ts = call.text("thread_ts")
    message: JsonObject = {
        **posting.bot_identity(workspace, call.text("username")),
        "ts": workspace.log.next_ts(),
        **({"thread_ts": thread_ts} if thread_ts else {}),
        **body,
    }
    posting.show_ephemeral(workspace, channel, user, message)
    return {"message_ts": message["ts"]}


async def get_permalink(call: Call) -> JsonObject:
    """chat.getPermalink."""
    channel = call.channel()
    message = call.message(channel, "message_ts")
    ts = as_text(message["ts"])
    root = as_text(message.get("thread_ts"))
    query = f"?thread_ts={root}&cid={channel}" if root and root != ts else ""
    domain = f"{call.workspace.base_url}/archives"
    return {"channel": channel, "permalink": f"{domain}/{channel}/p{ts.replace('.', '')}{query}"}


async def schedule(_call: Call) -> JsonObject:
    """chat.scheduleMessage is not part of the look-alike, and says so."""
    raise refused_arguments("scheduled messages are not available here")


METHODS: Methods = {
    "chat.postMessage": Method(handler=post_message, scope="chat:write", tier=0),
    "chat.update": Method(handler=update, scope="chat:write"),
    "chat.delete": Method(handler=delete, scope="chat:write"),
    "chat.postEphemeral": Method(handler=post_ephemeral, scope="chat:write", tier=4),
    "chat.getPermalink": Method(handler=get_permalink, tier=4),
    "chat.scheduleMessage": Method(handler=schedule, scope="chat:write"),
}
