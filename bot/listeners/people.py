"""Clicks and forms of approvals and questions beyond yes, no and a choice: allow, edit, revoke, resume, fill in."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bot import texts, texts_people
from bot.listeners.clicks import Ack, Body, Click, Clicks
from bot.listeners.filled import answer_of
from bot.listeners.forms import Form, Forms
from bot.listeners.messages import FILES, attachment
from bot.listeners.modals import answer_modal
from bot.listeners.people_modals import UPLOAD, fields_modal, file_modal
from bot.listeners.values import BadValue, ButtonValue
from bot.render.limits import Block
from runtime.session.entries import AnswerEntry, DecisionEntry, ResumeEntry, RevokeEntry
from runtime.session.question_intake import find_question
from runtime.session.state import SessionState
from runtime.session.writer import load_state
from runtime.store.errors import StoreError
from runtime.store.redis_store import SessionStore

log = logging.getLogger(__name__)

Values = Mapping[str, Mapping[str, Mapping[str, Any]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleClicks:
    """The listeners of buttons."""

    clicks: Clicks
    store: SessionStore

    async def allow(self, body: Body, ack: Ack) -> None:
        """Approve, and allow the tool for this thread."""
        await self.clicks.guarded(body, ack, self.on_allow)

    async def on_allow(self, click: Click, value: ButtonValue, ack: Ack) -> None:
        """Record it."""
        entry = DecisionEntry(
            entry_id=click.entry_id, approval_id=value.about, verdict="approved", by=click.user, for_thread=True
        )
        await self.clicks.record(click, ack, value.session, entry)

    async def revoke(self, body: Body, ack: Ack) -> None:
        """End an allowance."""
        await self.clicks.guarded(body, ack, self.on_revoke)

    async def on_revoke(self, click: Click, value: ButtonValue, ack: Ack) -> None:
        """Record it."""
        entry = RevokeEntry(entry_id=click.entry_id, grant_id=value.about, by=click.user)
        await self.clicks.record(click, ack, value.session, entry)

    async def resume(self, body: Body, ack: Ack) -> None:
        """Go on with a run that ended early."""
        await self.clicks.guarded(body, ack, self.on_resume)

    async def on_resume(self, click: Click, value: ButtonValue, ack: Ack) -> None:
        """Record it."""
        entry = ResumeEntry(entry_id=click.entry_id, run_id=value.about, by=click.user)
        await self.clicks.record(click, ack, value.session, entry)

    async def fill_in(self, body: Body, ack: Ack) -> None:
        """A form with a question's fields."""

        def form(state: SessionState, value: ButtonValue) -> Block | None:
            question = find_question(state, value.about)
            return fields_modal(value, question.asked) if question is not None and question.asked.fields else None

        await self.open(body, ack, form)

    async def add_file(self, body: Body, ack: Ack) -> None:
        """A form for a file as the answer."""
        await self.open(body, ack, lambda state, value: file_modal(value, question_of(state, value)))

    async def other(self, body: Body, ack: Ack) -> None:
        """A form for an answer in one's own words."""
        await self.open(body, ack, lambda state, value: answer_modal(value, question_of(state, value)))

    async def open(
        self,
        body: Body,
        ack: Ack,
        form: Callable[[SessionState, ButtonValue], Block | None],
        otherwise: str = texts_people.CARD_CHANGED,
        refusal: Callable[[str, SessionState, ButtonValue], Awaitable[str]] | None = None,
    ) -> None:
        """Open a form that is made from the session as it stands, or say that there is none.

        Args:
            body: the click.
            ack: acknowledges it.
            form: makes the form; None where there is none.
            otherwise: what is said then.
            refusal: why who clicked is not shown it, in words for them; empty where they are.
        """

        async def handle(click: Click, value: ButtonValue, ack: Ack) -> None:
            await ack()
            try:
                state = await load_state(self.store, str(value.session))
                refused = await refusal(click.user, state, value) if refusal is not None else ""
                view = None if refused else form(state, value)
            except StoreError as error:
                log.warning("form for %s: %s", value.session, error)
                await self.clicks.tell(click, texts.UNREACHABLE_STORE)
                return
            if view is None:
                await self.clicks.tell(click, refused or otherwise)
            elif not await self.clicks.opened(click, view):
                await self.clicks.tell(click, texts.UNREACHABLE_STORE)

        await self.clicks.guarded(body, ack, handle)


