"""Slack as a place to read in, for the person who asked: what they may see, and no more than their readers may see.

Decided anew at each call. A public channel may be read by every full member of the workspace, and its content quoted
wherever no other organisation reads along; guests of the channel that is asked in read the answer like everybody there.
Anything else may be read only by who is in it, and only where nobody else reads the answer: in that conversation
itself, or in direct messages with the bot.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from bot.delivery.calls import call
from bot.delivery.errors import DeliveryError
from bot.delivery.incoming import Incoming
from runtime.session.ids import SessionKey
from tools.context import Said
from tools.errors import ToolRefused

MEMBERS_PAGE = 200
PAGES = 50
PAGE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class SlackReading:
    """Implements `tools.context.Conversations` for one person in one session."""

    client: AsyncWebClient
    incoming: Incoming
    session_id: str
    person: str

    async def read(self, channel: str, thread_ts: str, limit: int) -> Sequence[Said]:
        """The newest messages; see the port."""
        here = SessionKey.parse(self.session_id).channel
        channel = channel or here
        try:
            await self.check(channel, here)
            if thread_ts:
                messages = await self.thread(channel, thread_ts)
            else:
                reply = await call(self.client, "conversations_history", channel=channel, limit=limit)
                messages = list(reversed(reply["messages"]))
        except DeliveryError as error:
            raise ToolRefused(
                f"Slack does not show {channel} ({error}). Handrail reads only where it was invited."
            ) from error
        return [await self.said(message) for message in messages[-limit:]]

    async def thread(self, channel: str, thread_ts: str) -> list[dict[str, Any]]:
        """A thread's messages, oldest first, at most some thousand of them."""
        found: list[dict[str, Any]] = []
        cursor = ""
        for _ in range(PAGES):
            more = {"cursor": cursor} if cursor else {}
            reply = await call(self.client, "conversations_replies", channel=channel, ts=thread_ts, limit=PAGE, **more)
            # Each page begins with the thread's first message.
            found += [one for one in reply["messages"] if not found or one["ts"] != found[0]["ts"]]
            cursor = next_page(reply)
            if not cursor:
                break
        return found

    async def check(self, channel: str, here: str) -> None:
        """Whether the person may see a conversation, and have it quoted here.

        Raises:
            ToolRefused: they may not.
            DeliveryError: Slack does not say.
        """
        if channel == here:
            return
        if channel.startswith("D"):
            raise ToolRefused("Direct messages are read only from themselves.")
        info: dict[str, Any] = (await call(self.client, "conversations_info", channel=channel))["channel"]
        is_direct = here.startswith("D")
        if not is_direct and await self.is_shared(here):
            raise ToolRefused(
                "This channel is shared with another organisation, whose people would read the answer. Other "
                "conversations can be read from direct messages between the person and Handrail."
            )
        is_open = not any(info.get(key) for key in ("is_private", "is_group", "is_im", "is_mpim"))
        if is_open and await self.incoming.standing(self.person) == "member":
            return
        if not await self.is_in(channel):
            raise ToolRefused("The person who asked is not in that conversation, so it is not read for them.")
        if not is_open and not is_direct:
            raise ToolRefused(
                "That conversation is private, and others may read the answer here. It can be read from within it, or "
                "from direct messages between the person and Handrail."
            )

    async def is_shared(self, channel: str) -> bool:
        """Whether people of other organisations are in a channel, or may accept to be."""
        info: dict[str, Any] = (await call(self.client, "conversations_info", channel=channel))["channel"]
        return any(info.get(key) for key in ("is_ext_shared", "is_pending_ext_shared"))

    async def is_in(self, channel: str) -> bool:
        """Whether the person is a member now."""
        cursor = ""
        for _ in range(PAGES):
            more = {"cursor": cursor} if cursor else {}
            reply = await call(self.client, "conversations_members", channel=channel, limit=MEMBERS_PAGE, **more)
            if self.person in reply["members"]:
                return True
            cursor = next_page(reply)
            if not cursor:
                break
        return False

    async def said(self, message: dict[str, Any]) -> Said:
        """One message with its author's name."""
        quoted = await self.incoming.quoted(message)
        replies = message.get("reply_count")
        more = f" [{replies} replies; thread {message['ts']}]" if replies else ""
        return Said(speaker=quoted.speaker, ts=quoted.ts, text=quoted.text + more)


def next_page(reply: Mapping[str, Any]) -> str:
    """Where a list goes on; empty at its end."""
    more: Mapping[str, Any] = reply.get("response_metadata") or {}
    return str(more.get("next_cursor") or "")
