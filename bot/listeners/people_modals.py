"""Modals as values: the arguments of a call to edit, the fields of a question, a file as the answer."""

from bot import texts, texts_people
from bot.listeners.modals import text
from bot.listeners.values import ButtonValue
from bot.render import escape
from bot.render.blocks import context
from bot.render.editing import values_of
from bot.render.limits import INPUT_MAX_LENGTH, OPTION_TEXT, VIEW_TITLE, Block, clipped
from runtime.session.events import ApprovalRequested, FormField, QuestionAsked

EDITING = "edit_form"
FIELDS = "question_fields"
FILE = "question_file"
ARGUMENT = "arg-"
ONE_FIELD = "field-"
UPLOAD = "file"
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


def edit_modal(value: ButtonValue, requested: ApprovalRequested) -> Block:
    """A field per argument, filled with what it is."""
    fields = [
        field(f"{ARGUMENT}{name}", name, typing(initial=written), optional=True)
        for name, written in values_of(requested.arguments).items()
    ]
    submit = texts_people.EDIT_SUBMIT
    return modal(EDITING, texts_people.EDIT_TITLE, submit, value, *fields, context(texts_people.EDIT_HINT))


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
    return modal(FIELDS, texts.ANSWER_TITLE, texts.SEND, value, *fields)


def file_modal(value: ButtonValue) -> Block:
    """Files, and a word about them if one likes."""
    upload = field(UPLOAD, texts_people.FILE_TITLE, {"type": "file_input", "max_files": 5})
    words = field("text", texts.YOUR_ANSWER, typing(), optional=True)
    return modal(FILE, texts_people.FILE_TITLE, texts.SEND, value, upload, words)
