"""views.*: opening, pushing and updating modals, and publishing Home tabs."""

from bot.localslack import limits
from bot.localslack.call import Call, Method, Methods
from bot.localslack.errors import SlackRefusal
from bot.localslack.tickets import Trigger
from bot.localslack.validation import checked_view
from bot.localslack.values import JsonObject, as_text
from bot.localslack.viewstack import OpenView, full_view
from bot.localslack.workspace import Workspace


def tell_view(workspace: Workspace, kind: str, opened: OpenView) -> None:
    """Show a view on the pages of its person."""
    workspace.feed.publish({"type": kind, "view": opened.view, "view_id": opened.view_id}, [opened.user])


def use_trigger(call: Call) -> Trigger:
    """Use the call's trigger id up. Raises SlackRefusal: invalid, expired or exchanged trigger id."""
    verdict = call.workspace.tickets.use_trigger(call.needed("trigger_id"))
    if isinstance(verdict, str):
        raise SlackRefusal(verdict)
    return verdict


def refuse_duplicate(workspace: Workspace, view: JsonObject) -> None:
    """Raises SlackRefusal duplicate_external_id when an open view has the same external id."""
    external_id = as_text(view.get("external_id"))
    if external_id and workspace.views.find("", external_id) is not None:
        raise SlackRefusal("duplicate_external_id")


async def open_view(call: Call) -> JsonObject:
    """views.open."""
    workspace = call.workspace
    view = checked_view(call.args.get("view"))
    refuse_duplicate(workspace, view)
    trigger = use_trigger(call)
    workspace.views.stack(trigger.user).clear()
    opened = workspace.views.push(trigger.user, full_view(workspace.scene, view))
    tell_view(workspace, "view_opened", opened)
    return {"view": opened.view}


async def push_view(call: Call) -> JsonObject:
    """views.push."""
    workspace = call.workspace
    view = checked_view(call.args.get("view"))
    refuse_duplicate(workspace, view)
    trigger = use_trigger(call)
    if not workspace.views.stack(trigger.user):
        raise SlackRefusal("no_open_view", response_metadata={"messages": ["[ERROR] there is no view to push onto"]})
    opened = push_onto(workspace, trigger.user, view)
    return {"view": opened.view}


def push_onto(workspace: Workspace, user: str, view: JsonObject) -> OpenView:
    """Push a checked view. Raises SlackRefusal push_limit_reached."""
    if len(workspace.views.stack(user)) >= limits.VIEW_STACK:
        raise SlackRefusal("push_limit_reached")
    opened = workspace.views.push(user, full_view(workspace.scene, view))
    tell_view(workspace, "view_pushed", opened)
    return opened


async def update_view(call: Call) -> JsonObject:
    """views.update."""
    workspace = call.workspace
    opened = workspace.views.find(call.text("view_id"), call.text("external_id"))
    if opened is None:
        raise SlackRefusal("not_found")
    if call.text("hash") and call.text("hash") != opened.view["hash"]:
        raise SlackRefusal("hash_conflict")
    view = checked_view(call.args.get("view"), surfaces=(as_text(opened.view["type"]),))
    replace_view(workspace, opened, view)
    return {"view": opened.view}


def replace_view(workspace: Workspace, opened: OpenView, view: JsonObject) -> None:
    """Put checked content into an open view and show it."""
    kept = {name: opened.view[name] for name in ("previous_view_id", "root_view_id")}
    state = {"state": opened.view["state"]}
    opened.view = {**full_view(workspace.scene, view, view_id=opened.view_id), **kept, **state}
    tell_view(workspace, "view_updated", opened)


async def publish_view(call: Call) -> JsonObject:
    """views.publish."""
    workspace = call.workspace
    user = call.needed("user_id")
    if user not in workspace.directory.people:
        raise SlackRefusal("invalid_user_id")
    view = checked_view(call.args.get("view"), surfaces=("home",))
    current = workspace.views.homes.get(user)
    if call.text("hash") and current is not None and call.text("hash") != current.view["hash"]:
        raise SlackRefusal("hash_conflict")
    identity = current.view_id if current is not None else None
    opened = workspace.views.publish(user, full_view(workspace.scene, view, view_id=identity))
    tell_view(workspace, "home_updated", opened)
    return {"view": opened.view}


METHODS: Methods = {
    "views.open": Method(handler=open_view, tier=4),
    "views.push": Method(handler=push_view, tier=4),
    "views.update": Method(handler=update_view, tier=4),
    "views.publish": Method(handler=publish_view, tier=4),
}
