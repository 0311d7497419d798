"""Modals as values: the form of an answer, the form of a no, and long text to read."""

from collections.abc import Iterator

from bot import texts
from bot.listeners.values import ButtonValue
from bot.render import escape
from bot.render.blocks import section
from bot.render.limits import INPUT_MAX_LENGTH, MODAL_BLOCKS, SECTION_TEXT, VIEW_TITLE, Block, clipped

ANSWER = "question_form"
DENIAL = "denial_form"
FIELD = "text"
CHUNK = SECTION_TEXT - 600
"""Characters of raw text per block; escaping makes it longer."""


def text(value: str) -> Block:
    """A plain_text object."""
    return {"type": "plain_text", "text": value}


def form(callback_id: str, title: str, label: str, value: ButtonValue, *, hint: str = "", optional: bool) -> Block:
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
        "blocks": [field],
    }


def answer_modal(value: ButtonValue) -> Block:
    """An answer in one's own words."""
    return form(ANSWER, texts.ANSWER_TITLE, texts.YOUR_ANSWER, value, optional=False)


def deny_modal(value: ButtonValue) -> Block:
    """A no and, if one likes, why."""
    return form(DENIAL, texts.DENY_TITLE, texts.WHY_NOT, value, hint=texts.WHY_NOT_HINT, optional=True)


def chunks(long: str) -> Iterator[str]:
    """The text in pieces for code blocks, cut at line ends where there are any."""
    while len(long) > CHUNK:
        cut = long.rfind("\n", 0, CHUNK) + 1 or CHUNK
        yield long[:cut]
        long = long[cut:]
    yield long


def fits_modal(long: str) -> bool:
    """Whether the whole text can be read in one modal."""
    return sum(1 for _ in chunks(long)) <= MODAL_BLOCKS and len(escape.mrkdwn(long)) < 200_000


def reading_modal(title: str, long: str) -> Block:
    """Text to read, all of it; the caller has checked that it fits."""
    parts = list(chunks(long or texts.SAID_NOTHING))[:MODAL_BLOCKS]
    return {
        "type": "modal",
        "title": text(clipped(title, VIEW_TITLE)),
        "close": text(texts.CLOSE),
        "blocks": [section(escape.code(part)) for part in parts],
    }
