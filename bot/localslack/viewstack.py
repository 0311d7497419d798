"""Views: each person's stack of modals, and their Home tab."""

from dataclasses import dataclass

from bot.localslack.scene import Scene
from bot.localslack.store import Store
from bot.localslack.values import JsonObject, as_text, epoch, new_id, new_word


@dataclass(slots=True, kw_only=True)
class OpenView:
    """A view somebody has open. `view` has the shape Slack sends."""

    user: str
    view: JsonObject

    @property
    def view_id(self) -> str:
        """The id of the view."""
        return as_text(self.view["id"])


class ViewStacks:
    """Open modals per person (topmost last) and the published Home tabs. Home tabs survive a restart, modals do not."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.stacks: dict[str, list[OpenView]] = {}
        self.homes: dict[str, OpenView] = {user: OpenView(user=user, view=body) for user, body in store.all("home")}
        self.unseen_homes: set[str] = set()

    def stack(self, user: str) -> list[OpenView]:
        """The modals of a person, topmost last."""
        return self.stacks.setdefault(user, [])

    def find(self, view_id: str, external_id: str = "") -> OpenView | None:
        """The open modal or Home tab of an id or of an external id."""
        everything = [*self.homes.values(), *(view for stack in self.stacks.values() for view in stack)]
        for opened in everything:
            if view_id and opened.view_id == view_id:
                return opened
            if external_id and opened.view.get("external_id") == external_id:
                return opened
        return None

    def push(self, user: str, view: JsonObject) -> OpenView:
        """Put a modal on a person's stack."""
        stack = self.stack(user)
        previous = stack[-1].view_id if stack else None
        view = {**view, "previous_view_id": previous, "root_view_id": stack[0].view_id if stack else view["id"]}
        opened = OpenView(user=user, view=view)
        stack.append(opened)
        return opened

    def close(self, opened: OpenView) -> None:
        """Take a modal and everything above it off its stack."""
        stack = self.stack(opened.user)
        if opened in stack:
            del stack[stack.index(opened) :]

    def publish(self, user: str, view: JsonObject) -> OpenView:
        """Set a person's Home tab."""
        opened = OpenView(user=user, view=view)
        self.homes[user] = opened
        self.unseen_homes.add(user)
        self.store.put("home", user, view)
        return opened


def full_view(scene: Scene, given: JsonObject, *, view_id: str | None = None) -> JsonObject:
    """A checked view with the fields Slack adds."""
    identity = view_id or new_id("V0")
    return {
        "id": identity,
        "team_id": scene.team.id,
        "type": given["type"],
        "blocks": given["blocks"],
        "private_metadata": as_text(given.get("private_metadata")),
        "callback_id": as_text(given.get("callback_id")),
        "state": {"values": {}},
        "hash": f"{int(epoch())}.{new_word(8)}",
        "title": given.get("title") or {"type": "plain_text", "text": "View Title", "emoji": True},
        "clear_on_close": bool(given.get("clear_on_close")),
        "notify_on_close": bool(given.get("notify_on_close")),
        "close": given.get("close"),
        "submit": given.get("submit"),
        "previous_view_id": None,
        "root_view_id": identity,
        "app_id": scene.bot.app_id,
        "external_id": as_text(given.get("external_id")),
        "app_installed_team_id": scene.team.id,
        "bot_id": scene.bot.bot_id,
    }
