"""People of the local Slack: what they see and what they do."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

import aiohttp

from tests.waiting import BOUND, wait_until


class SlackRefused(Exception):
    """The page's request was refused; the text is the error word, for example `no_connection`."""


class Desk(Protocol):
    """What a person needs of the local Slack: its address and the page's API."""

    http: aiohttp.ClientSession
    url: str

    async def page(self, verb: str, path: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """One request to the page's API."""
        ...


def as_dicts(value: object) -> list[dict[str, Any]]:
    """The objects of a JSON array; empty when it is none."""
    return cast("list[dict[str, Any]]", value) if isinstance(value, list) else []


def texts_in(value: object) -> list[str]:
    """Every text anywhere in blocks, in their order."""
    if isinstance(value, str):
        return []
    if isinstance(value, list):
        return [text for item in cast("list[object]", value) for text in texts_in(item)]
    if not isinstance(value, dict):
        return []
    found: list[str] = []
    for key, item in cast("dict[str, object]", value).items():
        found += [item] if key in {"text", "title"} and isinstance(item, str) else texts_in(item)
    return found


def elements_in(value: object) -> list[dict[str, Any]]:
    """Every interactive element anywhere in blocks, each with the id of its block."""
    found: list[dict[str, Any]] = []
    for block in as_dicts(value):
        inside = [*as_dicts(block.get("elements")), *as_dicts(block.get("actions"))]
        inside += [cast("dict[str, Any]", block[name]) for name in ("accessory", "element") if block.get(name)]
        found += [{**item, "block_id": block.get("block_id", "")} for item in inside if item.get("action_id")]
        found += elements_in(block.get("children"))
    return found


def label(element: Mapping[str, Any]) -> str:
    """The text on a button."""
    text: dict[str, Any] = element.get("text") or {}
    return str(text.get("text", ""))


@dataclass(frozen=True, slots=True, kw_only=True)
class SlackMessage:
    """A message as a person sees it. `raw` is Slack's own object."""

    channel: str
    raw: dict[str, Any]

    @property
    def ts(self) -> str:
        """Its timestamp, which is its id."""
        return str(self.raw["ts"])

    @property
    def thread_ts(self) -> str:
        """The root of its thread; its own timestamp when it is a root."""
        return str(self.raw.get("thread_ts") or self.raw["ts"])

    @property
    def user(self) -> str:
        """Who wrote it."""
        return str(self.raw.get("user"))

    @property
    def text(self) -> str:
        """Its plain text, as notifications show it."""
        return str(self.raw.get("text", ""))

    @property
    def blocks(self) -> list[dict[str, Any]]:
        """Its blocks."""
        return as_dicts(self.raw.get("blocks"))

    @property
    def words(self) -> str:
        """Everything readable in its blocks, or its text when it has none."""
        return "\n".join(texts_in(self.blocks)) or self.text

    @property
    def files(self) -> list[dict[str, Any]]:
        """Its files."""
        return as_dicts(self.raw.get("files"))

    @property
    def reactions(self) -> dict[str, list[str]]:
        """Who reacted, by name of the reaction."""
        return {str(item["name"]): list(item["users"]) for item in as_dicts(self.raw.get("reactions"))}

    @property
    def is_ephemeral(self) -> bool:
        """Whether only one person sees it."""
        return bool(self.raw.get("ephemeral"))

    @property
    def elements(self) -> list[dict[str, Any]]:
        """Its buttons, selects and inputs."""
        return elements_in(self.blocks)

    def element(self, name: str) -> dict[str, Any] | None:
        """The element with this action_id, this text, or an action_id that starts so."""
        exact = [item for item in self.elements if item["action_id"] == name]
        named = [item for item in self.elements if label(item) == name]
        begun = [item for item in self.elements if str(item["action_id"]).startswith(name)]
        return next(iter([*exact, *named, *begun]), None)

    def has_button(self, name: str) -> bool:
        """Whether it has such an element."""
        return self.element(name) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """An open modal or a Home tab."""

    raw: dict[str, Any]

    @property
    def view_id(self) -> str:
        """Its id."""
        return str(self.raw["id"])

    @property
    def words(self) -> str:
        """Everything readable in it."""
        return "\n".join(texts_in([self.raw.get("title"), self.raw["blocks"]]))

    @property
    def elements(self) -> list[dict[str, Any]]:
        """Its buttons, selects and inputs."""
        return elements_in(self.raw["blocks"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody at the page. Every act raises SlackRefused when Slack refuses it."""

    slack: Desk
    user: str

    @property
    def direct(self) -> str:
        """Their direct messages with the bot."""
        return "D" + self.user[1:]

    async def do(self, path: str, **arguments: object) -> dict[str, Any]:
        """One act at the page's API."""
        given = {key: value for key, value in arguments.items() if value is not None}
        return await self.slack.page("POST", path, {"user": self.user, **given})

    async def send(
        self, channel: str, text: str, thread_ts: str | None = None, *, file_ids: Sequence[str] = ()
    ) -> SlackMessage:
        """Send a message, in Slack's own text (`<@U…>` mentions)."""
        body = await self.do("send", channel=channel, text=text, thread_ts=thread_ts, file_ids=list(file_ids))
        return SlackMessage(channel=channel, raw=body["message"])

    async def upload(self, name: str, content: bytes) -> str:
        """Choose a file; the id is for `file_ids` of the message that shows it."""
        form = aiohttp.FormData()
        form.add_field("user", self.user)
        form.add_field("file", io.BytesIO(content), filename=name)
        async with self.slack.http.post(f"{self.slack.url}/_local/api/upload", data=form) as response:
            body: dict[str, Any] = await response.json()
        return str(body["file_id"])

    async def download(self, file: Mapping[str, Any]) -> bytes:
        """The bytes of a file of a message."""
        async with self.slack.http.get(str(file["url_private"]), params={"user": self.user}) as response:
            return await response.read()

    async def edit(self, message: SlackMessage, text: str) -> None:
        """Edit their own message."""
        await self.do("edit", channel=message.channel, ts=message.ts, text=text)

    async def delete(self, message: SlackMessage) -> None:
        """Delete their own message."""
        await self.do("delete", channel=message.channel, ts=message.ts)

    async def react(self, message: SlackMessage, name: str, *, remove: bool = False) -> None:
        """Add or remove a reaction."""
        await self.do("react", channel=message.channel, ts=message.ts, name=name, remove=remove)

    async def click(
        self, message: SlackMessage, name: str, *, state: Mapping[str, Any] | None = None, **chosen: object
    ) -> None:
        """Use an element, named by action_id, text, or start of the action_id; `chosen` is what was selected."""
        element = message.element(name)
        assert element is not None, f"no element {name!r} in {[(item['action_id']) for item in message.elements]}"
        action = {key: element[key] for key in ("type", "action_id", "block_id", "value") if key in element} | chosen
        await self.do(
            "action", channel=message.channel, message_ts=message.ts, action=action, state={"values": dict(state or {})}
        )

    async def views(self) -> list[View]:
        """Their open modals, topmost last."""
        body = await self.slack.page("GET", "state", {"user": self.user})
        return [View(raw=raw) for raw in as_dicts(body["views"])]

    async def wait_view(self, description: str, *, within: float = BOUND, showing: str = "") -> View:
        """The topmost modal, once one is open; with `showing`, once it has an element of this action_id."""

        async def topmost() -> View | None:
            opened = await self.views()
            is_it = opened and (not showing or any(e["action_id"] == showing for e in opened[-1].elements))
            return opened[-1] if is_it else None

        return await wait_until(description, topmost, within=within)

    async def click_in_view(self, view: View, action_id: str, **chosen: object) -> None:
        """Use an element of a modal or Home tab."""
        element = next(item for item in view.elements if item["action_id"] == action_id)
        action = {key: element[key] for key in ("type", "action_id", "block_id", "value") if key in element} | chosen
        await self.do("action", view_id=view.view_id, action=action)

    async def submit_view(self, view: View, entries: Mapping[str, object]) -> dict[str, Any]:
        """Submit a modal. `entries` by action_id: text for inputs, the option's value for selects.

        The answer has `closed`, and `errors` by block id when it was refused.
        """
        values: dict[str, dict[str, Any]] = {}
        for element in view.elements:
            action_id = str(element["action_id"])
            if action_id in entries:
                entered = entered_value(element, entries[action_id])
                values.setdefault(str(element["block_id"]), {})[action_id] = {"type": element["type"], **entered}
        return await self.do("view_submit", view_id=view.view_id, state={"values": values})

    async def close_view(self, view: View) -> None:
        """Close a modal."""
        await self.do("view_close", view_id=view.view_id)

    async def home(self) -> View | None:
        """Open the Home tab and see what is there now."""
        view = (await self.slack.page("GET", "home", {"user": self.user}))["view"]
        return View(raw=view) if view else None

    async def open_messages(self) -> None:
        """Open the app's Messages tab."""
        await self.do("opened", tab="messages")

    async def slash(self, channel: str, command: str, text: str = "") -> None:
        """Type a slash command."""
        await self.do("slash", channel=channel, command=command, text=text)

    async def shortcut(self, callback_id: str, message: SlackMessage | None = None) -> None:
        """Use a shortcut, of a message or global."""
        channel, ts = (message.channel, message.ts) if message else (None, None)
        await self.do("shortcut", callback_id=callback_id, channel=channel, message_ts=ts)

    async def stop(self, channel: str, thread_ts: str) -> None:
        """Press Slack's own Stop on a thread."""
        await self.do("stop", channel=channel, thread_ts=thread_ts)


def entered_value(element: Mapping[str, Any], entry: object) -> dict[str, Any]:
    """What an entry of `submit_view` means for an element."""
    if isinstance(entry, dict):
        return cast("dict[str, Any]", entry)
    kind = str(element["type"])
    if kind.endswith("_input"):
        return {"value": entry}
    if kind in {"static_select", "radio_buttons", "external_select"}:
        option = next((item for item in as_dicts(element.get("options")) if item["value"] == entry), {"value": entry})
        return {"selected_option": option}
    if kind in {"checkboxes", "multi_static_select"}:
        wanted = cast("Sequence[str]", entry)
        return {"selected_options": [item for item in as_dicts(element.get("options")) if item["value"] in wanted]}
    return {{"datepicker": "selected_date", "users_select": "selected_user"}.get(kind, "value"): entry}
