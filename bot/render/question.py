"""The card of a question: a button per choice and "Other…"; frozen with the answer once there is one."""

from datetime import timedelta

from bot import texts, texts_people
from bot.listeners.values import ButtonValue
from bot.render import escape, markdown
from bot.render.blocks import actions, button, section
from bot.render.content import Content
from bot.render.limits import OPTION_TEXT, SECTION_TEXT, Block, clipped
from runtime.session.events import QuestionAsked
from runtime.session.ids import SessionKey
from runtime.session.interrupted import START_WORK, takes_only_choices
from runtime.session.question_intake import NOBODY
from runtime.session.state import QuestionState, RunState

BUTTONS = 5
"""Up to so many choices are buttons; more are a menu."""
ROOM = SECTION_TEXT - 300
ANSWER = 2_000


def is_long(asked: QuestionAsked) -> bool:
    """Whether the question stands in messages of its own before the card."""
    return len(asked.question) > ROOM or escape.within(asked.question, ROOM) != escape.mrkdwn(asked.question)


def before_card(asked: QuestionAsked) -> tuple[Content, ...]:
    """The messages of a long question, whole."""
    asked = texts.worded(asked)
    if not is_long(asked):
        return ()
    parts = markdown.parts(asked.question)
    return tuple(Content(text=escape.beside(part), blocks=(markdown.block(part),)) for part in parts)


def menu(question: QuestionState) -> Block:
    """A select; an option's value is the choice's number, since a choice may be longer than a value."""
    options = [
        {
            "text": {"type": "plain_text", "text": clipped(escape.plain(choice), OPTION_TEXT) or "-", "emoji": False},
            "value": str(index),
        }
        for index, choice in enumerate(question.asked.choices)
    ]
    return {
        "type": "static_select",
        "action_id": "question_pick",
        "placeholder": {"type": "plain_text", "text": texts.CHOOSE},
        "options": options,
    }


def choices(key: SessionKey, question: QuestionState) -> Block:
    """The row of controls of an open question."""
    about = question.asked.question_id
    other = button(texts.OTHER, "question_other", ButtonValue(session=key, about=about).pack())
    asked = question.asked.choices
    value = ButtonValue(session=key, about=about).pack()
    if question.asked.fields:
        fill_in = button(texts_people.FILL_IN, "question_fields", value, "primary")
        return actions(f"question-{about}", fill_in, *choice_buttons(key, question))
    if question.asked.wants_file:
        return actions(f"question-{about}", button(texts_people.ADD_FILE, "question_file", value, "primary"), other)
    free = () if asked and takes_only_choices(question.asked) else (other,)
    if len(asked) > BUTTONS:
        return actions(f"question-{about}", menu(question), *free)
    return actions(f"question-{about}", *choice_buttons(key, question), *free)


def choice_buttons(key: SessionKey, question: QuestionState) -> list[Block]:
    """A button per choice."""
    about = question.asked.question_id
    return [
        button(
            escape.plain(choice) or "-",
            f"question_choice_{index}",
            ButtonValue(session=key, about=about, choice=str(index)).pack(),
            "primary" if choice == START_WORK and question.asked.purpose == "plan" else "",
        )
        for index, choice in enumerate(question.asked.choices)
    ]


def render(key: SessionKey, run: RunState, question: QuestionState) -> Content:
    """The card as it should look now."""
    asked, answered = texts.worded(question.asked), question.answered
    words = texts.QUESTION_ABOVE if is_long(asked) else escape.mrkdwn(asked.question)
    plain = escape.beside(asked.question)
    if answered is not None and answered.how in NOBODY and asked.purpose == "ask":
        words_after = texts_people.unanswered(answered.how, escape.within(answered.answer, ANSWER))
        return Content(text=plain, blocks=(section(words), section(words_after), choices(key, question)))
    if answered is not None:
        answer = escape.within(answered.shown or answered.answer, ANSWER)
        frozen = texts.question_answered(answered.by, answer, answered.how)
        return Content(text=plain, blocks=(section(words), section(frozen)))
    if not run.is_active:
        return Content(text=plain, blocks=(section(words), section(texts.question_closed())))
    waits = timedelta(milliseconds=asked.expires_at_ms - question.at_ms)
    terms = texts_people.waits(asked, escape.within(asked.default, OPTION_TEXT))
    head = f"<@{asked.asked_of}> {words}\n_{terms}_" if terms else texts.question(asked.asked_of, words, waits)
    return Content(text=plain, blocks=(section(head), choices(key, question)))
