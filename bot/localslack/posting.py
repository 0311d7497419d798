"""What happens when somebody posts, edits, deletes or reacts: the message, its events and the live pages."""

import uuid
from typing import Any

from bot.localslack.errors import SlackRefusal
from bot.localslack.events import emit_in_channel
from bot.localslack.messages import react
from bot.localslack.mrkdwn import mentioned_users, normalise, rich_text
from bot.localslack.validation import checked_blocks
from bot.localslack.values import JsonObject, as_list, as_object, as_text
from bot.localslack.workspace import Workspace

INTERNAL = ("file_ids", "metadata")


def shown(workspace: Workspace, channel: str, message: JsonObject, *, metadata: bool = False) -> JsonObject:
    """A stored message as Slack shows it: files expanded, thread fields added, metadata only on request."""
    result = {key: value for key, value in message.items() if key not in INTERNAL}
    if message.get("file_ids"):
        result["files"] = [
            workspace.shelf.shown(as_text(file_id), workspace.base_url, workspace.scene.team.id)
            for file_id in message["file_ids"]
        ]
    if metadata and message.get("metadata"):
        result["metadata"] = message["metadata"]
    if result.get("streaming_state") == "in_progress":
        stream = workspace.streams.get(channel, as_text(message["ts"]))
        if not workspace.streams.is_open(stream, workspace.settings.stream_seconds):
            result["streaming_state"] = "completed"
    if message.get("thread_ts") in {None, message["ts"]}:
        result.update(workspace.log.root_fields(channel, as_text(message["ts"])))
    return result


def thread_fields(workspace: Workspace, channel: str, thread_ts: str | None) -> JsonObject:
    """`thread_ts` and `parent_user_id` of a reply; nothing for a root."""
    if not thread_ts:
        return {}
    root = workspace.log.get(channel, thread_ts) or {}
    return {"thread_ts": thread_ts, "parent_user_id": root.get("user")}


def bot_identity(workspace: Workspace, username: str = "") -> JsonObject:
    """The fields that mark a message as the bot's."""
    bot, team = workspace.scene.bot, workspace.scene.team
    return {
        "user": bot.user_id,
        "type": "message",
        "bot_id": bot.bot_id,
        "app_id": bot.app_id,
        "team": team.id,
        "bot_profile": {
            "id": bot.bot_id,
            "app_id": bot.app_id,
            "user_id": bot.user_id,
            "name": username or bot.name,
            "icons": {},
            "deleted": False,
            "updated": 1_700_000_000,
            "team_id": team.id,
        },
    }


def say_as_person(
    workspace: Workspace, user: str, channel: str, text: str, thread_ts: str | None, file_ids: list[str]
) -> JsonObject:
    """A person's message: stored, shown, and told to the app as `message` and, when it mentions the bot, `app_mention`.

    Files make it a `file_share`. Returns the message as shown.
    """
    stored_text = normalise(text)
    message: JsonObject = {
        "type": "message",
        **({"subtype": "file_share", "upload": False, "display_as_bot": False} if file_ids else {}),
        "user": user,
        "ts": workspace.log.next_ts(),
        "client_msg_id": str(uuid.uuid4()),
        "text": stored_text,
        "team": workspace.scene.team.id,
        **({"file_ids": file_ids} if file_ids else {}),
        **thread_fields(workspace, channel, thread_ts),
        "blocks": rich_text(stored_text),
    }
    for file_id in file_ids:
        workspace.shelf.share(file_id, channel, as_text(message["ts"]), thread_ts)
    return publish(workspace, channel, message)


def publish(workspace: Workspace, channel: str, message: JsonObject) -> JsonObject:
    """Store a new message and tell pages and app."""
    workspace.log.put(channel, message)
    result = shown(workspace, channel, message)
    tell_pages(workspace, channel, "message", result)
    _tell_root(workspace, channel, message)
    _tell_app(workspace, channel, message)
    return result


