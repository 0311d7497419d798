"""Modals as values: the arguments of a call to edit, the fields of a question, a file as the answer."""

import re
from collections.abc import Callable
from dataclasses import replace

from bot import texts, texts_people
from bot.listeners.modals import about, text
from bot.listeners.values import ButtonValue
from bot.render import escape
from bot.render.blocks import button, context, section
from bot.render.editing import fields_of, is_editable
from bot.render.limits import INPUT_MAX_LENGTH, OPTION_TEXT, VIEW_TITLE, Block, clipped
from runtime.session.approval_events import CoveredCall
from runtime.session.cards import parts
from runtime.session.events import ApprovalRequested, FormField, QuestionAsked
from tools.text import visible

EDITING = "edit_form"
FIELDS = "question_fields"
FILE = "question_file"
ARGUMENT = "arg-"
PICKED = "edit_call_"
TITLE = 300
BEGINNING = 200
"""Characters of a call by which it is told from the others on its card."""
ONE_FIELD = "field-"
UPLOAD = "file"
CODES = re.compile(r"⟨[^⟩]*⟩")
LABEL = 150
"""Characters of an input's label; Slack takes 2,000, a phone shows a line."""


def modal(callback_id: str, title: str, submit: str, value: ButtonValue, *blocks: Block) -> Block:
    """A form whose metadata is only an address; who submits is checked like a click."""
    return {
        "type": "modal",
        "callback_id": callback_id,
        "title": text(clipped(title, VIEW_TITLE)),
        "submit": text(submit),
        "close": text(texts.CANCEL),
        "private_metadata": value.pack(),
        "blocks": list(blocks),
    }


def field(block_id: str, label: str, element: Block, *, optional: bool = False, hint: str = "") -> Block:
    """One input."""
    built: Block = {
        "type": "input",
        "block_id": block_id,
        "label": text(clipped(escape.plain(label), LABEL) or "-"),
        "element": {**element, "action_id": block_id},
        "optional": optional,
    }
    return {**built, "hint": text(hint)} if hint else built


def typing(*, initial: str = "", multiline: bool = True) -> Block:
    """A field to write in."""
    built: Block = {"type": "plain_text_input", "multiline": multiline, "max_length": INPUT_MAX_LENGTH}
    return {**built, "initial_value": initial} if initial else built


def edit_modal(value: ButtonValue, call: CoveredCall) -> Block:
    """A field per argument, filled with what it is; several where one cannot hold it."""
    fields = [
        field(
            f"{ARGUMENT}{one.key}",
            texts_people.piece(one.name, one.number + 1, one.of),
            typing(initial=one.text, multiline=not one.is_short),
            optional=True,
            hint=texts_people.unseen(CODES.findall(visible(one.text))) if visible(one.text) != one.text else "",
        )
        for one in fields_of(call.arguments)
    ]
    submit = texts_people.EDIT_SUBMIT
    return modal(EDITING, texts_people.EDIT_TITLE, submit, value, *fields, context(texts_people.EDIT_HINT))


def which_modal(value: ButtonValue, requested: ApprovalRequested, is_secret: Callable[[CoveredCall], bool]) -> Block:
    """The calls of a card, each with a button that turns this into its form, or why it has none."""
    blocks: list[Block] = []
    for number, call in enumerate(parts(requested)):
        title, begins = escape.within(call.title, TITLE), clipped(call.body, BEGINNING)
        words = f"*{number + 1}. {title}*\n{escape.code(begins)}"
        chosen = replace(value, choice=str(number)).pack()
        if is_secret(call):
            blocks.append(section(f"{words}\n{texts_people.NOT_SHOWN_IN_FORM}"))
        elif is_editable(call):
            blocks.append(section(words, button(texts_people.EDIT, f"{PICKED}{number}", chosen)))
        else:
            why = texts_people.TOO_LONG_TO_EDIT if fields_of(call.arguments) else texts_people.NOTHING_TO_EDIT
            blocks.append(section(f"{words}\n{why}"))
    return {
        "type": "modal",
        "title": text(texts_people.EDIT_WHICH),
        "close": text(texts.CANCEL),
        "blocks": blocks,
    }


def option(label: str, value: str) -> Block:
    """A choice of a menu."""
    return {"text": text(clipped(escape.plain(label), OPTION_TEXT) or "-"), "value": value}


def element_of(asked: FormField) -> Block:
    """The kind of input a field of a question has."""
    match asked.kind:
        case "choice":
            options = [option(choice, str(number)) for number, choice in enumerate(asked.choices)]
            return {"type": "static_select", "options": options, "placeholder": text(texts.CHOOSE)}
        case "date":
            return {"type": "datepicker"}
        case "long_text":
            return typing()
        case "text" | "number" | "email":
            # Numbers and addresses are checked by us: Slack's own inputs are not on every client.
            return typing(multiline=False)


def fields_modal(value: ButtonValue, asked: QuestionAsked) -> Block:
    """Every field of a question."""
    fields = [
        field(f"{ONE_FIELD}{number}", one.label, element_of(one), optional=one.optional)
        for number, one in enumerate(asked.fields)
    ]
    return modal(FIELDS, texts.ANSWER_TITLE, texts.SEND, value, *about(asked.question), *fields)


def file_modal(value: ButtonValue, question: str = "") -> Block:
    """Files, and a word about them if one likes."""
    upload = field(UPLOAD, texts_people.FILE_TITLE, {"type": "file_input", "max_files": 5})
    words = field("text", texts.YOUR_ANSWER, typing(), optional=True)
    return modal(FILE, texts_people.FILE_TITLE, texts.SEND, value, *about(question), upload, words)
