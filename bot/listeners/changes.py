"""Events beside new messages -> commands: edits, deletions, a stop by reaction, Slack's own Stop. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.listeners.messages import without_mention
from runtime.session.entries import ChangedEntry, StopEntry
from runtime.session.ids import SessionKey

STOP_SIGNS = frozenset({"octagonal_sign", "stop_sign"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensed:
    """What happened, to which message of which channel, by whom."""

    channel: str
    ts: str
    thread_ts: str
    """Empty where the event does not say."""
    user: str
    entry: ChangedEntry | StopEntry

    @property
    def is_native(self) -> bool:
        """Whether it is Slack's own Stop."""
        return isinstance(self.entry, StopEntry) and self.entry.how == "native"

    def key(self, team: str, thread_ts: str) -> SessionKey:
        """The session it concerns."""
        return SessionKey(team=team, channel=self.channel, thread_ts=thread_ts)


def sensed(event: Mapping[str, Any], bot_user: str) -> Sensed | None:
    """The command in an event; None where there is none."""
    match event.get("type"), event.get("subtype", ""):
        case "message", "message_changed":
            return edited(event, bot_user)
        case "message", "message_deleted":
            return deleted(event, bot_user)
        case "reaction_added", _:
            return reacted(event, bot_user)
        case "agent_session_stopped", _:
            return stopped(event)
        case _:
            return None


def edited(event: Mapping[str, Any], bot_user: str) -> Sensed | None:
    """A person changed the words; a link preview, a reaction or our own update is no edit."""
    message: Mapping[str, Any] = event.get("message") or {}
    before: Mapping[str, Any] = event.get("previous_message") or {}
    user, text = str(message.get("user") or ""), str(message.get("text", ""))
    is_ours = not user or user == bot_user or message.get("bot_id")
    if is_ours or not message.get("edited") or text == str(before.get("text", "")):
        return None
    if message.get("subtype") == "tombstone":
        return None
    words = without_mention(text, bot_user)
    # The same edit delivered again has the same id; a later edit has a later time.
    mark: Mapping[str, Any] = message["edited"]
    entry_id = f"edit:{message['ts']}:{mark.get('ts', event.get('ts', ''))}"
    entry = ChangedEntry(entry_id=entry_id, ts=str(message["ts"]), user=user, text=words)
    return told(event, message, user, entry)


def deleted(event: Mapping[str, Any], bot_user: str) -> Sensed | None:
    """A person took a message back."""
    message: Mapping[str, Any] = event.get("previous_message") or {}
    ts, user = str(event.get("deleted_ts") or message.get("ts") or ""), str(message.get("user") or "")
    if not ts or not user or user == bot_user or message.get("bot_id"):
        return None
    text = without_mention(str(message.get("text", "")), bot_user)
    return told(event, message, user, ChangedEntry(entry_id=f"gone:{ts}", ts=ts, user=user, text=text, deleted=True))


def told(event: Mapping[str, Any], message: Mapping[str, Any], user: str, entry: ChangedEntry) -> Sensed:
    """An edit or a deletion with its place."""
    thread_ts = str(message.get("thread_ts") or entry.ts)
    return Sensed(channel=str(event["channel"]), ts=entry.ts, thread_ts=thread_ts, user=user, entry=entry)


def reacted(event: Mapping[str, Any], bot_user: str) -> Sensed | None:
    """The stop sign on any message of the thread."""
    item: Mapping[str, Any] = event.get("item") or {}
    user = str(event.get("user") or "")
    if event.get("reaction") not in STOP_SIGNS or item.get("type") != "message" or user in {"", bot_user}:
        return None
    channel, ts, at = str(item["channel"]), str(item["ts"]), str(event["event_ts"])
    entry = StopEntry(entry_id=f"sign:{ts}:{user}:{at}", by=user, before_ts=at, how="reaction")
    return Sensed(channel=channel, ts=ts, thread_ts="", user=user, entry=entry)


def stopped(event: Mapping[str, Any]) -> Sensed | None:
    """Slack's own Stop button."""
    channel, thread_ts, user = (str(event.get(name) or "") for name in ("channel", "thread_ts", "user"))
    at = str(event.get("event_ts") or "")
    if not (channel and thread_ts and user and at):
        return None
    entry = StopEntry(entry_id=f"native:{thread_ts}:{at}", by=user, before_ts=at, how="native")
    return Sensed(channel=channel, ts=thread_ts, thread_ts=thread_ts, user=user, entry=entry)
