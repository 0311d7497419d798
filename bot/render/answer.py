"""The last word of a run: the answer in as many messages as it needs, the last one with the footer."""

from collections.abc import Iterator

from bot import texts, texts_surface
from bot.render import escape, markdown, tables
from bot.render.blocks import context, section
from bot.render.content import Content
from bot.render.limits import ANSWER_PARTS, MARKDOWN_PART, MESSAGE_BLOCKS, TEXT_FALLBACK, Block, clipped
from bot.render.markdown import weight
from runtime.session.events import CallStatus, RunOutcome
from runtime.session.state import RunState

FILE_NAME = 80
ADDRESS = 200
BLOCKS = MESSAGE_BLOCKS - 10
"""Blocks of an answer in one message; what was cut off, Resume and the footer come below."""


def too_long(run: RunState) -> bool:
    """Whether the answer goes into a file, with its beginning in the thread."""
    return len(messages(run.answer)) > ANSWER_PARTS


def blocks_of(text: str) -> Iterator[Block]:
    """Foreign Markdown as blocks, harmless and each within a message, in the text's order."""
    for piece in tables.pieces(escape.markdown(text)):
        if isinstance(piece, tables.Table) and tables.fits(piece):
            yield from tables.shares(piece)
            continue
        words = tables.as_text(piece) if isinstance(piece, tables.Table) else piece
        yield from (markdown.block(part) for part in markdown.split(words) if part.strip())


def messages(text: str) -> list[tuple[Block, ...]]:
    """The blocks of each message: as many as fit, one table at most, with room for what stands below an answer."""
    made: list[tuple[Block, ...]] = []
    for block in blocks_of(text):
        last = made[-1] if made else ()
        is_second = block["type"] == "table" and any(known["type"] == "table" for known in last)
        has_room = len(last) < BLOCKS and weight([*last, block]) <= MARKDOWN_PART
        if made and not is_second and has_room:
            made[-1] = (*last, block)
        else:
            made.append((block,))
    return made or [(markdown.block(text),)]


def words_of(blocks: tuple[Block, ...]) -> str:
    """What notifications and screen readers say of a message."""
    return "\n".join(tables.words_of(block) if block["type"] == "table" else str(block["text"]) for block in blocks)


def made(run: RunState) -> list[str]:
    """The names of the files the run made, each once, harmless."""
    paths = dict.fromkeys(file.path for call in run.makers if call.result for file in call.result.files)
    return [escape.within(path.rsplit("/", 1)[-1].replace("`", "'"), FILE_NAME) for path in paths]


def read(run: RunState) -> list[str]:
    """The addresses of the pages that the run read and its answer does not name, each once, harmless and without query.

    They stand at the beginning of a page's result, which holds no secrets.
    """
    results = [call.result for call in run.calls.values() if call.call.tool == "web_fetch" and call.result is not None]
    found = (result.output.partition(" ")[0] for result in results if result.status is CallStatus.OK)
    pages = dict.fromkeys(page.partition("?")[0] for page in found if page.startswith(("http://", "https://")))
    return [escape.within(page, ADDRESS) for page in pages if page not in run.answer]


def proof(run: RunState) -> str:
    """What was checked of the answer; empty where nothing was, or only an earlier answer."""
    last = run.checks[-1] if run.checks else None
    is_about_it = last is not None and run.steps and last.seq > run.steps[-1].seq
    if last is None or not is_about_it or run.outcome is not RunOutcome.ANSWERED:
        return ""
    return texts_surface.checked(last.checked)


def render(run: RunState) -> tuple[Content, ...]:
    """The messages of an ended run, in order; without an answer of the model, one sentence of ours."""
    caveat = texts_surface.caveat(run.detail) if run.answer else ""
    sources = texts_surface.sources(read(run)) if run.answer else ""
    lines = (caveat, proof(run), sources, texts_surface.files_above(made(run)), texts.footer(run))
    footer = context(*filter(None, lines))
    if not run.answer.strip():
        ours = texts.last_word(run)
        return (Content(text=clipped(ours, TEXT_FALLBACK), blocks=(section(ours), footer)),)
    parts = messages(run.answer)
    if too_long(run):
        parts = [(*parts[0], markdown.block(texts.TOO_LONG_FOR_HERE))]
    return tuple(
        Content(text=escape.beside(words_of(part)), blocks=(*part, footer) if index == len(parts) - 1 else part)
        for index, part in enumerate(parts)
    )
