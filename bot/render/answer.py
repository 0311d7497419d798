"""The last word of a run: the answer in as many messages as it needs, the last one with the footer."""

from bot import texts, texts_surface
from bot.render import escape, markdown
from bot.render.blocks import context, section
from bot.render.content import Content
from bot.render.limits import ANSWER_PARTS, TEXT_FALLBACK, clipped
from runtime.session.state import RunState


def too_long(run: RunState) -> bool:
    """Whether the answer goes into a file, with its beginning in the thread."""
    return len(run.answer) > markdown.MARKDOWN_PART and len(markdown.parts(run.answer)) > ANSWER_PARTS


def render(run: RunState) -> tuple[Content, ...]:
    """The messages of an ended run, in order; without an answer of the model, one sentence of ours."""
    footer = context(*filter(None, (texts_surface.caveat(run.detail) if run.answer else "", texts.footer(run))))
    if not run.answer.strip():
        ours = texts.last_word(run)
        return (Content(text=clipped(ours, TEXT_FALLBACK), blocks=(section(ours), footer)),)
    parts = markdown.parts(run.answer)
    if len(parts) > ANSWER_PARTS:
        parts = [parts[0] + "\n\n" + texts.TOO_LONG_FOR_HERE]
    return tuple(
        Content(
            text=escape.beside(part),
            blocks=(markdown.block(part), footer) if index == len(parts) - 1 else (markdown.block(part),),
        )
        for index, part in enumerate(parts)
    )
