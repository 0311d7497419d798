"""App Home: shown whenever it is opened, and its buttons."""

import asyncio
import logging
from dataclasses import dataclass, field
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from bot import texts_surface
from bot.delivery.calls import call
from bot.delivery.errors import DeliveryError
from bot.home.service import HomeService
from bot.listeners.access import Access, words_of
from bot.listeners.clicks import Ack, Body
from bot.listeners.modals import answer_modal, deny_modal
from bot.listeners.values import BadValue, ButtonValue
from bot.render.blocks import section
from bot.render.limits import Block
from runtime.session.commands import Commands
from runtime.session.entries import AnyEntry, DecisionEntry, EditEntry, StopEntry
from runtime.store.errors import StoreError

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeTab:
    """The listeners of the tab. Authority is the runtime's: a button is only an address."""

    client: AsyncWebClient
    commands: Commands
    access: Access
    service: HomeService
    drawing: dict[str, asyncio.Lock] = field(default_factory=dict[str, asyncio.Lock])
    """Held by whoever draws a person's tab."""
    next_up: set[str] = field(default_factory=set[str])
    """Whose tab is drawn once more after that."""

    async def opened(self, event: dict[str, Any]) -> None:
        """Somebody looks at the tab."""
        if event.get("tab") == "home":
            await self.publish(str(event["user"]))

    async def publish(self, user: str) -> None:
        """Show it as it is now: one at a time, so that an older look never replaces a newer one.

        Who finds another one waiting leaves it to that one, which looks later: opening the tab often costs two views.
        """
        if user in self.next_up:
            return
        lock = self.drawing.setdefault(user, asyncio.Lock())
        self.next_up.add(user)
        try:
            await lock.acquire()
        finally:
            self.next_up.discard(user)
        try:
            await self.draw(user)
        finally:
            lock.release()
            if user not in self.next_up:
                self.drawing.pop(user, None)

    async def draw(self, user: str) -> None:
        """Read, and show what was read."""
        try:
            view = await self.service.view(user)
        except StoreError as error:
            log.warning("App Home of %s: %s", user, error)
            view: Block = {"type": "home", "blocks": [section(texts_surface.UNREACHABLE)]}
        try:
            await call(self.client, "views_publish", user_id=user, view=view)
        except DeliveryError as error:
            log.info("App Home of %s: %s", user, error)

    async def say(self, user: str, words: str) -> None:
        """Show the tab with a sentence about what was just done."""
        try:
            await self.service.notes.write(user, words)
        except StoreError as error:
            log.warning("App Home of %s: %s", user, error)
        await self.publish(user)

    async def refresh(self, body: Body, ack: Ack) -> None:
        """The Refresh button."""
        await ack()
        await self.publish(str(body["user"]["id"]))

    async def stop(self, body: Body, ack: Ack) -> None:
        """End the run of the button."""
        value, entry_id = self.address(body), self.entry_id(body)
        if value is None:
            await ack()
            return
        before = str(body["actions"][0].get("action_ts", "0"))
        user = str(body["user"]["id"])
        entry = StopEntry(entry_id=entry_id, by=user, before_ts=before, run_id=value.about, how="button")
        await self.record(body, ack, value, entry)

    async def approve(self, body: Body, ack: Ack) -> None:
        """Approve the call that stands above the button, whole."""
        value = self.address(body)
        if value is None:
            await ack()
            return
        user = str(body["user"]["id"])
        entry = DecisionEntry(entry_id=self.entry_id(body), approval_id=value.about, verdict="approved", by=user)
        await self.record(body, ack, value, entry)

    async def deny(self, body: Body, ack: Ack) -> None:
        """Ask for the reason."""
        await self.open_form(body, ack, deny_modal)

    async def answer(self, body: Body, ack: Ack) -> None:
        """Ask for the answer."""
        await self.open_form(body, ack, answer_modal)

    async def open_form(self, body: Body, ack: Ack, form: Any) -> None:
        """Open a form; what is sent with it takes the same way as from a card."""
        await ack()
        value = self.address(body)
        if value is not None:
            try:
                await call(self.client, "views_open", trigger_id=str(body["trigger_id"]), view=form(value))
            except DeliveryError as error:
                log.info("form from App Home: %s", error)

    async def forget(self, body: Body, ack: Ack) -> None:
        """Delete the data of whoever clicked, whatever the button says."""
        await ack()
        user = str(body["user"]["id"])
        try:
            done = await self.service.forget(user)
        except StoreError as error:
            log.warning("deleting data: %s", error)
            await self.publish(user)
            return
        await self.say(user, texts_surface.deleted(done.deleted, done.shared, done.running))

    async def record(self, body: Body, ack: Ack, value: ButtonValue, entry: AnyEntry) -> None:
        """Push, acknowledge, show. Unrecorded means unacknowledged: Slack tells the person that it failed."""
        user = str(body["user"]["id"])
        try:
            # Who may decide is the card's own gate: an approver need not be one who may start runs.
            is_verdict = isinstance(entry, DecisionEntry | EditEntry)
            refused = "" if is_verdict else await self.access.refusal(user, value.session.channel)
            if not refused:
                await self.commands.push(value.session, entry)
        except (StoreError, DeliveryError) as error:
            log.warning("click in App Home not recorded: %s", error)
            return
        await ack()
        await (self.say(user, words_of(refused)) if refused else self.publish(user))

    def address(self, body: Body) -> ButtonValue | None:
        """Where a click belongs; only within the own workspace."""
        try:
            value = ButtonValue.parse(str(body["actions"][0].get("value", "")))
        except BadValue:
            return None
        return value if value.session.team == self.service.team else None

    def entry_id(self, body: Body) -> str:
        """The same delivery has the same id."""
        action = body["actions"][0]
        return f"home:{body['user']['id']}:{action['action_id']}:{action.get('action_ts', '')}"
