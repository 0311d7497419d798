"""`/handrail schedule`: arrange work for later, confirmed with its next three times; list, pause, resume, delete."""

import logging
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

from slack_sdk.web.async_client import AsyncWebClient

from bot import texts, texts_schedule, texts_surface
from bot.delivery.calls import call
from bot.delivery.errors import DeliveryError, Refused
from bot.listeners.access import Access, words_of
from bot.listeners.clicks import Ack, Body
from bot.listeners.commands import Reply, Typed
from bot.listeners.modals import text
from bot.render import escape
from bot.render.blocks import section
from bot.render.limits import Block
from runtime.schedule.desk import Desk, NoSuchSchedule
from runtime.schedule.phrases import read_phrase
from runtime.schedule.records import BadTimes, Schedule, next_three
from runtime.store.errors import StoreError
from tools.errors import ToolInputError

log = logging.getLogger(__name__)

FORM: Final = "schedule_form"
WHERE: Final = "where"
WORDS: Final = {"pause": "pause", "resume": "resume", "delete": "cancel", "cancel": "cancel"}


def form(schedule: Schedule, after_ms: int) -> Block:
    """The record as it would be kept. Its metadata is only an address; who sends it is checked."""
    options = [{"text": text(words), "value": place} for place, words in texts_schedule.PLACES.items()]
    where: Block = {
        "type": "input",
        "block_id": WHERE,
        "label": text(texts_schedule.WHERE),
        "element": {
            "type": "static_select",
            "action_id": WHERE,
            "options": options,
            "initial_option": options[0],
        },
    }
    shown = section(texts_schedule.preview(schedule, after_ms))
    return {
        "type": "modal",
        "callback_id": FORM,
        "title": text(texts_schedule.TITLE),
        "submit": text(texts_schedule.KEEP),
        "close": text(texts.CANCEL),
        "private_metadata": schedule.id,
        "blocks": [shown] if schedule.target == "dm" else [shown, where],
    }


def done(words: str) -> Block:
    """What came of it."""
    return {
        "type": "modal",
        "title": text(texts_schedule.DONE_TITLE),
        "close": text(texts_schedule.CLOSE),
        "blocks": [section(words)],
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheduling:
    """The listeners of the word and of its form."""

    client: AsyncWebClient
    desk: Desk
    access: Access
    team: str

    async def command(self, typed: Typed) -> Reply:
        """What is asked of the schedules."""
        word, _, rest = typed.rest.partition(" ")
        word, rest = word.casefold(), rest.strip()
        if word in {"", "list"}:
            return await self.listed(typed.user)
        if word in WORDS:
            return await self.change(typed.user, word, rest.strip("` "))
        words = rest if word in {"create", "new", "add"} else typed.rest
        try:
            return await self.propose(typed, words)
        except BadTimes as error:
            return Reply(text=f"{error}\n{texts_schedule.HOW}")

    async def listed(self, user: str) -> Reply:
        """The person's schedules, and what can be done."""
        now_ms = self.desk.now_ms()
        mine = [texts_schedule.listed(one, now_ms) for one in await self.desk.schedules.of(user)]
        return Reply(text="\n\n".join([*(mine or [texts_schedule.NOTHING]), texts_schedule.HOW]))

    async def change(self, user: str, word: str, schedule_id: str) -> Reply:
        """Pause, resume or delete one of theirs."""
        known = await self.desk.schedules.get(schedule_id) if schedule_id else None
        if known is None:
            return Reply(text=texts_schedule.unknown(escape.mrkdwn(schedule_id)))
        try:
            await self.desk.change_of(user, schedule_id, WORDS[word])
        except NoSuchSchedule:
            return Reply(text=texts_schedule.unknown(escape.mrkdwn(schedule_id)))
        except ToolInputError as error:
            return Reply(text=escape.mrkdwn(str(error)))
        command = "delete" if WORDS[word] == "cancel" else word
        return Reply(text=texts_schedule.changed(known, command, self.desk.now_ms()))

    async def propose(self, typed: Typed, words: str) -> Reply:
        """Show what it would be, in a form.

        Raises:
            BadTimes: when it should be cannot be read, or will never be.
        """
        zone = await self.desk.zone_for(self.team, typed.user)
        now_ms = self.desk.now_ms()
        phrase = read_phrase(words, datetime.fromtimestamp(now_ms / 1000, UTC).astimezone(ZoneInfo(zone)))
        schedule = Schedule(
            id=f"s{secrets.token_hex(5)}",
            owner=typed.user,
            team=self.team,
            channel=typed.channel,
            target="dm" if typed.channel.startswith("D") else "channel",
            prompt=phrase.prompt,
            kind=phrase.kind,
            spec=phrase.spec,
            zone=zone,
            created_ms=now_ms,
        )
        next_three(schedule, now_ms)
        await self.desk.schedules.draft(schedule)
        await call(self.client, "views_open", trigger_id=typed.trigger_id, view=form(schedule, now_ms))
        return Reply(text="")

    async def confirmed(self, body: Body, ack: Ack) -> None:
        """The form was sent: keep it, or say in the form why that cannot be."""
        view, user = body["view"], str(body["user"]["id"])
        try:
            kept = await self.keep(user, str(view.get("private_metadata", "")), chosen(body))
        except (BadTimes, ToolInputError) as error:
            words = str(error)
        except Refused:
            words = texts_surface.NOT_A_MEMBER
        except (StoreError, DeliveryError) as error:
            log.warning("schedule not kept: %s", error)
            words = texts_surface.UNREACHABLE
        else:
            words = texts_schedule.kept(kept, self.desk.now_ms())
        await ack(response_action="update", view=done(words))

    async def keep(self, user: str, schedule_id: str, target: str) -> Schedule:
        """Keep a draft of the person's own.

        Raises:
            BadTimes: it is over meanwhile.
            ToolInputError: there is none, or they have too many or no right.
            Refused: the bot is not in the channel.
        """
        draft = await self.desk.schedules.drafted(schedule_id)
        if draft is None or draft.owner != user:
            raise ToolInputError(texts_schedule.TOO_LATE)
        if refused := await self.access.refusal(user, draft.channel):
            raise ToolInputError(words_of(refused))
        record = draft.model_copy(update={"target": target or draft.target})
        next_three(record, self.desk.now_ms())
        if record.target == "channel":
            await call(self.client, "conversations_history", channel=record.channel, limit=1)
        await self.desk.keep(record)
        return record


def chosen(body: Body) -> str:
    """Where the answers shall go; empty where the form does not ask."""
    values: Mapping[str, Any] = body["view"].get("state", {}).get("values", {})
    entered: Mapping[str, Any] = values.get(WHERE, {}).get(WHERE, {})
    option: Mapping[str, Any] = entered.get("selected_option") or {}
    value = str(option.get("value", ""))
    return value if value in texts_schedule.PLACES else ""
