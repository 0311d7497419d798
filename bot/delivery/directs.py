"""Direct messages to approvers who are not in the channel: the card itself with a link, kept in line with it, once."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.delivery.calls import call
from bot.delivery.errors import DeliveryError, NotNow, Refused, TooBig
from bot.delivery.outbox import Direct
from bot.delivery.slack_api import SlackApi, operation
from bot.render.people import linked
from runtime.session.events import PostDone, PostStarted
from runtime.session.ids import SessionKey
from runtime.session.writer import SessionWriter

log = logging.getLogger(__name__)

IN_CHANNEL = "in the channel"
MEMBERS_PAGE = 1_000
PAGES = 5


@dataclass(slots=True, kw_only=True)
class Directs:
    """Direct messages of one session under one lease."""

    api: SlackApi
    session: SessionWriter
    key: SessionKey
    members: frozenset[str] | None = None

    async def bring(self, item: Direct) -> None:
        """Send it, or show in it that the card is decided.

        Raises:
            NotNow: it could not be done now.
        """
        card = self.session.state.posts.get(item.about)
        if card is None or card.done is None or not card.done.ts:
            return
        post = self.session.state.posts.get(item.op)
        try:
            if post is None or post.done is None:
                await self.create(item, card.done.ts, is_begun=post is not None)
            elif post.done.ts and post.done.digest != item.content.digest:
                await self.renew(item, card.done.ts, post.done)
        except (Refused, TooBig) as error:
            log.info("direct message to %s: %s", item.to, error)
            await self.session.commit(PostDone(op=item.op, problem=str(error)))

    async def create(self, item: Direct, card_ts: str, *, is_begun: bool) -> None:
        """Intent, look-up where an intent was left behind, effect, record."""
        if item.final:
            return
        if not is_begun and item.to in await self.in_channel():
            await self.session.commit(PostDone(op=item.op, problem=IN_CHANNEL))
            return
        if not is_begun:
            await self.session.commit(PostStarted(op=item.op))
        channel = await self.conversation(item.to)
        ts = await self.api.find_direct(channel, item.op) if is_begun else ""
        content = linked(item.content, await self.link(card_ts))
        if not ts:
            sent = await call(
                self.api.client,
                "chat_postMessage",
                channel=channel,
                text=content.text,
                blocks=list(content.blocks),
                metadata=operation(item.op),
                unfurl_links=False,
                unfurl_media=False,
            )
            ts = str(sent["ts"])
        await self.session.commit(PostDone(op=item.op, ts=ts, digest=item.content.digest))

    async def renew(self, item: Direct, card_ts: str, done: PostDone) -> None:
        """The card has changed: another vote, or decided, so that nobody should open it for nothing."""
        content = item.content if item.final else linked(item.content, await self.link(card_ts))
        channel = await self.conversation(item.to)
        await call(
            self.api.client,
            "chat_update",
            channel=channel,
            ts=done.ts,
            text=content.text,
            blocks=list(content.blocks),
            metadata=operation(item.op),
        )
        await self.session.commit(PostDone(op=item.op, ts=done.ts, digest=item.content.digest))

    async def conversation(self, user: str) -> str:
        """The direct conversation with somebody."""
        opened = await call(self.api.client, "conversations_open", users=user)
        return str(opened["channel"]["id"])

    async def link(self, ts: str) -> str:
        """A link to the card."""
        found = await call(self.api.client, "chat_getPermalink", channel=self.key.channel, message_ts=ts)
        return str(found["permalink"])

    async def in_channel(self) -> frozenset[str]:
        """Who sees the card anyway; nobody is known to where Slack does not say."""
        if self.members is None:
            try:
                self.members = frozenset(await self.listed())
            except NotNow:
                raise
            except DeliveryError as error:
                log.info("conversations.members of %s: %s", self.key.channel, error)
                self.members = frozenset()
        return self.members

    async def listed(self) -> list[str]:
        """The channel's members, as far as a few pages go."""
        found: list[str] = []
        cursor = ""
        for _ in range(PAGES):
            more = {"cursor": cursor} if cursor else {}
            page = await call(
                self.api.client, "conversations_members", channel=self.key.channel, limit=MEMBERS_PAGE, **more
            )
            found += map(str, page["members"])
            rest: Mapping[str, Any] = page.get("response_metadata") or {}
            cursor = str(rest.get("next_cursor") or "")
            if not cursor:
                break
        return found
