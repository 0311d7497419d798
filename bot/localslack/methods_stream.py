"""chat.startStream, appendStream and stopStream."""

from typing import Any

from bot.localslack import limits, posting
from bot.localslack.call import Call, Method, Methods
from bot.localslack.errors import SlackRefusal
from bot.localslack.methods_chat import naming, tell_status
from bot.localslack.mrkdwn import normalise
from bot.localslack.sessions import STATUSES
from bot.localslack.streams import Stream, chunk_problems
from bot.localslack.validation import checked_blocks, checked_metadata, checked_text
from bot.localslack.values import JsonObject, as_list, as_objects, as_text, epoch, parse_json


def chunks_of(call: Call) -> list[JsonObject]:
    """The chunks of a call; `markdown_text` is one chunk.

    Raises SlackRefusal: invalid_chunks, msg_too_long, invalid_arguments and what blocks raise.
    """
    given: Any = call.args.get("chunks")
    chunks = as_list(parse_json(given) if isinstance(given, str) else given)
    markdown = call.text("markdown_text")
    if markdown and chunks:
        raise SlackRefusal("invalid_arguments", response_metadata={"messages": ["[ERROR] markdown_text and chunks"]})
    if markdown:
        chunks = [{"type": "markdown_text", "text": markdown}]
    messages = chunk_problems(chunks)
    if messages:
        raise SlackRefusal("invalid_chunks", response_metadata={"messages": messages})
    for chunk in as_objects(chunks):
        checked_text(as_text(chunk.get("text")), most=limits.MARKDOWN_TEXT)
        if chunk["type"] == "blocks":
            chunk["blocks"] = stream_blocks(chunk["blocks"])
    return as_objects(chunks)


def stream_blocks(given: Any) -> list[JsonObject]:
    """Blocks inside a stream; a `file` block breaks the real server."""
    blocks = checked_blocks(given)
    if any(block["type"] == "file" for block in blocks):
        raise SlackRefusal("internal_error")
    return blocks


def open_stream(call: Call, channel: str) -> Stream:
    """The stream the call names.

    Raises SlackRefusal: message_not_found, message_not_in_streaming_state, stopped_by_user.
    """
    workspace = call.workspace
    call.message(channel)
    stream = workspace.streams.get(channel, call.text("ts"))
    if stream is not None and stream.state == "stopped_by_user":
        raise SlackRefusal("stopped_by_user")
    if stream is None or not workspace.streams.is_open(stream, workspace.settings.stream_seconds):
        raise SlackRefusal("message_not_in_streaming_state")
    return stream


def rendered(call: Call, stream: Stream, message: JsonObject, state: str) -> JsonObject:
    """The message of a stream as it now looks, stored."""
    new = {**message, "text": normalise(stream.text()), "blocks": stream.blocks(), "streaming_state": state}
    call.workspace.log.put(stream.channel, new)
    return new


async def start(call: Call) -> JsonObject:
    """chat.startStream."""
    workspace = call.workspace
    channel = call.joined_channel()
    if not call.text("thread_ts"):
        raise SlackRefusal("invalid_thread_ts")
    thread_ts = call.thread(channel)
    if not channel.startswith("D"):
        call.needed("recipient_user_id", "missing_recipient_user_id")
        call.needed("recipient_team_id", "missing_recipient_team_id")
    chunks = chunks_of(call)
    stream = Stream(
        channel=channel,
        ts=workspace.log.next_ts(),
        thread_ts=as_text(thread_ts),
        mode=call.text("task_display_mode") or "timeline",
        started_at=epoch(),
    )
    for chunk in chunks:
        stream.add(chunk)
    message: JsonObject = {
        **posting.bot_identity(workspace, call.text("username")),
        "ts": stream.ts,
        **naming(call),
        **posting.thread_fields(workspace, channel, thread_ts),
        "text": normalise(stream.text()),
        "blocks": stream.blocks(),
        "streaming_state": "in_progress",
    }
    workspace.streams.start(stream)
    posting.publish(workspace, channel, message)
    workspace.sessions.set_line(channel, stream.thread_ts, "", [])
    workspace.sessions.set(channel, stream.thread_ts, {"status": "processing"})
    tell_status(call, channel, stream.thread_ts)
    return {"channel": channel, "ts": stream.ts}


async def append(call: Call) -> JsonObject:
    """chat.appendStream."""
    workspace = call.workspace
    channel = call.channel()
    stream = open_stream(call, channel)
    chunks = chunks_of(call)
    if not chunks:
        raise SlackRefusal("no_text")
    for chunk in chunks:
        stream.add(chunk)
    workspace.streams.save(stream)
    message = rendered(call, stream, call.message(channel), "in_progress")
    # An append is shown live and is no edit: the app hears of the message again when the stream stops.
    posting.tell_pages(workspace, channel, "message_changed", posting.shown(workspace, channel, message))
    return {"channel": channel, "ts": stream.ts}


async def stop(call: Call) -> JsonObject:
    """chat.stopStream."""
    workspace = call.workspace
    channel = call.channel()
    stream = open_stream(call, channel)
    status = call.text("session_status") or "active"
    if status not in STATUSES:
        raise SlackRefusal("invalid_session_status")
    metadata = checked_metadata(call.args.get("metadata"))
    last = stream_blocks(call.args["blocks"]) if call.args.get("blocks") else []
    for chunk in chunks_of(call):
        stream.add(chunk)
    before = call.message(channel)
    stream.state = "stopped"
    workspace.streams.save(stream)
    new = {**rendered(call, stream, before, "completed"), **({"metadata": metadata} if metadata else {})}
    new["blocks"] = [*new["blocks"], *last]
    shown = posting.change(workspace, channel, before, new)
    workspace.sessions.set(channel, stream.thread_ts, {"status": status})
    tell_status(call, channel, stream.thread_ts)
    return {"channel": channel, "ts": stream.ts, "message": shown}


METHODS: Methods = {
    "chat.startStream": Method(handler=start, scope="chat:write", tier=2),
    "chat.appendStream": Method(handler=append, scope="chat:write", tier=4),
    "chat.stopStream": Method(handler=stop, scope="chat:write", tier=2),
}
