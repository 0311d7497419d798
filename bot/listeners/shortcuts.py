"""The message shortcut "Ask Handrail about this": a form for what to do, then a run in the message's thread."""

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from bot import texts, texts_surface
from bot.delivery.calls import call
from bot.delivery.errors import DeliveryError, Refused
from bot.listeners.access import Access, words_of
from bot.listeners.clicks import Ack, Body, part, team_of
from bot.listeners.fairness import Fairness
from bot.listeners.modals import FIELD, text
from bot.render.limits import INPUT_MAX_LENGTH, Block
from runtime.session.commands import Commands
from runtime.session.entries import MessageEntry
from runtime.session.ids import SessionKey
from runtime.store.errors import StoreError

log = logging.getLogger(__name__)

CALLBACK = "ask_about"
FORM = "ask_about_form"


def ask_modal(key: SessionKey, at: str) -> Block:
    """What shall be done with the message. Its metadata is only an address; who sends it is checked."""
    return {
        "type": "modal",
        "callback_id": FORM,
        "title": text(texts_surface.ASK_TITLE),
        "submit": text(texts_surface.ASK_SUBMIT),
        "close": text(texts.CANCEL),
        "private_metadata": json.dumps([str(key), at]),
        "blocks": [
            {
                "type": "input",
                "block_id": FIELD,
                "optional": True,
                "label": text(texts_surface.ASK_LABEL),
                "element": {
                    "type": "plain_text_input",
                    "action_id": FIELD,
                    "multiline": True,
                    "max_length": INPUT_MAX_LENGTH,
                    "placeholder": text(texts_surface.ASK_DEFAULT),
                },
            }
        ],
    }


def metadata(view: Mapping[str, Any]) -> tuple[SessionKey, str]:
    """Where the form belongs and when it was asked for.

    Raises:
        ValueError: it is not ours.
    """
    key, at = json.loads(str(view.get("private_metadata", "")))
    return SessionKey.parse(str(key)), str(float(at) and at)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortcuts:
    """The listeners of the shortcut and of its form."""

    client: AsyncWebClient
    commands: Commands
    access: Access
    fairness: Fairness

    async def ask(self, body: Body, ack: Ack) -> None:
        """Open the form."""
        await ack()
        message, channel = part(body, "message"), str(part(body, "channel").get("id", ""))
        ts = str(message.get("ts") or body.get("message_ts", ""))
        key = SessionKey(team=team_of(body), channel=channel, thread_ts=str(message.get("thread_ts") or ts))
        try:
            await call(
                self.client, "views_open", trigger_id=str(body["trigger_id"]), view=ask_modal(key, body["action_ts"])
            )
        except DeliveryError as error:
            log.info("shortcut: %s", error)

    async def send(self, body: Body, ack: Ack) -> None:
        """Start the run; what keeps it from starting is said in the form."""
        problem = await self.problem(body)
        if problem:
            await ack(response_action="errors", errors={FIELD: problem})
        else:
            await ack()

    async def problem(self, body: Body) -> str:
        """Record the request; why that was not possible, in words for the person."""
        view, user = part(body, "view"), str(body["user"]["id"])
        try:
            key, at = metadata(view)
        except (ValueError, TypeError):
            return texts.STALE_BUTTON
        asked = str(view["state"]["values"][FIELD][FIELD].get("value") or "").strip()
        entry = MessageEntry(
            entry_id=f"ask:{view['id']}",
            ts=at,
            user=user,
            text=asked or texts_surface.ASK_DEFAULT,
            mentions_bot=True,
            is_timed=False,
        )
        try:
            if refused := await self.access.refusal(user, key.channel):
                return words_of(refused)
            if words := await self.fairness.too_often(key, user, entry.entry_id):
                return words
            # The bot has to see the thread that it shall work in.
            await call(self.client, "conversations_replies", channel=key.channel, ts=key.thread_ts, limit=1)
            pushed = await self.commands.submit(key, entry)
        except Refused:
            return texts_surface.NOT_A_MEMBER
        except (StoreError, DeliveryError) as error:
            log.warning("shortcut not recorded: %s", error)
            return texts.UNREACHABLE_STORE
        return texts.BUSY if pushed == "full" else ""
