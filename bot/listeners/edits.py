"""Editing the arguments of a call that waits for approval: which call, its form, and what was entered."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from bot import texts, texts_people
from bot.delivery.calls import call
from bot.delivery.errors import DeliveryError
from bot.delivery.incoming import Incoming
from bot.delivery.outbox import whisper
from bot.listeners.clicks import Ack, Body
from bot.listeners.forms import Form
from bot.listeners.modals import notice_modal
from bot.listeners.people import PeopleClicks, PeopleForms, Values, refuse, text_in
from bot.listeners.people_modals import ARGUMENT, edit_modal, which_modal
from bot.listeners.values import BadValue, ButtonValue
from bot.render.editing import arguments_of, fields_of, has_editable, is_editable, values_of
from bot.render.limits import Block
from runtime.session.approval_events import CoveredCall
from runtime.session.approval_intake import find_approval, refusal
from runtime.session.cards import parts
from runtime.session.entries import EditEntry
from runtime.session.events import NoticeQueued
from runtime.session.state import SessionState
from runtime.session.writer import load_state
from runtime.store.errors import StoreError
from tools.collection import ToolCollection
from tools.errors import ToolInputError
from tools.schema import canonical

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class EditClicks:
    """The listeners of Edit."""

    people: PeopleClicks
    incoming: Incoming
    redact: Callable[[str], str]
    """A form holds exact arguments, so a call that holds a secret has none."""

    async def refusal(self, user: str, state: SessionState, value: ButtonValue) -> str:
        """Why a person is not shown the arguments: only who may change them is."""
        standing, groups = await self.incoming.standing(user), await self.incoming.groups_of(user, state)
        entry = EditEntry(
            entry_id=f"look:{value.about}:{user}",
            approval_id=value.about,
            arguments="",
            by=user,
            groups=groups,
            standing=standing,
        )
        told = refusal(state, entry, round(datetime.now(UTC).timestamp() * 1000))
        return next((whisper(one).text for one in told if isinstance(one, NoticeQueued)), "")

    def is_secret(self, call: CoveredCall) -> bool:
        """Whether a form would show what the card hides."""
        shown = (call.arguments, *values_of(call.arguments).values())
        return any(self.redact(text) != text for text in shown)

    def form_of(self, value: ButtonValue, picked: CoveredCall) -> Block:
        """The form of a call, or why it has none."""
        if self.is_secret(picked):
            return notice_modal(texts_people.NOT_SHOWN_IN_FORM)
        return edit_modal(value, picked)

    async def edit(self, body: Body, ack: Ack) -> None:
        """A form with the call's arguments; of several calls one is chosen first."""

        def form(state: SessionState, value: ButtonValue) -> Block | None:
            approval = find_approval(state, value.about)
            if approval is None or not approval.is_open or not has_editable(approval.requested):
                return None
            if approval.requested.also:
                return which_modal(value, approval.requested, self.is_secret)
            return self.form_of(value, parts(approval.requested)[0])

        await self.people.open(body, ack, form, refusal=self.refusal)

    async def edit_picked(self, body: Body, ack: Ack) -> None:
        """The form of the call that was chosen, in place of the choice."""
        await ack()
        try:
            value = ButtonValue.parse(str(body["actions"][0].get("value", "")))
            state = await load_state(self.people.store, str(value.session))
            refused = await self.refusal(str(body["user"]["id"]), state, value)
        except (BadValue, StoreError) as error:
            log.warning("form for %s: %s", body["user"]["id"], error)
            view = notice_modal(texts.STALE_BUTTON if isinstance(error, BadValue) else texts.UNREACHABLE_STORE)
        else:
            picked = None if refused else picked_call(state, value)
            view = self.form_of(value, picked) if picked else notice_modal(refused or texts_people.CARD_CHANGED)
        try:
            await call(self.people.clicks.client, "views_update", view_id=str(body["view"]["id"]), view=view)
        except DeliveryError as error:
            log.info("views.update for %s: %s", body["user"]["id"], error)


def picked_call(state: SessionState, value: ButtonValue) -> CoveredCall | None:
    """The call of an open card that a form is about; None where there is none any more."""
    approval = find_approval(state, value.about)
    number = int(value.choice) if value.choice.isdecimal() else 0
    if approval is None or not approval.is_open or number > len(approval.requested.also):
        return None
    picked = parts(approval.requested)[number]
    return picked if is_editable(picked) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class EditForms:
    """The listener of the form. What is wrong with an argument is said at its field."""

    people: PeopleForms
    tools: ToolCollection

    async def edited(self, body: Body, ack: Ack) -> None:
        """Other arguments for a call."""
        await self.people.submitted(body, ack, self.on_edited)

    async def on_edited(self, form: Form, values: Values, state: SessionState, ack: Ack) -> None:
        """Check them against the tool, then record them in the one spelling that is hashed."""
        picked = picked_call(state, form.value)
        if picked is None:
            await refuse(ack, values, texts_people.CARD_CHANGED)
            return
        entered = {field.key: text_in(values, f"{ARGUMENT}{field.key}") for field in fields_of(picked.arguments)}
        arguments, wrong = arguments_of(picked.arguments, entered)
        if wrong:
            await ack(response_action="errors", errors={f"{ARGUMENT}{name}": texts_people.NOT_JSON for name in wrong})
            return
        try:
            is_known = picked.tool in self.tools
            parsed = self.tools.parse(picked.tool, arguments).canonical if is_known else canonical(arguments)
        except ToolInputError as error:
            await ack(response_action="errors", errors=at_fields(str(error), tuple(entered)))
            return
        entry = EditEntry(
            entry_id=f"form:{form.view_id}",
            approval_id=form.value.about,
            call_id=picked.call_id,
            arguments=parsed.decode(),
            by=form.user,
        )
        await self.people.forms.record(form, ack, entry)


def at_fields(problem: str, names: tuple[str, ...]) -> dict[str, str]:
    """A tool's complaint, each line at the field it speaks of, else at the first one."""
    errors: dict[str, str] = {}
    for line in problem.splitlines():
        name, separator, words = line.removeprefix("- ").partition(": ")
        if line.startswith("- ") and separator and name.partition(".")[0] in names:
            errors[f"{ARGUMENT}{name.partition('.')[0]}"] = words
    return errors or {f"{ARGUMENT}{names[0]}": problem.splitlines()[0]}
