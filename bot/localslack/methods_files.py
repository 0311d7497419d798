"""files.*: the two-step upload, looking at files and deleting them."""

import asyncio
from typing import Any

from bot.localslack import limits, posting
from bot.localslack.call import Call, Method, Methods
from bot.localslack.errors import SlackRefusal
from bot.localslack.events import emit_in_channel
from bot.localslack.mrkdwn import normalise, rich_text
from bot.localslack.validation import checked_blocks
from bot.localslack.values import JsonObject, as_list, as_objects, as_text, parse_json
from bot.localslack.workspace import Workspace


async def get_upload_url(call: Call) -> JsonObject:
    """files.getUploadURLExternal."""
    length = call.number("length", 0)
    if length <= 0:
        raise SlackRefusal("invalid_arguments", response_metadata={"messages": ["[ERROR] length must be positive"]})
    ticket = call.workspace.shelf.ticket(call.needed("filename"), length)
    return {"upload_url": f"{call.workspace.base_url}/upload/v1/{ticket.secret}", "file_id": ticket.file_id}


async def complete_upload(call: Call) -> JsonObject:
    """files.completeUploadExternal: the files exist at once, the message that shows them follows shortly."""
    workspace = call.workspace
    given: Any = call.args.get("files")
    wanted = as_objects(parse_json(given) if isinstance(given, str) else given)
    if not wanted or not all(as_text(file.get("id")) for file in wanted):
        raise SlackRefusal(
            "invalid_arguments", response_metadata={"messages": ["[ERROR] missing required field: files"]}
        )
    named = call.text("channel_id") or call.text("channels")
    channels = [Call(workspace=workspace, method=call.method, args={"channel": name}).joined_channel()
                for name in named.split(",") if name]  # fmt: skip
    thread_ts = call.thread(channels[0]) if channels else None
    tickets = [workspace.shelf.tickets.get(as_text(file["id"])) for file in wanted]
    if any(ticket is None or not ticket.received for ticket in tickets):
        raise SlackRefusal("file_not_found")
    blocks = checked_blocks(call.args["blocks"]) if call.args.get("blocks") else []
    for ticket, file in zip(tickets, wanted, strict=True):
        if ticket is not None:
            workspace.shelf.complete(ticket, workspace.scene.bot.user_id, as_text(file.get("title")) or None)
    file_ids = [as_text(file["id"]) for file in wanted]
    for channel in channels:
        later(workspace, channel, thread_ts, file_ids, call.text("initial_comment"), blocks)
    return {"files": [_shown(workspace, file_id) for file_id in file_ids]}


def later(
    workspace: Workspace,
    channel: str,
    thread_ts: str | None,
    file_ids: list[str],
    comment: str,
    blocks: list[JsonObject],
) -> None:
    """Show uploaded files in a conversation after Slack's short delay."""

    def share() -> None:
        text = normalise(comment)
        message: JsonObject = {
            **posting.bot_identity(workspace),
            "subtype": "file_share",
            "upload": True,
            "display_as_bot": False,
            "ts": workspace.log.next_ts(),
            **posting.thread_fields(workspace, channel, thread_ts),
            "text": text,
            "file_ids": file_ids,
            **({"blocks": blocks or rich_text(text)} if text or blocks else {}),
        }
        for file_id in file_ids:
            workspace.shelf.share(file_id, channel, as_text(message["ts"]), thread_ts)
        posting.publish(workspace, channel, message)
        tell_shared(workspace, channel, workspace.scene.bot.user_id, file_ids)

    asyncio.get_running_loop().call_later(workspace.settings.file_share_seconds, share)


def tell_shared(workspace: Workspace, channel: str, user: str, file_ids: list[str]) -> None:
    """Tell the app that files were shared."""
    for file_id in file_ids:
        event: JsonObject = {
            "type": "file_shared",
            "file_id": file_id,
            "user_id": user,
            "file": {"id": file_id},
            "channel_id": channel,
            "event_ts": workspace.log.next_ts(),
        }
        emit_in_channel(workspace, channel, event)


def _shown(workspace: Workspace, file_id: str) -> JsonObject:
    return workspace.shelf.shown(file_id, workspace.base_url, workspace.scene.team.id)


async def file_info(call: Call) -> JsonObject:
    """files.info."""
    file_id = call.needed("file")
    if file_id not in call.workspace.shelf.files:
        raise SlackRefusal("file_not_found")
    return {"file": _shown(call.workspace, file_id), "comments": [], "response_metadata": {"next_cursor": ""}}


async def list_files(call: Call) -> JsonObject:
    """files.list."""
    files = [_shown(call.workspace, file_id) for file_id in call.workspace.shelf.files]
    channel, user = call.text("channel"), call.text("user")
    chosen = [
        file
        for file in files
        if (not channel or channel in [*as_list(file["channels"]), *as_list(file["ims"])])
        and (not user or file["user"] == user)
    ]
    return {
        "files": chosen[: limits.DEFAULT_PAGE],
        "paging": {"count": 100, "total": len(chosen), "page": 1, "pages": 1},
    }


async def delete_file(call: Call) -> JsonObject:
    """files.delete."""
    file_id = call.needed("file")
    body = call.workspace.shelf.files.get(file_id)
    if body is None:
        raise SlackRefusal("file_not_found")
    if body["user"] != call.workspace.scene.bot.user_id:
        raise SlackRefusal("cant_delete_file")
    call.workspace.shelf.drop(file_id)
    return {}


METHODS: Methods = {
    "files.getUploadURLExternal": Method(handler=get_upload_url, scope="files:write", tier=4),
    "files.completeUploadExternal": Method(handler=complete_upload, scope="files:write", tier=4),
    "files.info": Method(handler=file_info, scope="files:read", tier=4),
    "files.list": Method(handler=list_files, scope="files:read"),
    "files.delete": Method(handler=delete_file, scope="files:write"),
}
