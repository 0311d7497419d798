"""A plan edited in a form: a line for each step that is still to be done, to move, rename, add or delete."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot import texts_plan
from bot.listeners.clicks import Ack, Body
from bot.listeners.forms import Form
from bot.listeners.modals import notice_modal
from bot.listeners.people import PeopleClicks, PeopleForms, Values, refuse, text_in
from bot.listeners.people_modals import field, modal, typing
from bot.listeners.values import ButtonValue
from bot.render import escape
from bot.render.limits import INPUT_MAX_LENGTH, Block
from runtime.session.entries import PlanEditEntry
from runtime.session.plan_intake import MOST_STEPS, TITLE, open_titles
from runtime.session.state import RunState, SessionState

PLAN = "plan_form"
LINES = "steps-"
MOST_INPUTS = 20
"""A plan that takes more inputs than this is edited in words: nobody reads so long a form on a phone."""
ROOM = INPUT_MAX_LENGTH - TITLE
"""Characters that an input is filled with, so that there is room to write in each."""


def shown(title: str) -> str:
    """A step as a line: nothing invisible, nothing that Slack acts on."""
    return escape.plain(title) or "-"


def inputs(titles: Sequence[str]) -> Iterator[str]:
    """The lines in texts that an input takes."""
    held: list[str] = []
    for line in (shown(title) for title in titles):
        if held and sum(len(one) + 1 for one in held) + len(line) > ROOM:
            yield "\n".join(held)
            held = []
        held.append(line)
    yield "\n".join(held)


def plan_modal(value: ButtonValue, run: RunState) -> Block | None:
    """The form, or a sentence where no form holds the plan; None where nothing is left to be changed."""
    titles = open_titles(run)
    if not run.is_active or run.plan is None or not titles:
        return None
    texts = list(inputs(titles))
    if len(texts) > MOST_INPUTS or len(run.plan.steps) > MOST_STEPS:
        return notice_modal(texts_plan.NO_FORM)
    address = ButtonValue(session=value.session, about=run.run_id, choice=str(run.plan_seq))
    fields = [
        field(
            f"{LINES}{number}",
            texts_plan.MORE if number else texts_plan.LABEL,
            typing(initial=words),
            optional=True,
            hint="" if number else texts_plan.HINT,
        )
        for number, words in enumerate(texts)
    ]
    return modal(PLAN, texts_plan.TITLE, texts_plan.SUBMIT, address, *fields)


def line_blocks(values: Values) -> list[str]:
    """The inputs of a form that was sent, all of them, in order."""
    numbers = (block_id.removeprefix(LINES) for block_id in values if block_id.startswith(LINES))
    return [f"{LINES}{number}" for number in sorted(int(number) for number in numbers if number.isdecimal())]


def titles_of(run: RunState, lines: Sequence[str]) -> tuple[str, ...]:
    """Lines as titles; a line that nobody touched is the step's own title, whatever is invisible in it."""
    own = {shown(title): title for title in open_titles(run)}
    return tuple(own.get(line, line.replace(escape.BROKEN, "")) for line in lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plans:
    """The listeners of "Edit plan" and its form."""

    clicks: PeopleClicks
    forms: PeopleForms

    async def edit(self, body: Body, ack: Ack) -> None:
        """Open the form."""

        def form(state: SessionState, value: ButtonValue) -> Block | None:
            run = state.active_run
            return plan_modal(value, run) if run is not None and run.run_id == value.about else None

        await self.clicks.open(body, ack, form, texts_plan.NO_PLAN)

    async def edited(self, body: Body, ack: Ack) -> None:
        """The lines as they were sent."""
        await self.forms.submitted(body, ack, self.on_edited)

    async def on_edited(self, form: Form, values: Values, state: SessionState, ack: Ack) -> None:
        """Check them, then record the edit."""
        run = state.active_run
        if run is None or run.plan is None or run.run_id != form.value.about:
            await refuse(ack, values, texts_plan.NO_PLAN)
            return
        written = "\n".join(text_in(values, block_id) for block_id in line_blocks(values))
        lines = [" ".join(line.split()) for line in written.splitlines() if line.strip()]
        if wrong := problem_of(run, lines):
            await refuse(ack, values, wrong)
            return
        entry = PlanEditEntry(
            entry_id=f"form:{form.view_id}",
            run_id=run.run_id,
            plan_seq=int(form.value.choice) if form.value.choice.isdecimal() else 0,
            titles=titles_of(run, lines),
            by=form.user,
        )
        await self.forms.forms.record(form, ack, entry)


def problem_of(run: RunState, lines: Sequence[str]) -> str:
    """Why the lines are no plan, in words for who wrote them; empty where they are one."""
    fixed = len(run.plan.steps) - len(open_titles(run)) if run.plan else 0
    if not lines and not fixed:
        return texts_plan.EMPTY
    if fixed + len(lines) > MOST_STEPS:
        return texts_plan.too_many(MOST_STEPS)
    kept = {shown(title) for title in open_titles(run)}
    long = next((line for line in lines if len(line) > TITLE and line not in kept), "")
    return texts_plan.too_long(long, TITLE) if long else ""
