"""The calls to Slack that delivery makes, each with its operation id, each error translated.

Above: what should be seen. Below: the official client, which never retries a write by itself.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import aiohttp

from bot.delivery.calls import call
from bot.delivery.errors import CLIENT_ERRORS, NotNow, Refused, translated
from bot.delivery.paced_client import PacedClient
from bot.delivery.shared_pace import SharedPace
from bot.render.content import Content
from runtime.session.ids import SessionKey

EVENT_TYPE = "handrail"
REPLIES_PAGE = 200
PAGES = 10
UPLOAD_SECONDS = 120
LOOKED_BACK = 50
"""Messages of a direct conversation that are searched for one of ours after a crash."""
OUTSIDE = frozenset({"user_not_in_channel", "not_in_channel", "channel_not_found"})
"""Why nothing can be shown to one person in a channel."""


def operation(op: str) -> dict[str, Any]:
    """The metadata by which a message is found again."""
    return {"event_type": EVENT_TYPE, "event_payload": {"op": op}}


def with_operation(messages: Iterable[Mapping[str, Any]], op: str) -> str:
    """The `ts` of the message that carries an operation id; empty when none does."""
    return next((str(message["ts"]) for message in messages if carries(message, op)), "")


def carries(message: Mapping[str, Any], op: str) -> bool:
    """Whether a message is an operation's: by its metadata or, of a stream, by its first task's id."""
    if message.get("metadata") == operation(op):
        return True
    blocks: Iterable[Mapping[str, Any]] = message.get("blocks") or ()
    tasks = (task for block in blocks if block.get("type") == "plan" for task in block.get("tasks") or ())
    return any(task.get("task_id") == op for task in tasks)


@dataclass(frozen=True, slots=True, kw_only=True)
class SlackApi:
    """Slack's Web API as delivery needs it. Every method raises a `DeliveryError` when Slack did not accept."""

    client: PacedClient
    http: aiohttp.ClientSession

    @property
    def pace(self) -> SharedPace:
        """The client's own, to ask whether a call could be made at once."""
        return self.client.pace

    def under(self, may_act: Callable[[], bool]) -> Self:
        """The same for whoever holds a lease: each method then also raises `NotOurs`."""
        return replace(self, client=self.client.under(may_act))

    async def post(self, key: SessionKey, op: str, content: Content) -> str:
        """Create a message in the thread; its `ts`."""
        reply = await call(
            self.client,
            "chat_postMessage",
            channel=key.channel,
            thread_ts=key.thread_ts,
            text=content.text,
            blocks=list(content.blocks),
            metadata=operation(op),
            unfurl_links=False,
            unfurl_media=False,
        )
        return str(reply["ts"])

    async def update(self, key: SessionKey, ts: str, op: str, content: Content) -> None:
        """Bring a message to another content; repeating it changes nothing."""
        await call(
            self.client,
            "chat_update",
            channel=key.channel,
            ts=ts,
            text=content.text,
            blocks=list(content.blocks),
            metadata=operation(op),
        )

    async def whisper(self, key: SessionKey, user: str, op: str, text: str, *, is_begun: bool) -> None:
        """Tell one person something privately: in the thread, or directly where they are not in the channel.

        `is_begun`: it may have been sent before a crash, so a direct message is looked for before it is sent.
        """
        try:
            await call(
                self.client, "chat_postEphemeral", channel=key.channel, thread_ts=key.thread_ts, user=user, text=text
            )
        except Refused as error:
            if str(error) not in OUTSIDE:
                raise
            opened = await call(self.client, "conversations_open", users=user)
            channel = str(opened["channel"]["id"])
            if not is_begun or not await self.find_direct(channel, op):
                await call(self.client, "chat_postMessage", channel=channel, text=text, metadata=operation(op))

    async def find_direct(self, channel: str, op: str) -> str:
        """The `ts` of the message with this operation id in a direct conversation; empty when there is none."""
        reply = await call(
            self.client, "conversations_history", channel=channel, limit=LOOKED_BACK, include_all_metadata=True
        )
        return with_operation(reply["messages"], op)

    async def find(self, key: SessionKey, op: str) -> str:
        """The `ts` of the message with this operation id in the thread; empty when there is none."""
        where: dict[str, str] = {"channel": key.channel, "ts": key.thread_ts}
        for _ in range(PAGES):
            reply = await call(
                self.client, "conversations_replies", limit=REPLIES_PAGE, include_all_metadata=True, **where
            )
            ts = with_operation(reply["messages"], op)
            more: Mapping[str, str] = reply.get("response_metadata") or {}
            if ts or not more.get("next_cursor"):
                return ts
            where["cursor"] = more["next_cursor"]
        return ""

    async def prepare_upload(self, name: str, data: bytes) -> str:
        """Send a file's bytes; its id. Nobody sees it until `complete_upload`."""
        ticket = await call(self.client, "files_getUploadURLExternal", filename=name, length=len(data))
        timeout = aiohttp.ClientTimeout(total=UPLOAD_SECONDS)
        try:
            async with self.http.post(str(ticket["upload_url"]), data=data, timeout=timeout) as answer:
                if answer.status != 200:
                    raise NotNow(f"upload answered HTTP {answer.status}")
        except CLIENT_ERRORS as error:
            raise translated(error) from error
        return str(ticket["file_id"])

    async def complete_upload(self, key: SessionKey, file_id: str, title: str) -> None:
        """Share an uploaded file in the thread."""
        files = [{"id": file_id, "title": title}]
        await call(
            self.client,
            "files_completeUploadExternal",
            files=files,
            channel_id=key.channel,
            thread_ts=key.thread_ts,
        )

    async def is_shared(self, file_id: str) -> bool:
        """Whether a file was shared anywhere; a file that is unknown was not."""
        try:
            reply = await call(self.client, "files_info", file=file_id)
        except Refused:
            return False
        shares: Mapping[str, Any] = reply["file"].get("shares") or {}
        return any(shares.values()) or bool(reply["file"].get("channels"))
