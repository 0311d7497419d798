"""What the page sees: the state of the workspace for one person, and lists of messages."""

from bot.localslack import posting
from bot.localslack.errors import SlackRefusal
from bot.localslack.mrkdwn import mentioned_users
from bot.localslack.values import JsonObject, as_text
from bot.localslack.workspace import Workspace


def page_state(workspace: Workspace, user: str) -> JsonObject:
    """Everything a page needs to start, for one person."""
    directory, scene = workspace.directory, workspace.scene
    unread = unread_messages(workspace, user)
    everybody = (*directory.people, scene.bot.user_id)
    connections = len(workspace.outbox.connections)
    return {
        "team": scene.team.model_dump(),
        "me": directory.user_object(user),
        "users": [directory.user_object(person) for person in everybody],
        "channels": [
            {**directory.channel_object(channel, user), "members": directory.members[channel]}
            for channel in directory.visible_to(user)
        ],
        "user_groups": [group.model_dump() for group in scene.user_groups],
        "scene": scene.page_part(),
        "bot": {
            "online": connections > 0,
            "connections": connections,
            "user_id": scene.bot.user_id,
            "bot_id": scene.bot.bot_id,
            "app_id": scene.bot.app_id,
            "name": scene.bot.name,
        },
        "sessions": [
            session_entry(workspace, channel, thread_ts)
            for channel, thread_ts in {*workspace.sessions.by_thread, *workspace.sessions.lines}
            if directory.is_member(channel, user)
        ],
        "views": [opened.view for opened in workspace.views.stack(user)],
        "unread": {channel: len(messages) for channel, messages in unread.items()},
        "mentions": {
            channel: sum(1 for message in messages if user in mentioned_users(as_text(message.get("text"))))
            for channel, messages in unread.items()
        },
    }


def session_entry(workspace: Workspace, channel: str, thread_ts: str) -> JsonObject:
    """The status of one thread."""
    return {
        "channel": channel,
        "thread_ts": thread_ts,
        "status": workspace.sessions.status(channel, thread_ts),
        "text": workspace.sessions.line(channel, thread_ts),
        "title": workspace.sessions.by_thread.get((channel, thread_ts), {}).get("title", ""),
    }


def page_messages(workspace: Workspace, user: str, channel: str, thread_ts: str | None) -> JsonObject:
    """The messages of a channel (roots) or of a thread (root and replies) with the person's private ones.

    Reading a channel marks it as read. Raises SlackRefusal: not_in_channel, thread_not_found.
    """
    if not workspace.directory.is_member(channel, user):
        raise SlackRefusal("not_in_channel")
    stored = workspace.log.thread(channel, thread_ts) if thread_ts else workspace.log.roots(channel)
    if thread_ts and not stored:
        raise SlackRefusal("thread_not_found")
    shown = [posting.shown(workspace, channel, message) for message in stored]
    private = [
        message
        for message in workspace.ephemerals.get((channel, user), [])
        if (message.get("thread_ts") or None) == thread_ts
    ]
    if not thread_ts:
        workspace.reads[user, channel] = workspace.log.next_ts()
    return {"messages": sorted([*shown, *private], key=lambda message: float(as_text(message["ts"])))}


def unread_messages(workspace: Workspace, user: str) -> dict[str, list[JsonObject]]:
    """What others wrote since the person last read: roots of channels, everything in direct messages."""
    return {
        channel: [
            message
            for message in (workspace.log.everything(channel) if channel[0] == "D" else workspace.log.roots(channel))
            if message.get("user") != user and as_text(message["ts"]) > workspace.reads.get((user, channel), "")
        ]
        for channel in workspace.directory.visible_to(user)
    }
