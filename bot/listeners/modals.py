"""Modals as values: the form of an answer, the form of a no, and long text to read."""

from collections.abc import Iterator

from bot import texts, texts_people
from bot.listeners.values import ButtonValue
from bot.render import escape
from bot.render.blocks import section
from bot.render.limits import INPUT_MAX_LENGTH, MODAL_BLOCKS, MODAL_JSON, SECTION_TEXT, VIEW_TITLE, Block, clipped
from bot.render.markdown import weight

ANSWER = "question_form"
DENIAL = "denial_form"
FIELD = "text"
QUESTION = 1_000
"""Characters of a question that stand above its form."""
CHUNK = SECTION_TEXT - 600
"""Characters per block at first; escaping makes them more."""


def text(value: str) -> Block:
    """A plain_text object."""
    return {"type": "plain_text", "text": value}


def about(question: str) -> tuple[Block, ...]:
    """What a form answers, since on a phone it covers the card."""
    return (section(escape.within(question, QUESTION)),) if question else ()


def form(
    callback_id: str,
    title: str,
    label: str,
    value: ButtonValue,
    *,
    hint: str = "",
    optional: bool,
    question: str = "",
) -> Block:
    """A modal with one field. Its metadata is only an address; who submits is checked like a click."""
    field: Block = {
        "type": "input",
        "block_id": FIELD,
        "optional": optional,
        "label": text(label),
        "element": {
            "type": "plain_text_input",
            "action_id": FIELD,
            "multiline": True,
            "max_length": INPUT_MAX_LENGTH,
        },
    }
    if hint:
        field["hint"] = text(hint)
    return {
        "type": "modal",
        "callback_id": callback_id,
        "title": text(clipped(title, VIEW_TITLE)),
        "submit": text(texts.SEND if callback_id == ANSWER else texts.DENY),
        "close": text(texts.CANCEL),
        "private_metadata": value.pack(),
        "blocks": [*about(question), field],
    }


def answer_modal(value: ButtonValue, question: str = "") -> Block:
    """An answer in one's own words."""
    return form(ANSWER, texts.ANSWER_TITLE, texts.YOUR_ANSWER, value, optional=False, question=question)


def deny_modal(value: ButtonValue) -> Block:
    """A no and, if one likes, why."""
    return form(DENIAL, texts.DENY_TITLE, texts.WHY_NOT, value, hint=texts.WHY_NOT_HINT, optional=True)


def chunks(long: str) -> Iterator[str]:
    """The text in pieces that each fill at most one code block, cut at line ends where there are any."""
    start = 0
    while start < len(long):
        size = CHUNK
        while len(escape.code(long[start : start + size])) > SECTION_TEXT:
            size //= 2
        end = start + size
        if end < len(long):
            end = long.rfind("\n", start, end) + 1 or end
        yield long[start:end]
        start = end


def fits_modal(long: str) -> bool:
    """Whether the whole text can be read in one modal."""
    if len(long) > MODAL_JSON:
        return False
    view = reading_modal("", long)
    return len(view["blocks"]) <= MODAL_BLOCKS and weight(view) <= MODAL_JSON


def reading_modal(title: str, long: str) -> Block:
    """Text to read, all of it; `fits_modal` says whether Slack would take it."""
    parts = list(chunks(long)) or [texts.SAID_NOTHING]
    return {
        "type": "modal",
        "title": text(clipped(title, VIEW_TITLE)),
        "close": text(texts.CLOSE),
        "blocks": [section(escape.code(part)) for part in parts],
    }


def notice_modal(words: str) -> Block:
    """A sentence in place of a form."""
    return {
        "type": "modal",
        "title": text(texts_people.NOTHING_CHANGED),
        "close": text(texts.CLOSE),
        "blocks": [section(words)],
    }
