"""One call of a Web API method, and the readers for its arguments."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from bot.localslack import limits
from bot.localslack.errors import SlackRefusal, refused_arguments
from bot.localslack.messages import TIMESTAMP
from bot.localslack.values import JsonObject, as_flag, as_int, as_text
from bot.localslack.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A method call with its arguments as sent (JSON values, or text from query and form)."""

    workspace: Workspace
    method: str
    args: JsonObject

    def text(self, name: str) -> str:
        """A text argument; empty when absent."""
        value = self.args.get(name)
        return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else as_text(value)

    def needed(self, name: str, error: str = "") -> str:
        """A text argument that must be there. Raises SlackRefusal (`invalid_arguments` by default)."""
        value = self.text(name)
        if value:
            return value
        raise SlackRefusal(error) if error else refused_arguments(f"missing required field: {name}")

    def flag(self, name: str) -> bool:
        """A boolean argument; absent is no."""
        return as_flag(self.args.get(name))

    def number(self, name: str, default: int) -> int:
        """A whole number argument."""
        return as_int(self.args.get(name), default)

    def channel(self, name: str = "channel") -> str:
        """The conversation of the call. Raises SlackRefusal channel_not_found."""
        channel = self.workspace.directory.find_channel(self.text(name))
        if channel is None:
            raise SlackRefusal("channel_not_found")
        private = channel in self.workspace.directory.channels and self.workspace.directory.channels[channel].is_private
        if private and not self.workspace.directory.bot_in(channel):
            raise SlackRefusal("channel_not_found")
        return channel

    def joined_channel(self, name: str = "channel") -> str:
        """The conversation of the call, of which the bot is a member. Raises SlackRefusal not_in_channel."""
        channel = self.channel(name)
        if not self.workspace.directory.bot_in(channel):
            raise SlackRefusal("not_in_channel")
        return channel

    def message(self, channel: str, name: str = "ts") -> JsonObject:
        """The message the call names. Raises SlackRefusal message_not_found."""
        message = self.workspace.log.get(channel, self.text(name))
        if message is None or message.get("subtype") == "tombstone":
            raise SlackRefusal("message_not_found")
        return message

    def thread(self, channel: str) -> str | None:
        """The root that the call replies to. Raises SlackRefusal: invalid_thread_ts, thread_not_found."""
        thread_ts = self.text("thread_ts")
        if not thread_ts:
            return None
        if not TIMESTAMP.match(thread_ts):
            raise SlackRefusal("invalid_thread_ts")
        root = self.workspace.log.get(channel, thread_ts)
        if root is None:
            raise SlackRefusal("thread_not_found")
        if root.get("thread_ts") not in {None, thread_ts}:
            raise SlackRefusal("cannot_reply_to_message")
        return thread_ts

    def page(self, items: list[JsonObject], default: int = limits.DEFAULT_PAGE) -> tuple[list[JsonObject], str]:
        """One page of a list and the cursor of the next; raises SlackRefusal invalid_cursor."""
        cursor = self.text("cursor")
        if cursor and not cursor.startswith("page:"):
            raise SlackRefusal("invalid_cursor")
        start = as_int(cursor.removeprefix("page:").rstrip("="), 0)
        size = max(1, min(self.number("limit", default), self.workspace.settings.page_size_limit))
        following = f"page:{start + size}=" if len(items) > start + size else ""
        return items[start : start + size], following


Handler = Callable[[Call], Awaitable[JsonObject]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """A Web API method: what it does, the scope it needs, its rate tier and who may call it."""

    handler: Handler
    scope: str | tuple[str, ...] = ()
    tier: int = 3
    access: Literal["bot", "app", "any", "none"] = "bot"

    @property
    def scopes(self) -> tuple[str, ...]:
        """The scopes of which one is enough; empty when none is needed."""
        return ((self.scope,) if self.scope else ()) if isinstance(self.scope, str) else self.scope


Methods = Mapping[str, Method]
