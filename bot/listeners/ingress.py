"""The global middleware: what a person said is in Redis before Slack gets its acknowledgement.

Bolt acknowledges an event before its listener runs, so recording cannot be a listener's work. What could not be
recorded is not acknowledged: Slack delivers it again.
"""

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from slack_bolt.response import BoltResponse
from slack_sdk.web.async_client import AsyncWebClient

from bot import texts
from bot.delivery.calls import call
from bot.delivery.errors import DeliveryError, Refused
from bot.listeners.access import Access, words_of
from bot.listeners.changes import Sensed, sensed
from bot.listeners.fairness import Fairness
from bot.listeners.messages import Heard, heard
from bot.listeners.once import Once
from bot.listeners.tasks import Tasks
from bot.render.limits import EYES
from runtime.session.commands import Commands
from runtime.session.entries import StopEntry
from runtime.store.errors import StoreError

log = logging.getLogger(__name__)

TOLD_FOR: Final = timedelta(minutes=10)
"""For so long a person who was told that a thread is full is not told again."""
Next = Callable[[], Awaitable[BoltResponse]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingress:
    """Events in, one command each."""

    client: AsyncWebClient
    commands: Commands
    access: Access
    tasks: Tasks
    bot_user: str
    follow_ups: bool
    bots: frozenset[str] = frozenset()
    """Other bots that are heard when they mention this one."""
    once: Once
    fairness: Fairness | None = None

    async def middleware(self, body: Mapping[str, Any], next_: Next) -> BoltResponse:
        """Record what a person said, then let Bolt go on."""
        if body.get("type") == "event_callback":
            try:
                await self.take(body)
            except (StoreError, DeliveryError) as error:
                log.warning("event %s not recorded, so not acknowledged: %s", body.get("event_id"), error)
                return BoltResponse(status=503, body="not recorded; deliver it again")
        return await next_()

    async def take(self, body: Mapping[str, Any]) -> None:
        """One event: a message to a session, a stop, or nothing."""
        event: Mapping[str, Any] = body.get("event", {})
        team = str(body.get("enterprise_id") or body.get("team_id") or event.get("team") or "")
        if (change := sensed(event, self.bot_user)) is not None:
            await self.follow(change, team)
            return
        said = heard(event, team, self.bot_user, self.bots)
        if said is None or said.is_for_somebody_else or not await self.concerns(said):
            return
        refusal = await self.access.refusal(said.user, said.channel)
        if refusal:
            await self.refuse(said, words_of(refusal))
        elif said.is_stop:
            await self.commands.stop(said.key, said.stop())
        elif words := await self.fairness.refusal(said) if self.fairness else "":
            await self.whisper_once(said, words)
        else:
            await self.submit(said)

    async def follow(self, change: Sensed, team: str) -> None:
        """An edit, a deletion or a stop, where it concerns a session; from anybody who is heard."""
        key = change.key(team, change.thread_ts or change.ts)
        # Slack's own Stop is pressed on our work only, whose request may come after it.
        if not (change.is_native or await self.commands.exists(key)):
            if change.thread_ts:
                return
            found = await self.message(change.channel, change.ts)
            key = change.key(team, str(found.get("thread_ts") or change.ts))
            is_early = isinstance(change.entry, StopEntry) and self.mentions_us(found)
            if not (is_early or await self.commands.exists(key)):
                return
        if not await self.access.refusal(change.user, change.channel):
            await self.commands.push(key, change.entry)

    async def message(self, channel: str, ts: str) -> Mapping[str, Any]:
        """A message of which only the moment is known; empty where Slack does not show it."""
        try:
            found = await call(self.client, "conversations_replies", channel=channel, ts=ts, limit=1)
        except Refused:
            return {}
        messages: list[Mapping[str, Any]] = found["messages"]
        return messages[0] if messages else {}

    def mentions_us(self, message: Mapping[str, Any]) -> bool:
        """Whether a message calls the agent."""
        return f"<@{self.bot_user}>" in str(message.get("text", ""))

    async def concerns(self, said: Heard) -> bool:
        """Whether it is for the agent: a mention, a direct message, a reply or a stop where it was called."""
        if said.mentions_bot or said.is_direct or said.is_bot:
            return said.mentions_bot or not said.is_bot
        if not said.in_thread or not (self.follow_ups or said.is_stop):
            return False
        if await self.commands.exists(said.key):
            return True
        # The request that it stops may come after it.
        return said.is_stop and self.mentions_us(await self.message(said.channel, said.key.thread_ts))

    async def submit(self, said: Heard) -> None:
        """Push it; the reaction is the sign that it was."""
        pushed = await self.commands.submit(said.key, said.message())
        if pushed == "full":
            await self.tell_busy(said)
        elif pushed == "ok":
            # First of all: it is what the person looks for, and it waits for nothing more of the store.
            react = call(self.client, "reactions_add", channel=said.channel, timestamp=said.ts, name=EYES)
            self.tasks.spawn(react, f"reaction on {said.ts}")
            if await self.commands.is_paused(said.key):
                self.whisper(said, texts.PAUSED)

    async def tell_busy(self, said: Heard) -> None:
        """Once for a while, whichever replica hears the further messages."""
        if await self.commands.is_first(f"busy:{said.key}:{said.user}", TOLD_FOR):
            self.whisper(said, texts.BUSY)

    async def refuse(self, said: Heard, words: str) -> None:
        """Say why not, once and only to who spoke to the bot; others are talking among themselves."""
        if said.is_addressed:
            await self.whisper_once(said, words)

    async def whisper_once(self, said: Heard, words: str) -> None:
        """Tell the person privately; not again when Slack delivers the message again."""
        if await self.once.first(f"{said.key.team}:{said.channel}:{said.ts}:{said.user}"):
            self.whisper(said, words)

    def whisper(self, said: Heard, words: str) -> None:
        """Tell the person privately, beside the listener. Another bot is told nothing."""
        if said.is_bot:
            return
        place = {"thread_ts": said.key.thread_ts} if said.in_thread else {}
        told = call(self.client, "chat_postEphemeral", channel=said.channel, user=said.user, text=words, **place)
        self.tasks.spawn(told, f"notice to {said.user}")
