"""`/handrail`: one word after it says what is wanted. Answers are private."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from bot import texts_surface
from bot.delivery.calls import call
from bot.delivery.errors import CLIENT_ERRORS, DeliveryError
from bot.home import cards
from bot.home.service import HomeService
from bot.listeners.access import Access, words_of
from bot.listeners.as_agent import AsAgent, AskedAs
from bot.listeners.clicks import Ack, Body, team_of_command
from bot.listeners.fairness import Fairness
from bot.listeners.modals import text
from bot.render.limits import MESSAGE_BLOCKS, Block
from runtime.session.commands import Commands
from runtime.session.entries import StopEntry
from runtime.session.stopping import FAR
from runtime.store.errors import StoreError

log = logging.getLogger(__name__)

Respond = Callable[..., Awaitable[Any]]
"""Bolt's way to the address that Slack gave for further answers."""
FORGET = "forget_form"


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """One use of the command."""

    user: str
    team: str
    channel: str
    word: str
    rest: str
    trigger_id: str

    @classmethod
    def of(cls, body: Body) -> "Typed":
        """Read the payload."""
        word, _, rest = str(body.get("text", "")).strip().partition(" ")
        return cls(
            user=str(body["user_id"]),
            team=team_of_command(body),
            channel=str(body["channel_id"]),
            word=word.casefold() or "help",
            rest=rest.strip(),
            trigger_id=str(body.get("trigger_id", "")),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A private answer."""

    text: str
    blocks: tuple[Block, ...] = ()
    then: Callable[[], Awaitable[str]] | None = None
    """What is done once this was said, and may take longer than Slack waits; what it returns is said as well."""


Subcommand = Callable[[Typed], Awaitable[Reply]]


@dataclass(frozen=True, slots=True, kw_only=True)
class HandrailCommand:
    """The listener of the command. `more` adds words, each with what answers it."""

    client: AsyncWebClient
    commands: Commands
    access: Access
    service: HomeService
    reaction: str
    fairness: Fairness
    more: Mapping[str, Subcommand] = field(default_factory=dict[str, Subcommand])

    async def handle(self, body: Body, ack: Ack, respond: Respond) -> None:
        """Answer in the acknowledgement itself, within Slack's three seconds; then do what takes longer."""
        typed = Typed.of(body)
        try:
            # Somebody who may not start runs here may still delete their data.
            is_gated = typed.word not in {"forget", "help"}
            refused = await self.access.refusal(typed.user, typed.channel) if is_gated else ""
            reply = Reply(text=words_of(refused)) if refused else await self.answer(typed)
        except (StoreError, DeliveryError) as error:
            log.warning("/handrail %s: %s", typed.word, error)
            reply = Reply(text=texts_surface.UNREACHABLE)
        if reply.blocks:
            await ack(text=reply.text, blocks=list(reply.blocks))
        else:
            await ack(reply.text)
        words = await reply.then() if reply.then is not None else ""
        if words:
            try:
                await respond(words)
            except CLIENT_ERRORS as error:
                log.warning("/handrail %s: %s could not be told: %s", typed.word, typed.user, error)

    async def answer(self, typed: Typed) -> Reply:
        """What the word asks for."""
        known: Mapping[str, Subcommand] = {
            "help": self.help,
            "status": self.status,
            "stop": self.stop,
            "as": self.as_agent,
            "usage": self.usage,
            "settings": self.settings,
            "forget": self.forget,
            **self.more,
        }
        handler = known.get(typed.word)
        return Reply(text=texts_surface.unknown_command(typed.word)) if handler is None else await handler(typed)

    async def help(self, _typed: Typed) -> Reply:
        """What there is."""
        return Reply(text=texts_surface.HELP.format(reaction=self.reaction or "eyes"))

    async def status(self, typed: Typed) -> Reply:
        """What runs and what waits. Decisions are taken in the thread or in App Home, where the card is whole."""
        blocks = cards.status(await self.service.overview(typed.user), MESSAGE_BLOCKS)
        return Reply(text=texts_surface.HOME_RUNNING, blocks=tuple(cards.to_read(blocks)))

    async def as_agent(self, typed: Typed) -> Reply:
        """A task for an agent that is named."""
        way = AsAgent(client=self.client, commands=self.commands, fairness=self.fairness)
        asked = AskedAs(
            user=typed.user,
            team=typed.team,
            channel=typed.channel,
            rest=typed.rest,
            trigger_id=typed.trigger_id,
        )
        if refused := await way.refusal(asked):
            return Reply(text=refused)
        return Reply(text=texts_surface.AS_TAKEN, then=partial(way.start, asked))

    async def stop(self, typed: Typed) -> Reply:
        """End the person's runs in this channel."""
        found = await self.service.overview(typed.user)
        here = [task for task in found.mine if task.key.channel == typed.channel]
        for task in here:
            entry = StopEntry(
                entry_id=f"command:{typed.trigger_id}:{task.run.run_id}",
                by=typed.user,
                # Later than every request: the run is named, so no other is hit.
                before_ts=FAR,
                run_id=task.run.run_id,
                how="command",
            )
            await self.commands.stop(task.key, entry)
        return Reply(text=texts_surface.stopping(len(here)) if here else texts_surface.STOPPING_NONE)

    async def usage(self, typed: Typed) -> Reply:
        """Today's use."""
        block = cards.usage_lines(await self.service.usage(typed.user))
        return Reply(text=block["text"]["text"], blocks=(block,))

    async def settings(self, _typed: Typed) -> Reply:
        """How this workspace is set up."""
        return Reply(text=texts_surface.settings_lines(self.service.facts()))

    async def forget(self, typed: Typed) -> Reply:
        """Ask once more, in a form."""
        view: Block = {
            "type": "modal",
            "callback_id": FORGET,
            "title": text(texts_surface.DELETE_TITLE),
            "submit": text(texts_surface.DELETE_YES),
            "close": text(texts_surface.DELETE_NO),
            "private_metadata": typed.channel,
            "blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": texts_surface.DELETE_WHAT}}],
        }
        await call(self.client, "views_open", trigger_id=typed.trigger_id, view=view)
        return Reply(text="")

    async def forget_for_sure(self, body: Body, ack: Ack) -> None:
        """The form was sent."""
        await ack()
        user, channel = str(body["user"]["id"]), str(body["view"].get("private_metadata", ""))
        try:
            done = await self.service.forget(user)
            words = texts_surface.deleted(done.deleted, done.shared, done.running)
        except StoreError as error:
            log.warning("deleting data: %s", error)
            words = texts_surface.UNREACHABLE
        try:
            await call(self.client, "chat_postEphemeral", channel=channel, user=user, text=words)
        except DeliveryError as error:
            log.info("notice to %s: %s", user, error)
