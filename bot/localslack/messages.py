"""The messages of every conversation: kept, found, threaded and listed as Slack lists them."""

import re

from bot.localslack.store import Store
from bot.localslack.values import JsonObject, as_list, as_text, epoch

TIMESTAMP = re.compile(r"^\d{9,12}\.\d{6}$")


class MessageLog:
    """Messages by channel and `ts`. Stored messages hold `file_ids`; everything derived is computed on reading."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.by_channel: dict[str, dict[str, JsonObject]] = {}
        self.threads: dict[tuple[str, str], dict[str, None]] = {}
        self.last_micros = 0
        for key, body in store.all("message"):
            channel, ts = key.split(":", 1)
            self._index(channel, ts, body)
            self.last_micros = max(self.last_micros, int(ts.replace(".", "")))

    def next_ts(self) -> str:
        """A fresh timestamp: the time in seconds with six decimals, unique and rising in the whole workspace."""
        self.last_micros = max(self.last_micros + 1, int(epoch() * 1_000_000))
        return f"{self.last_micros // 1_000_000}.{self.last_micros % 1_000_000:06d}"

    def get(self, channel: str, ts: str) -> JsonObject | None:
        """The stored message, or None."""
        return self.by_channel.get(channel, {}).get(ts)

    def put(self, channel: str, message: JsonObject) -> None:
        """Store a new message or a new version of one."""
        ts = as_text(message["ts"])
        self._index(channel, ts, message)
        self.store.put("message", f"{channel}:{ts}", message)

    def drop(self, channel: str, ts: str) -> None:
        """Remove a message for good."""
        message = self.by_channel.get(channel, {}).pop(ts, {})
        self.threads.get((channel, as_text(message.get("thread_ts"))), {}).pop(ts, None)
        self.store.drop("message", f"{channel}:{ts}")

    def replies(self, channel: str, root_ts: str) -> list[JsonObject]:
        """The replies of a thread without its root, oldest first."""
        messages = self.by_channel.get(channel, {})
        return [messages[ts] for ts in self.threads.get((channel, root_ts), ())]

    def thread(self, channel: str, ts: str) -> list[JsonObject]:
        """Root and replies of the thread that the message belongs to; empty when there is no such message."""
        message = self.get(channel, ts)
        if message is None:
            return []
        root_ts = as_text(message.get("thread_ts")) or ts
        root = self.get(channel, root_ts)
        return ([root] if root else []) + self.replies(channel, root_ts)

    def roots(self, channel: str) -> list[JsonObject]:
        """What a channel shows: roots and broadcast replies, oldest first."""
        return [
            message
            for message in self.by_channel.get(channel, {}).values()
            if message.get("thread_ts") in {None, message["ts"]} or message.get("subtype") == "thread_broadcast"
        ]

    def everything(self, channel: str) -> list[JsonObject]:
        """Every message of a channel, oldest first."""
        return list(self.by_channel.get(channel, {}).values())

    def root_fields(self, channel: str, ts: str) -> JsonObject:
        """The fields a message gains by having replies; empty without replies."""
        replies = self.replies(channel, ts)
        if not replies:
            return {}
        people = list(dict.fromkeys(as_text(reply.get("user")) for reply in replies))
        return {
            "thread_ts": ts,
            "reply_count": len(replies),
            "reply_users_count": len(people),
            "latest_reply": replies[-1]["ts"],
            "reply_users": people[:5],
            "is_locked": False,
            "subscribed": True,
        }

    def _index(self, channel: str, ts: str, message: JsonObject) -> None:
        # Timestamps only rise, so insertion order is the order of time; a new version keeps its place.
        self.by_channel.setdefault(channel, {})[ts] = message
        root_ts = as_text(message.get("thread_ts"))
        if root_ts not in {"", ts}:
            self.threads.setdefault((channel, root_ts), {})[ts] = None


def react(message: JsonObject, name: str, user: str, *, add: bool) -> JsonObject | None:
    """The message with a reaction added or removed; None when it was there (or not there) already."""
    reactions: list[JsonObject] = [dict(item) for item in as_list(message.get("reactions"))]
    entry = next((item for item in reactions if item["name"] == name), None)
    users: list[str] = list(entry["users"]) if entry else []
    if (user in users) == add:
        return None
    users = [*users, user] if add else [other for other in users if other != user]
    changed: JsonObject = {"name": name, "users": users, "count": len(users)}
    others = [item for item in reactions if item["name"] != name]
    position = reactions.index(entry) if entry else len(reactions)
    merged = [*others[:position], *([changed] if users else []), *others[position:]]
    result = {key: value for key, value in message.items() if key != "reactions"}
    return {**result, "reactions": merged} if merged else result
