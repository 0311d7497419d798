"""The card at a limit, quiet notes, and the message about a model that is away."""

from bot import texts_budget
from bot.listeners.values import ButtonValue
from bot.render import escape
from bot.render.approval import mentions
from bot.render.blocks import actions, button, context, section
from bot.render.content import Content
from bot.render.limits import Block
from runtime.session.ids import SessionKey
from runtime.session.limit_state import AwayState, LimitState, NoteState
from runtime.session.state import RunState


def render(key: SessionKey, run: RunState, limit: LimitState) -> Content:
    """The card as it should look now."""
    reached = limit.reached
    who = " ".join(mentions(reached.approvers, run.requester))
    person = f"<@{run.requester}>" if who != f"<@{run.requester}>" else ""
    words = texts_budget.limit_card(reached, who, person)
    plain = texts_budget.limit_card(reached, "", person).strip()
    if limit.extended is None and run.open_limit == reached.limit_id:
        value = ButtonValue(session=key, about=reached.limit_id).pack()
        buttons: tuple[Block, ...] = (
            button(texts_budget.add_label(reached), "limit_add", value, "primary"),
            button(texts_budget.END_HERE, "limit_end", value),
        )
        row = actions(f"limit-{reached.limit_id}", *buttons)
        return Content(text=plain, blocks=(section(words), context(texts_budget.limit_wait(reached)), row))
    end = texts_budget.limit_closed(reached, limit.extended, ended_by=run.ended_by)
    return Content(text=plain, blocks=(section(words), section(end)))


def render_note(note: NoteState) -> Content:
    """A line in small print."""
    words = escape.within(texts_budget.note(note.noted), 1_000)
    return Content(text=words, blocks=(context(words),))


def render_away(run: RunState, away: AwayState) -> Content:
    """What is said of an outage now."""
    words = texts_budget.model_away(away.away, is_over=away.is_over, is_active=run.is_active)
    return Content(text=words, blocks=(section(words),))
