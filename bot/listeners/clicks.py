"""Clicks: each becomes one command, acknowledged once it is recorded. A click that could not be says so."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from bot import texts
from bot.delivery.calls import call
from bot.delivery.errors import DeliveryError
from bot.listeners.access import Access, words_of
from bot.listeners.modals import deny_modal
from bot.listeners.values import BadValue, ButtonValue
from bot.render.limits import Block
from runtime.session.commands import Commands
from runtime.session.entries import AnswerEntry, AnyEntry, DecisionEntry, EditEntry, StopEntry, VerbosityEntry
from runtime.session.ids import SessionKey
from runtime.store.errors import StoreError

log = logging.getLogger(__name__)

Ack = Callable[..., Awaitable[Any]]
Body = Mapping[str, Any]


def part(body: Body, name: str) -> Mapping[str, Any]:
    """An object inside a payload; empty where Slack left it out or sent null."""
    found: Mapping[str, Any] | None = body.get(name)
    return found if found is not None else {}


def team_of(body: Body) -> str:
    """The enterprise where the workspace belongs to one, else the workspace."""
    return str(part(body, "enterprise").get("id") or part(body, "team").get("id") or "")


def team_of_command(body: Body) -> str:
    """The same of a slash command, whose payload is flat."""
    return str(body.get("enterprise_id") or body.get("team_id") or "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Click:
    """One block action: who, where, on what."""

    user: str
    channel: str
    thread_ts: str
    message_ts: str
    trigger_id: str
    action: Mapping[str, Any]

    @classmethod
    def of(cls, body: Body) -> "Click":
        """Read a `block_actions` payload."""
        container, message = part(body, "container"), part(body, "message")
        message_ts = str(container.get("message_ts") or message.get("ts") or "")
        return cls(
            user=str(body["user"]["id"]),
            channel=str(container.get("channel_id") or part(body, "channel").get("id") or ""),
            thread_ts=str(container.get("thread_ts") or message.get("thread_ts") or message_ts),
            message_ts=message_ts,
            trigger_id=str(body.get("trigger_id", "")),
            action=body["actions"][0],
        )

    @property
    def entry_id(self) -> str:
        """The same delivery has the same id; a second click of the same person is another one."""
        return f"click:{self.message_ts}:{self.action['action_id']}:{self.user}:{self.action.get('action_ts', '')}"

    def value(self) -> ButtonValue:
        """Where the click belongs.

        Raises:
            BadValue: the button is not one of ours, or stands in another thread than it belongs to.
        """
        value = ButtonValue.parse(str(self.action.get("value", "")))
        in_thread = (value.session.channel, value.session.thread_ts) == (self.channel, self.thread_ts)
        in_own_messages = value.to == self.user and self.channel.startswith("D")
        if not (in_own_messages if value.to else in_thread):
            raise BadValue(texts.FOREIGN_CARD)
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Clicks:
    """The listeners of buttons and menus."""

    client: AsyncWebClient
    commands: Commands
    access: Access

    async def tell(self, click: Click, words: str) -> None:
        """A private sentence beside the card."""
        # Under a message without a thread nobody would see it.
        place = {} if click.thread_ts == click.message_ts else {"thread_ts": click.thread_ts}
        try:
            await call(self.client, "chat_postEphemeral", channel=click.channel, user=click.user, text=words, **place)
        except DeliveryError as error:
            log.info("notice to %s: %s", click.user, error)

    async def record(self, click: Click, ack: Ack, key: SessionKey, entry: AnyEntry) -> None:
        """Push the click's command, then acknowledge. The card stays armed when that fails."""
        try:
            # Who may decide is the card's own gate, and policy's: an approver need not be one who may start runs.
            is_verdict = isinstance(entry, DecisionEntry | EditEntry)
            refused = "" if is_verdict else await self.access.refusal(click.user, click.channel)
            paused = not refused and await self.commands.is_paused(key)
            if not refused:
                await self.commands.push(key, entry)
        except (StoreError, DeliveryError) as error:
            log.warning("click %s not recorded: %s", click.entry_id, error)
            await ack()
            await self.tell(click, texts.UNREACHABLE_STORE)
            return
        await ack()
        if refused:
            await self.tell(click, words_of(refused))
        elif paused:
            await self.tell(click, texts.PAUSED)

    async def opened(self, click: Click, view: Block) -> bool:
        """Open a modal; False when Slack did not, since a trigger lives three seconds."""
        try:
            await call(self.client, "views_open", trigger_id=click.trigger_id, view=view)
        except DeliveryError as error:
            log.info("views.open for %s: %s", click.user, error)
            return False
        return True

    async def guarded(self, body: Body, ack: Ack, handle: Callable[[Click, ButtonValue, Ack], Awaitable[None]]) -> None:
        """Read the click, refuse what does not belong here, hand on the rest."""
        click = Click.of(body)
        try:
            value = click.value()
        except BadValue as error:
            log.info("click %s refused: %s", click.entry_id, error)
            await ack()
            await self.tell(click, texts.FOREIGN_CARD if str(error) == texts.FOREIGN_CARD else texts.STALE_BUTTON)
            return
        await handle(click, value, ack)

    async def choice(self, body: Body, ack: Ack) -> None:
        """A choice of a question, as a button."""
        await self.guarded(body, ack, self.on_choice)

    async def on_choice(self, click: Click, value: ButtonValue, ack: Ack) -> None:
        """The number of the choice; its words come from the question."""
        number = int(value.choice) if value.choice.isdecimal() else -1
        entry = AnswerEntry(
            entry_id=click.entry_id, question_id=value.about, choice=number, by=click.user, how="button"
        )
        await self.record(click, ack, value.session, entry)

    async def pick(self, body: Body, ack: Ack) -> None:
        """A choice of a question, from a menu; the neighbouring "Other…" button says which question."""
        click = Click.of(body)
        number = str(click.action["selected_option"]["value"])
        about = str(click.action["block_id"]).removeprefix("question-")
        key = SessionKey(team=team_of(body), channel=click.channel, thread_ts=click.thread_ts)
        await self.on_choice(click, ButtonValue(session=key, about=about, choice=number), ack)

    async def approve(self, body: Body, ack: Ack) -> None:
        """Approval of the exact call on the card."""
        await self.guarded(body, ack, self.on_approve)

    async def on_approve(self, click: Click, value: ButtonValue, ack: Ack) -> None:
        """The runtime checks person, hash and expiry."""
        entry = DecisionEntry(entry_id=click.entry_id, approval_id=value.about, verdict="approved", by=click.user)
        await self.record(click, ack, value.session, entry)

    async def deny(self, body: Body, ack: Ack) -> None:
        """A no, with a form for the reason."""
        await self.guarded(body, ack, self.on_deny)

    async def on_deny(self, click: Click, value: ButtonValue, ack: Ack) -> None:
        """Ask for the reason; without a form the no counts as it is."""
        if await self.opened(click, deny_modal(value)):
            await ack()
            return
        entry = DecisionEntry(entry_id=click.entry_id, approval_id=value.about, verdict="denied", by=click.user)
        await self.record(click, ack, value.session, entry)

    async def verbosity(self, body: Body, ack: Ack) -> None:
        """How much is said in the thread, from a menu."""
        click = Click.of(body)
        wanted = str(click.action["selected_option"]["value"])
        key = SessionKey(team=team_of(body), channel=click.channel, thread_ts=click.thread_ts)
        entry = {"entry_id": click.entry_id, "verbosity": wanted, "by": click.user}
        await self.record(click, ack, key, VerbosityEntry.model_validate(entry))

    async def stop(self, body: Body, ack: Ack) -> None:
        """The Stop button of a run."""
        await self.guarded(body, ack, self.on_stop)

    async def on_stop(self, click: Click, value: ButtonValue, ack: Ack) -> None:
        """Ends the run the button belongs to, and never a newer one."""
        entry = StopEntry(
            entry_id=click.entry_id,
            by=click.user,
            before_ts=str(click.action.get("action_ts") or click.message_ts),
            run_id=value.about,
            how="button",
        )
        await self.record(click, ack, value.session, entry)
