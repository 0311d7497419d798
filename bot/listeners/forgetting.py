"""Deleting the records of one thread: a form in App Home that lists the person's own threads."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from slack_sdk.web.async_client import AsyncWebClient

from bot import texts_surface
from bot.delivery.calls import call
from bot.delivery.errors import DeliveryError
from bot.delivery.status import title_of
from bot.home.forgetting import OFFERED
from bot.listeners.clicks import Ack, Body
from bot.listeners.home import HomeTab
from bot.listeners.modals import notice_modal, text
from bot.render.blocks import section
from bot.render.limits import OPTION_TEXT, Block, clipped
from runtime.session.ids import SessionKey
from runtime.session.state import SessionState
from runtime.store.errors import StoreError

log = logging.getLogger(__name__)

FORGET_THREAD: Final = "forget_thread_form"
THREAD: Final = "thread"


def option(state: SessionState) -> Block:
    """One thread to choose; the form is built anew each time, so a value is only an address."""
    key = SessionKey.parse(state.session_id)
    return {"text": text(clipped(title_of(state) or key.thread_ts, OPTION_TEXT)), "value": state.session_id}


def looking() -> Block:
    """What is shown while the threads are looked for: Slack lets a form be opened for three seconds only."""
    return {
        "type": "modal",
        "title": text(texts_surface.DELETE_THREAD_TITLE),
        "close": text(texts_surface.DELETE_NO),
        "blocks": [section(texts_surface.LOOKING)],
    }


def thread_modal(states: Sequence[SessionState]) -> Block:
    """The form."""
    field: Block = {
        "type": "input",
        "block_id": THREAD,
        "label": text(texts_surface.DELETE_WHICH),
        "element": {"type": "static_select", "action_id": THREAD, "options": [option(state) for state in states]},
    }
    return {
        "type": "modal",
        "callback_id": FORGET_THREAD,
        "title": text(texts_surface.DELETE_THREAD_TITLE),
        "submit": text(texts_surface.DELETE_YES),
        "close": text(texts_surface.DELETE_NO),
        "blocks": [field, section(texts_surface.delete_thread_what(OFFERED if len(states) >= OFFERED else 0))],
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetThread:
    """The button and its form."""

    client: AsyncWebClient
    home: HomeTab

    async def ask(self, body: Body, ack: Ack) -> None:
        """Show the threads there are, in a form that is open while they are looked for."""
        await ack()
        user = str(body["user"]["id"])
        try:
            opened = await call(self.client, "views_open", trigger_id=str(body["trigger_id"]), view=looking())
            view = await self.found(user)
            await call(self.client, "views_update", view_id=str(opened["view"]["id"]), view=view)
        except DeliveryError as error:
            log.warning("threads to delete: %s", error)
            await self.home.publish(user)

    async def found(self, user: str) -> Block:
        """The form, or why there is none."""
        try:
            states = await self.home.service.threads(user)
        except StoreError as error:
            log.warning("threads to delete: %s", error)
            return notice_modal(texts_surface.UNREACHABLE)
        return thread_modal(states) if states else notice_modal(texts_surface.NO_THREADS)

    async def delete(self, body: Body, ack: Ack) -> None:
        """Delete the chosen thread of whoever sent the form."""
        await ack()
        user = str(body["user"]["id"])
        values: Mapping[str, Mapping[str, Mapping[str, Any]]] = body["view"]["state"]["values"]
        chosen = str(values[THREAD][THREAD]["selected_option"]["value"])
        try:
            done = await self.home.service.forget_thread(chosen, user)
        except StoreError as error:
            log.warning("deleting a thread: %s", error)
            await self.home.publish(user)
            return
        await self.home.say(user, texts_surface.deleted(done.deleted, done.shared, done.running))
