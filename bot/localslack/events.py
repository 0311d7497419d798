"""Event payloads as Slack wraps them: `event_callback` with ids, authorizations and context."""

import base64

from bot.localslack.outbox import Delivery
from bot.localslack.values import JsonObject, compact, epoch, new_id
from bot.localslack.workspace import Workspace


def callback(workspace: Workspace, event: JsonObject, *, event_id: str | None = None) -> JsonObject:
    """The outer payload of an event."""
    team, bot = workspace.scene.team, workspace.scene.bot
    context = {"et": event.get("type"), "tid": team.id, "aid": bot.app_id, "cid": event.get("channel")}
    return {
        "token": "local-verification-token",
        "team_id": team.id,
        "context_team_id": team.id,
        "context_enterprise_id": None,
        "api_app_id": bot.app_id,
        "event": event,
        "type": "event_callback",
        "event_id": event_id or new_id("Ev0"),
        "event_time": int(epoch()),
        "authorizations": [
            {
                "enterprise_id": None,
                "team_id": team.id,
                "user_id": bot.user_id,
                "is_bot": True,
                "is_enterprise_install": False,
            }
        ],
        "is_ext_shared_channel": False,
        "event_context": "4-" + base64.urlsafe_b64encode(compact(context).encode()).decode().rstrip("="),
    }


def emit(workspace: Workspace, event: JsonObject) -> Delivery:
    """Deliver an event to the app."""
    return workspace.outbox.deliver_event(callback(workspace, event))


def emit_in_channel(workspace: Workspace, channel: str, event: JsonObject) -> None:
    """Deliver an event about a conversation, if the bot is in it."""
    if workspace.directory.bot_in(channel):
        emit(workspace, event)
