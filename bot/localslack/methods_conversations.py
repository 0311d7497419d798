"""conversations.* and users.conversations: what the bot may read of the workspace's conversations."""

from bot.localslack import limits, posting
from bot.localslack.call import Call, Method, Methods
from bot.localslack.errors import SlackRefusal
from bot.localslack.values import JsonObject, as_text

HISTORY_SCOPES = ("channels:history", "groups:history", "im:history")
READ_SCOPES = ("channels:read", "groups:read", "im:read")


async def info(call: Call) -> JsonObject:
    """conversations.info."""
    channel = call.channel()
    shown = call.workspace.directory.channel_object(channel)
    if not call.flag("include_num_members"):
        shown.pop("num_members", None)
    return {"channel": shown}


async def list_all(call: Call) -> JsonObject:
    """conversations.list."""
    directory = call.workspace.directory
    wanted = set((call.text("types") or "public_channel").split(","))
    kinds = {"channel": "public_channel", "group": "private_channel", "im": "im"}
    visible = [
        channel
        for channel in directory.members
        if kinds[directory.channel_type(channel)] in wanted
        and (directory.channel_type(channel) == "channel" or directory.bot_in(channel))
    ]
    page, cursor = call.page([directory.channel_object(channel) for channel in visible])
    return {"channels": page, "response_metadata": {"next_cursor": cursor}}


async def of_user(call: Call) -> JsonObject:
    """users.conversations."""
    directory = call.workspace.directory
    user = call.text("user") or call.workspace.scene.bot.user_id
    wanted = set((call.text("types") or "public_channel").split(","))
    kinds = {"channel": "public_channel", "group": "private_channel", "im": "im"}
    mine = [
        channel
        for channel in directory.visible_to(user)
        if directory.bot_in(channel) and kinds[directory.channel_type(channel)] in wanted
    ]
    page, cursor = call.page([directory.channel_object(channel) for channel in mine])
    return {"channels": page, "response_metadata": {"next_cursor": cursor}}


def _moment(call: Call, name: str, default: float) -> float:
    """A time limit of a read. Raises SlackRefusal: invalid_ts_oldest, invalid_ts_latest."""
    given = call.text(name)
    if not given:
        return default
    try:
        return float(given)
    except ValueError:
        raise SlackRefusal(f"invalid_ts_{name}") from None


def _between(call: Call, messages: list[JsonObject]) -> list[JsonObject]:
    oldest, latest = _moment(call, "oldest", 0.0), _moment(call, "latest", float("inf"))
    inclusive = call.flag("inclusive")

    def wanted(ts: str) -> bool:
        return oldest < float(ts) < latest or (inclusive and float(ts) in {oldest, latest})

    return [message for message in messages if wanted(as_text(message["ts"]))]


async def replies(call: Call) -> JsonObject:
    """conversations.replies: the root first, then the replies from old to new."""
    workspace = call.workspace
    channel = call.joined_channel()
    thread = workspace.log.thread(channel, call.needed("ts"))
    if not thread:
        raise SlackRefusal("thread_not_found")
    root, others = thread[0], _between(call, thread[1:])
    page, cursor = call.page([root, *others], default=limits.LARGEST_PAGE)
    metadata = call.flag("include_all_metadata")
    return {
        "messages": [posting.shown(workspace, channel, message, metadata=metadata) for message in page],
        "has_more": bool(cursor),
        **({"response_metadata": {"next_cursor": cursor}} if cursor else {}),
    }


async def history(call: Call) -> JsonObject:
    """conversations.history: roots from new to old."""
    workspace = call.workspace
    channel = call.joined_channel()
    messages = list(reversed(_between(call, workspace.log.roots(channel))))
    page, cursor = call.page(messages)
    metadata = call.flag("include_all_metadata")
    return {
        "messages": [posting.shown(workspace, channel, message, metadata=metadata) for message in page],
        "has_more": bool(cursor),
        "pin_count": 0,
        "channel_actions_ts": None,
        "channel_actions_count": 0,
        **({"response_metadata": {"next_cursor": cursor}} if cursor else {}),
    }


async def members(call: Call) -> JsonObject:
    """conversations.members."""
    users: list[JsonObject] = [{"id": user} for user in call.workspace.directory.members[call.channel()]]
    page, cursor = call.page(users)
    return {"members": [user["id"] for user in page], "response_metadata": {"next_cursor": cursor}}


async def open_direct(call: Call) -> JsonObject:
    """conversations.open: the direct messages with one person."""
    directory = call.workspace.directory
    if call.text("channel"):
        channel = call.channel()
    else:
        users = [user for user in call.needed("users", "users_list_not_supplied").split(",") if user]
        if len(users) != 1:
            raise SlackRefusal("method_not_supported_for_channel_type")
        found = directory.find_channel(users[0]) if users[0] in directory.people else None
        if found is None:
            raise SlackRefusal("user_not_found")
        channel = found
    full = call.flag("return_im")
    return {
        "no_op": True,
        "already_open": True,
        "channel": directory.channel_object(channel) if full else {"id": channel},
    }


async def join(call: Call) -> JsonObject:
    """conversations.join."""
    channel = call.channel()
    directory = call.workspace.directory
    directory.set_member(channel, directory.bot.user_id, member=True)
    return {"channel": directory.channel_object(channel)}


METHODS: Methods = {
    "conversations.info": Method(handler=info, scope=READ_SCOPES),
    "conversations.list": Method(handler=list_all, scope=READ_SCOPES, tier=2),
    "conversations.replies": Method(handler=replies, scope=HISTORY_SCOPES),
    "conversations.history": Method(handler=history, scope=HISTORY_SCOPES),
    "conversations.members": Method(handler=members, scope=READ_SCOPES, tier=4),
    "conversations.open": Method(handler=open_direct, scope="im:write"),
    "conversations.join": Method(handler=join, scope="channels:join"),
    "users.conversations": Method(handler=of_user, scope=READ_SCOPES),
}
