"""Submitted forms: an answer in one's own words, a no with its reason."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot import texts
from bot.delivery.errors import DeliveryError
from bot.listeners.access import Access, words_of
from bot.listeners.clicks import Ack, Body
from bot.listeners.modals import FIELD
from bot.listeners.values import BadValue, ButtonValue
from runtime.session.commands import Commands
from runtime.session.entries import AnswerEntry, AnyEntry, DecisionEntry, EditEntry
from runtime.store.errors import StoreError

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """One `view_submission`: who wrote what, about what."""

    view_id: str
    user: str
    text: str
    value: ButtonValue
    field: str = FIELD
    """The block at which a refusal is said: Slack shows nothing at a block that is not there."""

    @classmethod
    def of(cls, body: Body) -> "Form":
        """Read the payload.

        Raises:
            BadValue: the metadata is not ours.
        """
        view: Mapping[str, Any] = body["view"]
        written: Mapping[str, Any] = view["state"]["values"][FIELD][FIELD]
        return cls(
            view_id=str(view["id"]),
            user=str(body["user"]["id"]),
            text=str(written.get("value") or "").strip(),
            value=ButtonValue.parse(str(view.get("private_metadata", ""))),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Forms:
    """The listeners of forms."""

    commands: Commands
    access: Access

    async def answer(self, body: Body, ack: Ack) -> None:
        """An answer to a question."""
        try:
            form = Form.of(body)
        except BadValue:
            await ack(response_action="errors", errors={FIELD: texts.STALE_BUTTON})
            return
        entry = AnswerEntry(
            entry_id=f"form:{form.view_id}",
            question_id=form.value.about,
            answer=form.text,
            by=form.user,
            how="modal",
        )
        await self.record(form, ack, entry)

    async def denial(self, body: Body, ack: Ack) -> None:
        """A no."""
        try:
            form = Form.of(body)
        except BadValue:
            await ack(response_action="errors", errors={FIELD: texts.STALE_BUTTON})
            return
        entry = DecisionEntry(
            entry_id=f"form:{form.view_id}",
            approval_id=form.value.about,
            verdict="denied",
            by=form.user,
            reason=form.text,
        )
        await self.record(form, ack, entry)

    async def record(self, form: Form, ack: Ack, entry: AnyEntry) -> None:
        """Push, then close the form; what could not be recorded stays in it."""
        try:
            is_verdict = isinstance(entry, DecisionEntry | EditEntry)
            refused = "" if is_verdict else await self.access.refusal(form.user, form.value.session.channel)
            if not refused:
                await self.commands.push(form.value.session, entry)
        except (StoreError, DeliveryError) as error:
            log.warning("form %s not recorded: %s", form.view_id, error)
            await ack(response_action="errors", errors={form.field: texts.UNREACHABLE_STORE})
            return
        if refused:
            await ack(response_action="errors", errors={form.field: words_of(refused)})
        else:
            await ack()
