"""A message event of Slack -> what it asks of a session. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from runtime.session.entries import MessageEntry, StopEntry
from runtime.session.events import Attachment
from runtime.session.ids import SessionKey
from runtime.session.verbosity import Verbosity

SUBTYPES = frozenset({"", "file_share", "thread_broadcast"})
"""Message events that a person wrote; every other subtype is noise here."""
OTHER_PERSON = re.compile(r"\s*(<@[UW][A-Z0-9]+(\|[^>]*)?>|<!subteam\^[^>]+>)")
STOP_WORDS = frozenset({"stop", "cancel"})
CHOICES: Final[tuple[tuple[re.Pattern[str], Verbosity], ...]] = (
    (re.compile(r"(be )?quiet( please)?"), "quiet"),
    (re.compile(r"(show |tell me )?every step( please)?"), "steps"),
    (re.compile(r"(show |tell me )?every (tool )?call( please)?"), "all"),
)
"""What a message says, alone, to choose how much is said: nothing that a task would say."""
FILES = 10
"""Attachments of one message that are looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What a person said, where."""

    key: SessionKey
    ts: str
    user: str
    channel: str
    text: str
    mentions_bot: bool
    is_direct: bool
    in_thread: bool
    is_addressed: bool
    """Told by an event that comes once and only for what is said to the bot: a mention or a direct message."""
    files: tuple[Attachment, ...]
    is_bot: bool = False

    @property
    def is_for_somebody_else(self) -> bool:
        """It begins by mentioning another person, and the bot nowhere: people talk among themselves."""
        return not self.mentions_bot and not self.is_direct and bool(OTHER_PERSON.match(self.text))

    @property
    def is_stop(self) -> bool:
        """The word alone; "if it fails, stop and tell me" is not a stop."""
        return not self.files and self.text.strip(" \t\n.!").casefold() in STOP_WORDS

    @property
    def chooses(self) -> Verbosity | None:
        """How much the person wants to be told in this thread, where the message says only that."""
        words = "" if self.files else " ".join(self.text.strip(" \t\n.!").casefold().split())
        return next((verbosity for pattern, verbosity in CHOICES if pattern.fullmatch(words)), None)

    def message(self) -> MessageEntry:
        """As an inbox entry. Slack's two events of one mention have the same id."""
        return MessageEntry(
            entry_id=f"m:{self.ts}",
            ts=self.ts,
            user=self.user,
            text=self.text,
            mentions_bot=self.mentions_bot,
            attachments=self.files,
            chooses=self.chooses,
        )

    def stop(self) -> StopEntry:
        """As an inbox entry that ends what was asked for before."""
        return StopEntry(entry_id=f"stop:{self.ts}", by=self.user, before_ts=self.ts, how="word")


def without_mention(text: str, bot_user: str) -> str:
    """The words to the bot without its name before them."""
    mention = f"<@{bot_user}>"
    return re.sub(rf"^\s*{re.escape(mention)}\s*", "", text).replace(mention, "@you").strip()


def attachment(file: Mapping[str, Any]) -> Attachment:
    """A file as Slack describes it."""
    return Attachment(
        file_id=str(file.get("id", "")),
        name=str(file.get("name") or file.get("title") or "file"),
        mimetype=str(file.get("mimetype") or ""),
        size=int(file.get("size") or 0),
        url=str(file.get("url_private_download") or file.get("url_private") or ""),
    )


def speaker_of(event: Mapping[str, Any], bots: frozenset[str]) -> str:
    """Who spoke, by id: a person, or one of the bots that are heard; empty for anybody else."""
    user, bot = str(event.get("user") or ""), str(event.get("bot_id") or "")
    if not bot:
        return user if event.get("subtype", "") in SUBTYPES else ""
    known = [name for name in (user, bot) if name in bots]
    return known[0] if known and event.get("subtype", "") in SUBTYPES | {"bot_message"} else ""


def heard(event: Mapping[str, Any], team: str, bot_user: str, bots: frozenset[str] = frozenset()) -> Heard | None:
    """The message in an event; None for what nobody said who is answered."""
    if event.get("type") not in {"message", "app_mention"}:
        return None
    user = speaker_of(event, bots)
    if not user or user == bot_user or event.get("edited"):
        return None
    channel, ts = str(event["channel"]), str(event["ts"])
    mention = f"<@{bot_user}>"
    text = str(event.get("text", ""))
    is_direct = event.get("channel_type") == "im" or channel.startswith("D")
    return Heard(
        key=SessionKey(team=team, channel=channel, thread_ts=str(event.get("thread_ts") or ts)),
        ts=ts,
        user=user,
        channel=channel,
        text=without_mention(text, bot_user),
        mentions_bot=mention in text or event["type"] == "app_mention",
        is_direct=is_direct,
        in_thread=bool(event.get("thread_ts")) and event.get("thread_ts") != ts,
        is_addressed=is_direct or event["type"] == "app_mention",
        files=tuple(attachment(file) for file in (event.get("files") or ())[:FILES]),
        is_bot=bool(event.get("bot_id")),
    )
