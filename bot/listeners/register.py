"""Every listener of the app in one place."""

import re
from dataclasses import dataclass
from typing import Any

from slack_bolt.async_app import AsyncApp

from bot.listeners.clicks import Ack, Clicks
from bot.listeners.edits import EditClicks, EditForms
from bot.listeners.forms import Forms
from bot.listeners.ingress import Ingress
from bot.listeners.limits import LimitClicks
from bot.listeners.modals import ANSWER, DENIAL
from bot.listeners.people import PeopleClicks, PeopleForms
from bot.listeners.people_modals import EDITING, FIELDS, FILE, PICKED
from bot.listeners.plans import PLAN, Plans
from bot.listeners.reading import Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class Listeners:
    """All of them."""

    ingress: Ingress
    clicks: Clicks
    forms: Forms
    reading: Reading
    limits: LimitClicks
    people: PeopleClicks
    people_forms: PeopleForms
    edits: EditClicks
    edit_forms: EditForms
    plans: Plans


async def acknowledge(ack: Ack) -> None:
    """Nothing more to do: the middleware has recorded what mattered. An event without a listener would get a 404."""
    await ack()


def register(app: AsyncApp, listeners: Listeners) -> None:
    """Connect the app."""
    wire: Any = app  # the decorators of Bolt are only partly typed
    wire.middleware(listeners.ingress.middleware)
    wire.event(re.compile(".*"))(acknowledge)
    clicks, forms, reading = listeners.clicks, listeners.forms, listeners.reading
    wire.action(re.compile(r"^question_choice_\d+$"))(clicks.choice)
    wire.action("question_pick")(clicks.pick)
    wire.action("question_other")(listeners.people.other)
    wire.action("approval_approve")(clicks.approve)
    wire.action("approval_deny")(clicks.deny)
    wire.action("approval_show")(reading.call)
    wire.action("limit_add")(listeners.limits.add)
    wire.action("limit_end")(listeners.limits.end)
    wire.action("approval_allow")(listeners.people.allow)
    wire.action("approval_edit")(listeners.edits.edit)
    wire.action(re.compile(rf"^{PICKED}\d+$"))(listeners.edits.edit_picked)
    wire.action("grant_revoke")(listeners.people.revoke)
    wire.action("run_resume")(listeners.people.resume)
    wire.action("question_fields")(listeners.people.fill_in)
    wire.action("question_file")(listeners.people.add_file)
    wire.action("show_output")(reading.output)
    wire.action("stop_run")(clicks.stop)
    wire.action("verbosity")(clicks.verbosity)
    wire.action("plan_edit")(listeners.plans.edit)
    wire.action(re.compile(".*"))(acknowledge)
    wire.view(ANSWER)(forms.answer)
    wire.view(DENIAL)(forms.denial)
    wire.view(EDITING)(listeners.edit_forms.edited)
    wire.view(FIELDS)(listeners.people_forms.filled_in)
    wire.view(FILE)(listeners.people_forms.file_added)
    wire.view(PLAN)(listeners.plans.edited)
