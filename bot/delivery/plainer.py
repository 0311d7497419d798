"""The same message in ever plainer forms, for when Slack refuses one; what it says stays whole."""

from collections.abc import Awaitable, Callable, Iterator
from typing import TypeVar

from bot.delivery.errors import Refused, TooBig
from bot.render import blocks, escape, tables
from bot.render.content import Content
from bot.render.limits import MESSAGE_BLOCKS, SECTION_TEXT, Block

T = TypeVar("T")


async def sent(content: Content, send: Callable[[Content], Awaitable[T]]) -> T:
    """Send a message in the fullest form that Slack takes.

    Raises:
        Refused: it takes none, or the place does not work.
    """
    reason = ""
    for form in forms(content):
        try:
            return await send(form)
        except TooBig as error:
            reason = str(error)
    raise Refused(reason)


def forms(content: Content) -> Iterator[Content]:
    """As it was meant, as plain sections, as text alone."""
    yield content
    words = "\n\n".join(filter(None, (text_of(block) for block in content.blocks))) or content.text
    cuts = range(0, max(1, len(words)), SECTION_TEXT)
    sections = tuple(blocks.section(words[cut : cut + SECTION_TEXT]) for cut in cuts)
    yield Content(text=content.text, blocks=sections[:MESSAGE_BLOCKS])
    yield Content(text=words, blocks=())
    yield Content(text=content.text, blocks=())


def text_of(block: Block) -> str:
    """The words of a section, a markdown block, a table or a plan."""
    match block["type"]:
        case "markdown":
            return escape.mrkdwn(str(block["text"]))
        case "section":
            return str(block["text"]["text"])
        case "table":
            return escape.mrkdwn(tables.words_of(block))
        case "plan":
            return "\n".join(f"• {escape.mrkdwn(str(task['title']))}" for task in block["tasks"])
        case _:
            return ""
