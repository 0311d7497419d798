"""Who is who, and reactions: auth, apps, bots, users, team, usergroups, reactions."""

from bot.localslack import posting
from bot.localslack.call import Call, Method, Methods
from bot.localslack.errors import SlackRefusal
from bot.localslack.values import JsonObject, new_word


async def auth_test(call: Call) -> JsonObject:
    """auth.test."""
    scene = call.workspace.scene
    return {
        "url": f"https://{scene.team.domain}.slack.com/",
        "team": scene.team.name,
        "user": scene.bot.name.lower(),
        "team_id": scene.team.id,
        "user_id": scene.bot.user_id,
        "bot_id": scene.bot.bot_id,
        "is_enterprise_install": False,
    }


async def api_test(call: Call) -> JsonObject:
    """api.test."""
    if call.text("error"):
        raise SlackRefusal(call.text("error"), args=call.args)
    return {"args": call.args}


async def open_connection(call: Call) -> JsonObject:
    """apps.connections.open: where the next socket may connect, once."""
    workspace = call.workspace
    ticket = new_word(32)
    workspace.socket_tickets.add(ticket)
    address = workspace.base_url.replace("http", "ws", 1)
    return {"url": f"{address}/link/?ticket={ticket}&app_id={workspace.scene.bot.app_id}"}


async def bots_info(call: Call) -> JsonObject:
    """bots.info."""
    bot = call.workspace.scene.bot
    if call.text("bot") not in {"", bot.bot_id}:
        raise SlackRefusal("bot_not_found")
    return {
        "bot": {
            "id": bot.bot_id,
            "deleted": False,
            "name": bot.name,
            "updated": 1_700_000_000,
            "app_id": bot.app_id,
            "user_id": bot.user_id,
            "icons": {},
        }
    }


async def users_info(call: Call) -> JsonObject:
    """users.info."""
    user = call.workspace.directory.user_object(call.text("user"))
    if user is None:
        raise SlackRefusal("user_not_found")
    return {"user": user}


async def users_list(call: Call) -> JsonObject:
    """users.list."""
    directory = call.workspace.directory
    everybody = [directory.user_object(user) or {} for user in (*directory.people, directory.bot.user_id)]
    page, cursor = call.page(everybody)
    return {"members": page, "cache_ts": 1_700_000_000, "response_metadata": {"next_cursor": cursor}}


async def team_info(call: Call) -> JsonObject:
    """team.info."""
    team = call.workspace.scene.team
    return {"team": {"id": team.id, "name": team.name, "domain": team.domain, "email_domain": "", "icon": {}}}


async def group_users(call: Call) -> JsonObject:
    """usergroups.users.list."""
    wanted = call.needed("usergroup")
    group = next((group for group in call.workspace.scene.user_groups if group.id == wanted), None)
    if group is None:
        raise SlackRefusal("no_such_subteam")
    return {"users": list(group.users)}


async def group_list(call: Call) -> JsonObject:
    """usergroups.list."""
    return {
        "usergroups": [
            {
                "id": group.id,
                "team_id": call.workspace.scene.team.id,
                "handle": group.handle,
                "name": group.handle,
                "is_usergroup": True,
                "user_count": len(group.users),
                **({"users": list(group.users)} if call.flag("include_users") else {}),
            }
            for group in call.workspace.scene.user_groups
        ]
    }


async def add_reaction(call: Call) -> JsonObject:
    """reactions.add."""
    return _react(call, add=True)


async def remove_reaction(call: Call) -> JsonObject:
    """reactions.remove."""
    return _react(call, add=False)


def _react(call: Call, *, add: bool) -> JsonObject:
    channel = call.joined_channel()
    name = call.needed("name", "invalid_name").strip(":")
    if not call.text("timestamp"):
        raise SlackRefusal("no_item_specified")
    message = call.message(channel, "timestamp")
    user = call.workspace.scene.bot.user_id
    if posting.set_reaction(call.workspace, channel, message, name, user, add=add) is None:
        raise SlackRefusal("already_reacted" if add else "no_reaction")
    return {}


async def get_reactions(call: Call) -> JsonObject:
    """reactions.get."""
    channel = call.joined_channel()
    message = call.message(channel, "timestamp")
    return {"type": "message", "channel": channel, "message": posting.shown(call.workspace, channel, message)}


METHODS: Methods = {
    "auth.test": Method(handler=auth_test, access="any", tier=4),
    "api.test": Method(handler=api_test, access="none", tier=4),
    "apps.connections.open": Method(handler=open_connection, scope="connections:write", access="app", tier=1),
    "bots.info": Method(handler=bots_info, scope="users:read"),
    "users.info": Method(handler=users_info, scope="users:read", tier=4),
    "users.list": Method(handler=users_list, scope="users:read", tier=2),
    "team.info": Method(handler=team_info, scope="team:read"),
    "usergroups.list": Method(handler=group_list, scope="usergroups:read", tier=2),
    "usergroups.users.list": Method(handler=group_users, scope="usergroups:read"),
    "reactions.add": Method(handler=add_reaction, scope="reactions:write"),
    "reactions.remove": Method(handler=remove_reaction, scope="reactions:write", tier=2),
    "reactions.get": Method(handler=get_reactions, scope="reactions:read"),
}
