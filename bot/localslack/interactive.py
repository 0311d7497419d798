"""What people do with messages and views: clicks, form submissions, commands, shortcuts, stops."""

from typing import Any

from bot.localslack import limits, posting
from bot.localslack.errors import SlackRefusal
from bot.localslack.events import emit
from bot.localslack.methods_views import push_onto, replace_view, tell_view
from bot.localslack.outbox import Undelivered
from bot.localslack.tickets import ResponseUrl
from bot.localslack.validation import checked_view
from bot.localslack.values import JsonObject, as_object, as_objects, as_text, epoch, pick
from bot.localslack.view_state import complete_state, entry_errors, find_element
from bot.localslack.viewstack import OpenView
from bot.localslack.workspace import Workspace

CHOSEN = (
    "selected_option", "selected_options", "selected_user", "selected_users", "selected_conversation",
    "selected_conversations", "selected_channel", "selected_channels", "selected_date", "selected_time",
    "selected_date_time",
)  # fmt: skip


def payload(workspace: Workspace, kind: str, user: str, *, view_id: str | None = None) -> JsonObject:
    """The fields that all interactive payloads share, with a fresh trigger id."""
    team = workspace.scene.team
    name = workspace.directory.user_name(user)
    return {
        "type": kind,
        "user": {"id": user, "username": name, "name": name, "team_id": team.id},
        "api_app_id": workspace.scene.bot.app_id,
        "token": "local-verification-token",
        "trigger_id": workspace.tickets.trigger(user, workspace.settings.trigger_seconds, view_id),
        "team": {"id": team.id, "domain": team.domain},
        "enterprise": None,
        "is_enterprise_install": False,
    }


def response_url(workspace: Workspace, user: str, channel: str, message: JsonObject | None, kind: Any) -> str:
    """A URL that answers an interaction in a conversation."""
    target = ResponseUrl(
        user=user,
        channel=channel,
        message_ts=as_text(message["ts"]) if message else None,
        thread_ts=as_text(message.get("thread_ts")) or None if message else None,
        is_ephemeral=bool(message and message.get("ephemeral")),
        expires_at=epoch() + limits.RESPONSE_URL_SECONDS,
    )
    return workspace.base_url + workspace.tickets.response_url(workspace.scene.team.id, kind, target)


async def act_on_message(
    workspace: Workspace, user: str, channel: str, ts: str, given: JsonObject, state: JsonObject
) -> None:
    """Somebody uses an element of a message. Raises SlackRefusal, and Undelivered when the app does not hear of it."""
    if not workspace.directory.is_member(channel, user):
        raise SlackRefusal("not_in_channel")
    private = posting.find_ephemeral(workspace, channel, user, ts)
    message = private or workspace.log.get(channel, ts)
    if message is None:
        raise SlackRefusal("message_not_found")
    blocks = as_objects(message.get("blocks"))
    action = merged_action(workspace, blocks, given)
    container: JsonObject = {
        "type": "message",
        "message_ts": ts,
        "channel_id": channel,
        "is_ephemeral": private is not None,
        **pick(message, ("thread_ts",)),
    }
    body: JsonObject = {
        **payload(workspace, "block_actions", user),
        "container": container,
        "channel": {"id": channel, "name": workspace.directory.channel_name(channel)},
        **({} if private else {"message": posting.shown(workspace, channel, message)}),
        "state": {"values": complete_state(blocks, state)},
        "response_url": response_url(workspace, user, channel, message, "actions"),
        "actions": [action],
    }
    await workspace.outbox.ask("interactive", body, accepts_response=False)


def merged_action(workspace: Workspace, blocks: list[JsonObject], given: JsonObject) -> JsonObject:
    """An entry of `actions`: the element as the app sent it, plus what the person chose.

    Raises SlackRefusal action_not_found: the element is gone from the message.
    """
    block_id, action_id = as_text(given.get("block_id")), as_text(given.get("action_id"))
    element = find_element(blocks, block_id, action_id)
    if element is None:
        raise SlackRefusal("action_not_found")
    kept = pick(element, ("type", "action_id", "block_id", "text", "value", "style", "url", "placeholder"))
    if element["type"] == "feedback_buttons":
        kept |= pick(given, ("text", "value"))
    if element["type"] in {"plain_text_input", "email_text_input", "url_text_input", "number_input"}:
        kept |= pick(given, ("value",))
    return {**kept, **pick(given, CHOSEN), "action_ts": workspace.log.next_ts()}


async def act_on_view(workspace: Workspace, user: str, view_id: str, given: JsonObject, state: JsonObject) -> None:
    """Somebody uses an element of a modal or Home tab. Raises SlackRefusal and Undelivered."""
    opened = own_view(workspace, user, view_id)
    blocks = as_objects(opened.view["blocks"])
    action = merged_action(workspace, blocks, given)
    opened.view["state"] = {"values": complete_state(blocks, state)}
    body: JsonObject = {
        **payload(workspace, "block_actions", user, view_id=view_id),
        "container": {"type": "view", "view_id": view_id},
        "view": opened.view,
        "actions": [action],
    }
    await workspace.outbox.ask("interactive", body, accepts_response=False)


def own_view(workspace: Workspace, user: str, view_id: str) -> OpenView:
    """The person's open view. Raises SlackRefusal view_not_found."""
    opened = workspace.views.find(view_id)
    if opened is None or opened.user != user:
        raise SlackRefusal("view_not_found")
    return opened