def tell_pages(workspace: Workspace, channel: str, kind: str, message: JsonObject, **extra: Any) -> None:
    """Send a message update to the pages of the members."""
    update: JsonObject = {"type": kind, "channel": channel, "message": message, **extra}
    if message.get("thread_ts"):
        update["thread_ts"] = message["thread_ts"]
    members = workspace.directory.members[channel]
    workspace.feed.publish(update, members)
    if kind == "message":
        others = [member for member in members if member != message.get("user")]
        workspace.feed.publish({"type": "unread", "channel": channel}, others)


def _tell_root(workspace: Workspace, channel: str, message: JsonObject) -> None:
    root_ts = message.get("thread_ts")
    root = workspace.log.get(channel, as_text(root_ts)) if root_ts != message["ts"] else None
    if root is not None:
        tell_pages(workspace, channel, "message_changed", shown(workspace, channel, root))


def _tell_app(workspace: Workspace, channel: str, message: JsonObject) -> None:
    from_bot = message.get("bot_id") == workspace.scene.bot.bot_id
    if from_bot and not workspace.settings.echo_own_events:
        return
    plain = _event_message(workspace, channel, message)
    events: list[JsonObject] = [{**plain, "channel_type": workspace.directory.channel_type(channel)}]
    if not from_bot and _mentions_bot(workspace, channel, message):
        events.insert(0, _mention(plain))
    if workspace.settings.mention_order == "message_first":
        events.reverse()
    for event in events:
        emit_in_channel(workspace, channel, event)


def _event_message(workspace: Workspace, channel: str, message: JsonObject) -> JsonObject:
    own = {key: value for key, value in message.items() if key not in INTERNAL}
    files = {key: value for key, value in shown(workspace, channel, message).items() if key == "files"}
    return {**own, **files, "channel": channel, "event_ts": message["ts"]}


def _mention(event: JsonObject) -> JsonObject:
    left_out = {"subtype", "parent_user_id"}
    return {**{key: value for key, value in event.items() if key not in left_out}, "type": "app_mention"}


def _mentions_bot(workspace: Workspace, channel: str, message: JsonObject) -> bool:
    named = mentioned_users(as_text(message.get("text")))
    return workspace.scene.bot.user_id in named and not channel.startswith("D")


def change(workspace: Workspace, channel: str, old: JsonObject, new: JsonObject) -> JsonObject:
    """Replace a stored message by a new version; pages and app hear of it as `message_changed`."""
    workspace.log.put(channel, new)
    result = shown(workspace, channel, new)
    tell_pages(workspace, channel, "message_changed", result)
    if new.get("bot_id") == workspace.scene.bot.bot_id and not workspace.settings.echo_own_events:
        return result
    emit_in_channel(
        workspace,
        channel,
        {
            **_hidden(workspace, channel, "message_changed"),
            "message": {**result, "source_team": workspace.scene.team.id, "user_team": workspace.scene.team.id},
            "previous_message": shown(workspace, channel, old),
        },
    )
    return result


def _hidden(workspace: Workspace, channel: str, subtype: str) -> JsonObject:
    ts = workspace.log.next_ts()
    return {
        "type": "message",
        "subtype": subtype,
        "channel": channel,
        "hidden": True,
        "ts": ts,
        "event_ts": ts,
        "channel_type": workspace.directory.channel_type(channel),
    }


def edit_as_person(workspace: Workspace, channel: str, message: JsonObject, text: str) -> JsonObject:
    """A person edits their message; an edit that mentions the bot is told as `app_mention` again."""
    stored_text = normalise(text)
    edited = {"user": message["user"], "ts": workspace.log.next_ts()}
    new = {**message, "text": stored_text, "blocks": rich_text(stored_text), "edited": edited}
    result = change(workspace, channel, message, new)
    if _mentions_bot(workspace, channel, new):
        emit_in_channel(workspace, channel, _mention(_event_message(workspace, channel, new)))
    return result