def question_of(state: SessionState, value: ButtonValue) -> str:
    """The words of a question; empty for one that is no longer known."""
    question = find_question(state, value.about)
    return texts.worded(question.asked).question if question is not None else ""


def form_of(body: Body) -> tuple[Form, Values]:
    """A submission, and what was entered in which block.

    Raises:
        BadValue: the metadata is not ours.
    """
    view: Mapping[str, Any] = body["view"]
    value = ButtonValue.parse(str(view.get("private_metadata", "")))
    values: Values = view["state"]["values"]
    user, first = str(body["user"]["id"]), first_field(values)
    return Form(view_id=str(view["id"]), user=user, text="", value=value, field=first), values


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleForms:
    """The listeners of submitted forms. What is wrong with a field is said at the field."""

    forms: Forms
    store: SessionStore

    async def filled_in(self, body: Body, ack: Ack) -> None:
        """The fields of a question."""
        await self.submitted(body, ack, self.on_filled_in)

    async def on_filled_in(self, form: Form, values: Values, state: SessionState, ack: Ack) -> None:
        """Check every field, then record the answer."""
        question = find_question(state, form.value.about)
        if question is None:
            await refuse(ack, values, texts_people.CARD_CHANGED)
            return
        answer, shown, wrong = answer_of(question.asked, values)
        if wrong:
            await ack(response_action="errors", errors=wrong)
            return
        entry = AnswerEntry(
            entry_id=f"form:{form.view_id}",
            question_id=form.value.about,
            answer=answer,
            shown=shown,
            by=form.user,
            how="modal",
        )
        await self.forms.record(form, ack, entry)

    async def file_added(self, body: Body, ack: Ack) -> None:
        """Files as the answer."""
        await self.submitted(body, ack, self.on_file_added)

    async def on_file_added(self, form: Form, values: Values, state: SessionState, ack: Ack) -> None:
        """Record them; they are fetched when the answer is taken in."""
        files: list[Mapping[str, Any]] = values.get(UPLOAD, {}).get(UPLOAD, {}).get("files") or []
        attachments = tuple(attachment(file) for file in files[:FILES])
        words = text_in(values, "text").strip()
        entry = AnswerEntry(
            entry_id=f"form:{form.view_id}",
            question_id=form.value.about,
            answer=words,
            shown="\n".join(filter(None, (words, *(file.name for file in attachments)))),
            attachments=attachments,
            by=form.user,
            how="modal",
        )
        await self.forms.record(form, ack, entry)

    async def submitted(
        self, body: Body, ack: Ack, handle: Callable[[Form, Values, SessionState, Ack], Awaitable[None]]
    ) -> None:
        """Read the form and the session it belongs to."""
        written: Values = body["view"]["state"]["values"]
        try:
            form, values = form_of(body)
            state = await load_state(self.store, str(form.value.session))
        except BadValue:
            await refuse(ack, written, texts.STALE_BUTTON)
            return
        except StoreError as error:
            log.warning("form of %s: %s", body["user"]["id"], error)
            await refuse(ack, written, texts.UNREACHABLE_STORE)
            return
        await handle(form, values, state, ack)


def first_field(values: Values) -> str:
    """The block of a form that a sentence about all of it stands at."""
    return next(iter(values), UPLOAD)


def text_in(values: Values, block_id: str) -> str:
    """What was written in an input."""
    return str(values.get(block_id, {}).get(block_id, {}).get("value") or "")


async def refuse(ack: Ack, values: Values, words: str) -> None:
    """Keep the form open, with a sentence at its first field."""
    await ack(response_action="errors", errors={first_field(values): words})