async def submit_view(workspace: Workspace, user: str, view_id: str, state: JsonObject) -> JsonObject:
    """Somebody submits a modal. Returns `closed` and, when refused, `errors` by block id.

    Raises SlackRefusal, and Undelivered when the app does not answer.
    """
    opened = own_view(workspace, user, view_id)
    blocks = as_objects(opened.view["blocks"])
    values = complete_state(blocks, state)
    errors = entry_errors(blocks, values)
    if errors:
        return {"errors": errors, "closed": False}
    opened.view["state"] = {"values": values}
    body: JsonObject = {
        **payload(workspace, "view_submission", user, view_id=view_id),
        "view": opened.view,
        "response_urls": [],
    }
    answer = await workspace.outbox.ask("interactive", body)
    return apply_answer(workspace, opened, answer)


def apply_answer(workspace: Workspace, opened: OpenView, answer: JsonObject) -> JsonObject:
    """Do what the app answered to a submission. Raises SlackRefusal when the answer is not valid."""
    action = as_text(answer.get("response_action"))
    if action == "errors":
        return {"errors": as_object(answer.get("errors")), "closed": False}
    if action == "update":
        replace_view(workspace, opened, checked_view(answer.get("view")))
        return {"closed": False}
    if action == "push":
        push_onto(workspace, opened.user, checked_view(answer.get("view")))
        return {"closed": False}
    if action == "clear":
        bottom = workspace.views.stack(opened.user)[:1]
        for first in bottom:
            workspace.views.close(first)
            tell_view(workspace, "view_closed", first)
        return {"closed": True}
    workspace.views.close(opened)
    tell_view(workspace, "view_closed", opened)
    return {"closed": True}


async def close_view(workspace: Workspace, user: str, view_id: str, *, cleared: bool = False) -> None:
    """Somebody closes a modal; the app hears of it if it asked to. A missing app does not keep it open."""
    opened = own_view(workspace, user, view_id)
    workspace.views.close(opened)
    tell_view(workspace, "view_closed", opened)
    if not opened.view["notify_on_close"]:
        return
    body = {**payload(workspace, "view_closed", user), "view": opened.view, "is_cleared": cleared}
    body.pop("trigger_id")
    try:
        await workspace.outbox.ask("interactive", body, accepts_response=False)
    except Undelivered:
        return


async def slash(workspace: Workspace, user: str, channel: str, command: str, text: str) -> None:
    """Somebody types a slash command. Raises Undelivered."""
    team = workspace.scene.team
    body: JsonObject = {
        "token": "local-verification-token",
        "team_id": team.id,
        "team_domain": team.domain,
        "channel_id": channel,
        "channel_name": workspace.directory.channel_name(channel),
        "user_id": user,
        "user_name": workspace.directory.user_name(user),
        "command": command,
        "text": text,
        "api_app_id": workspace.scene.bot.app_id,
        "is_enterprise_install": "false",
        "response_url": response_url(workspace, user, channel, None, "commands"),
        "trigger_id": workspace.tickets.trigger(user, workspace.settings.trigger_seconds),
    }
    answer = await workspace.outbox.ask("slash_commands", body)
    if as_text(answer.get("text")) or answer.get("blocks"):
        reply_in_channel(workspace, user, channel, None, answer)


def reply_in_channel(workspace: Workspace, user: str, channel: str, thread_ts: str | None, answer: JsonObject) -> None:
    """An answer to a command or click: private unless it says `in_channel`. Raises SlackRefusal invalid_blocks."""
    message = posting.answer_message(workspace, answer, thread_ts)
    if answer.get("response_type") == "in_channel":
        posting.publish(workspace, channel, message)
    else:
        posting.show_ephemeral(workspace, channel, user, message)


async def shortcut(workspace: Workspace, user: str, callback_id: str, channel: str, ts: str) -> None:
    """Somebody uses a shortcut: of a message when one is named, else a global one. Raises SlackRefusal, Undelivered."""
    kind = "message_action" if ts else "shortcut"
    body: JsonObject = {
        **payload(workspace, kind, user),
        "callback_id": callback_id,
        "action_ts": workspace.log.next_ts(),
    }
    if ts:
        message = workspace.log.get(channel, ts)
        if message is None:
            raise SlackRefusal("message_not_found")
        body |= {
            "channel": {"id": channel, "name": workspace.directory.channel_name(channel)},
            "message": posting.shown(workspace, channel, message),
            "message_ts": ts,
            "response_url": response_url(workspace, user, channel, message, "actions"),
        }
    await workspace.outbox.ask("interactive", body, accepts_response=False)


def stop(workspace: Workspace, user: str, channel: str, thread_ts: str) -> None:
    """Somebody presses Slack's own Stop: open streams refuse more, the app is told; the status stays the app's."""
    streams = workspace.streams.open_in(channel, thread_ts, workspace.settings.stream_seconds)
    for stream in streams:
        stream.state = "stopped_by_user"
        workspace.streams.save(stream)
        message = workspace.log.get(channel, stream.ts)
        if message is not None:
            posting.tell_pages(workspace, channel, "message_changed", posting.shown(workspace, channel, message))
    event: JsonObject = {
        "type": "agent_session_stopped",
        "channel": channel,
        "user": user,
        "thread_ts": thread_ts,
        "streaming_message_ts": [stream.ts for stream in streams],
        "event_ts": workspace.log.next_ts(),
    }
    emit(workspace, event)


def home_opened(workspace: Workspace, user: str, tab: str) -> None:
    """Somebody opens the app's Home or Messages tab."""
    home = workspace.views.homes.get(user)
    event: JsonObject = {
        "type": "app_home_opened",
        "user": user,
        "channel": workspace.directory.find_channel(user),
        "tab": tab,
        "event_ts": workspace.log.next_ts(),
        **({"view": home.view} if home is not None and tab == "home" else {}),
    }
    emit(workspace, event)