def delete(workspace: Workspace, channel: str, message: JsonObject) -> None:
    """Remove a message; a root with replies leaves a tombstone, as at Slack."""
    ts = as_text(message["ts"])
    before = shown(workspace, channel, message)
    if workspace.log.replies(channel, ts):
        workspace.log.put(channel, {
            "type": "message", "subtype": "tombstone", "text": "This message was deleted.", "user": "USLACKBOT",
            "hidden": True, "ts": ts, "thread_ts": ts,
        })  # fmt: skip
    else:
        workspace.log.drop(channel, ts)
    tell_pages(workspace, channel, "message_deleted", before, ts=ts)
    _tell_root(workspace, channel, message)
    event = _hidden(workspace, channel, "message_deleted")
    emit_in_channel(workspace, channel, {**event, "deleted_ts": ts, "previous_message": before})


def set_reaction(
    workspace: Workspace, channel: str, message: JsonObject, name: str, user: str, *, add: bool
) -> JsonObject | None:
    """Add or remove somebody's reaction. Returns the message as shown; None when nothing changed."""
    new = react(message, name, user, add=add)
    if new is None:
        return None
    workspace.log.put(channel, new)
    result = shown(workspace, channel, new)
    tell_pages(workspace, channel, "reaction", result, ts=new["ts"])
    emit_in_channel(
        workspace,
        channel,
        {
            "type": "reaction_added" if add else "reaction_removed",
            "user": user,
            "reaction": name,
            "item": {"type": "message", "channel": channel, "ts": new["ts"]},
            "item_user": new.get("user"),
            "event_ts": workspace.log.next_ts(),
        },
    )
    return result


def show_ephemeral(workspace: Workspace, channel: str, user: str, message: JsonObject) -> None:
    """Show a message to one person only; nothing of it survives a restart."""
    entry = {**message, "ephemeral": True, "is_ephemeral": True}
    kept = workspace.ephemerals.setdefault((channel, user), [])
    kept[:] = [item for item in kept if item["ts"] != message["ts"]] + [entry]
    update: JsonObject = {"type": "ephemeral", "channel": channel, "message": entry}
    if entry.get("thread_ts"):
        update["thread_ts"] = entry["thread_ts"]
    workspace.feed.publish(update, [user])


def find_ephemeral(workspace: Workspace, channel: str, user: str, ts: str) -> JsonObject | None:
    """A message only this person sees."""
    return next((item for item in workspace.ephemerals.get((channel, user), []) if item["ts"] == ts), None)


def drop_ephemeral(workspace: Workspace, channel: str, user: str, ts: str) -> None:
    """Take a private message off the page again."""
    kept = workspace.ephemerals.get((channel, user), [])
    kept[:] = [item for item in kept if item["ts"] != ts]
    workspace.feed.publish({"type": "message_deleted", "channel": channel, "ts": ts, "ephemeral": True}, [user])


def fallback_text(blocks: list[JsonObject]) -> str:
    """The text Slack derives when a message has blocks and no text."""
    found: list[str] = []
    for block in blocks:
        text = block.get("text")
        found.append(as_text(text) or as_text(as_object(text).get("text")) or as_text(block.get("title")))
        found += [as_text(as_object(item).get("text")) for item in as_list(block.get("elements"))]
    return " ".join(part for part in found if part)[:3_000]


def answer_message(workspace: Workspace, answer: JsonObject, thread_ts: str | None) -> JsonObject:
    """A message of the bot from an answer to an interaction. Raises SlackRefusal: no_text, invalid_blocks."""
    text = as_text(answer.get("text"))
    blocks = checked_blocks(answer["blocks"]) if answer.get("blocks") else []
    if not text and not blocks:
        raise SlackRefusal("no_text")
    stored_text = normalise(text) if text else fallback_text(blocks)
    return {
        **bot_identity(workspace),
        "ts": workspace.log.next_ts(),
        **({"thread_ts": thread_ts} if thread_ts else {}),
        "text": stored_text,
        "blocks": blocks or rich_text(stored_text),
    }
