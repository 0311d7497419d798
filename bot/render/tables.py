"""Tables of an answer as Slack's own table blocks; what these cannot hold is aligned text, whole.

Text and cells must already be harmless. Slack takes one table a message (a second one is refused, as reported by
others), 100 rows, 20 columns; a longer table goes on in the next message under the same header.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.render import escape
from bot.render.limits import MARKDOWN_PART, TABLE_COLUMNS, TABLE_ROWS, TABLE_TEXT, Block
from bot.render.markdown import weight

DELIMITER = re.compile(r"^ {0,3}\|?[ \t]*:?-+:?[ \t]*(\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
BAR = re.compile(r"(?<!\\)\|")
MARKUP = re.compile(
    r"`(?P<code>[^`]+)`|\*\*(?P<bold>[^*]+)\*\*|~~(?P<strike>[^~]+)~~|(?<![\w*])\*(?P<italic>[^*\s][^*]*)\*(?![\w*])"
    r"|(?P<url>https?://[^\s<>|\"')]+)"
)
ESCAPED = re.compile(r"\\(?=[|*_`~\\])")
EMPTY = "–"
"""Stands in an empty cell: Slack refuses a cell without text."""
SENTENCE = 24
"""Characters of a cell that may still stay on one line on a phone."""
WIDTH = 100
"""Characters of a line of aligned text; wider tables are told row by row."""
ALIGNED_ROWS = 40
"""Rows of aligned text under one header."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table of Markdown."""

    header: tuple[str, ...]
    aligned: tuple[str, ...]
    """Of each column: left, center or right."""
    rows: tuple[tuple[str, ...], ...]


def cells(line: str) -> tuple[str, ...]:
    """The cells of a line."""
    inner = line.strip()
    inner = inner.removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return tuple(cell.strip() for cell in BAR.split(inner))


def alignment(cell: str) -> str:
    """What the line below the header says of a column."""
    if cell.endswith(":"):
        return "center" if cell.startswith(":") else "right"
    return "left"


def fitted(row: tuple[str, ...], width: int) -> tuple[str, ...]:
    """A row with as many cells as the header; what is too much stands in the last one."""
    if len(row) <= width:
        return (*row, *[""] * (width - len(row)))
    return (*row[: width - 1], " | ".join(row[width - 1 :]))


def begins(lines: Sequence[str], index: int) -> bool:
    """Whether a table begins at a line: a header, and below it a delimiter of as many cells."""
    if index + 1 >= len(lines) or not BAR.search(lines[index]) or not DELIMITER.match(lines[index + 1].rstrip("\r\n")):
        return False
    is_indented = lines[index].startswith(("    ", "\t"))
    return not is_indented and len(cells(lines[index])) == len(cells(lines[index + 1]))


def of_lines(lines: Sequence[str], index: int) -> tuple[Table, int]:
    """The table that begins at a line, and the line after it."""
    header = cells(lines[index])
    end = index + 2
    while end < len(lines) and BAR.search(lines[end]):
        end += 1
    rows = tuple(fitted(cells(line), len(header)) for line in lines[index + 2 : end])
    return Table(header=header, aligned=tuple(alignment(cell) for cell in cells(lines[index + 1])), rows=rows), end


def in_prose(text: str) -> Iterator[str | Table]:
    """Text without code, in pieces."""
    lines = text.splitlines(keepends=True)
    held: list[str] = []
    index = 0
    while index < len(lines):
        if not begins(lines, index):
            held.append(lines[index])
            index += 1
            continue
        yield "".join(held)
        held = []
        table, index = of_lines(lines, index)
        yield table
    yield "".join(held)


def pieces(text: str) -> Iterator[str | Table]:
    """The text in its order: what is no table as it is, with no piece empty."""
    if not escape.has_plain_code(text):
        yield text
        return
    held = ""
    for part, is_code in escape.blocks_of(text):
        for piece in (part,) if is_code else in_prose(part):
            if isinstance(piece, str):
                held += piece
                continue
            if held:
                yield held
            held = ""
            yield piece
    if held:
        yield held


def styled(cell: str) -> list[Block]:
    """A cell's words as elements of rich text."""
    elements: list[Block] = []
    end = 0
    for found in MARKUP.finditer(cell):
        if found.start() > end:
            elements.append({"type": "text", "text": ESCAPED.sub("", cell[end : found.start()])})
        style = found.lastgroup or ""
        if style == "url":
            elements.append({"type": "link", "url": found["url"]})
        else:
            # A bar has to be escaped in a table even within code, where no other mark is.
            words = found[style].replace("\\|", "|") if style == "code" else ESCAPED.sub("", found[style])
            elements.append({"type": "text", "text": words, "style": {style: True}})
        end = found.end()
    if end < len(cell):
        elements.append({"type": "text", "text": ESCAPED.sub("", cell[end:])})
    return elements


def cell_block(cell: str) -> Block:
    """A cell: bare text where it is nothing else."""
    if MARKUP.search(cell):
        return {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": styled(cell)}]}
    return {"type": "raw_text", "text": ESCAPED.sub("", cell) or EMPTY}


def block(table: Table, rows: Sequence[tuple[str, ...]]) -> Block:
    """Some rows of a table under its header."""
    return {
        "type": "table",
        "rows": [[cell_block(cell) for cell in row] for row in (table.header, *rows)],
        "column_settings": [
            {"align": aligned, "is_wrapped": is_long(table, column)} for column, aligned in enumerate(table.aligned)
        ],
    }


def is_long(table: Table, column: int) -> bool:
    """Whether a column's cells are sentences, which wrap; numbers and names stay on their line."""
    return any(len(row[column]) > SENTENCE for row in (table.header, *table.rows))


def shares(table: Table) -> Iterator[Block]:
    """The table in blocks that Slack takes; none where a single row is too large for one."""
    empty = weight(block(table, ()))
    room, letters = MARKDOWN_PART - empty, TABLE_TEXT - sum(map(len, table.header))
    held: list[tuple[str, ...]] = []
    used = said = 0
    for row in table.rows:
        heavy = weight([cell_block(cell) for cell in row]) + 2
        long = sum(max(1, len(cell)) for cell in row)
        if held and (used + heavy > room or said + long > letters or len(held) >= TABLE_ROWS - 1):
            yield block(table, held)
            held, used, said = [], 0, 0
        held.append(row)
        used, said = used + heavy, said + long
    yield block(table, held)


def fits(table: Table) -> bool:
    """Whether Slack's own table can hold it: not too many columns, and no row heavier than half a message."""
    most = MARKDOWN_PART // 3
    rows = (table.header, *table.rows)
    return len(table.header) <= TABLE_COLUMNS and all(
        weight([cell_block(cell) for cell in row]) <= most and sum(map(len, row)) <= TABLE_TEXT // 3 for row in rows
    )


def as_text(table: Table) -> str:
    """The table in columns of equal width, each share under its header; one that is too wide row by row."""
    widths = [max(len(row[n]) for row in (table.header, *table.rows)) for n in range(len(table.header))]
    if sum(widths) + 3 * len(widths) > WIDTH:
        return "\n".join(record(table, row) for row in table.rows) + "\n"
    drawn: list[str] = []
    for begin in range(0, max(1, len(table.rows)), ALIGNED_ROWS):
        rows = (table.header, tuple("-" * width for width in widths), *table.rows[begin : begin + ALIGNED_ROWS])
        lines = [
            "   ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
        ]
        drawn.append("\n".join(("```", *(line.replace("```", "'''") for line in lines), "```")))
    return "\n\n".join(drawn) + "\n"


def record(table: Table, row: Sequence[str]) -> str:
    """A row in words."""
    named = (f"{name}: {cell or EMPTY}" for name, cell in zip(table.header, row, strict=True))
    return "- " + "; ".join(named)


def words_of(shown: Block) -> str:
    """A table block as plain lines."""
    return "\n".join(" | ".join(cell_words(cell) for cell in row) for row in shown["rows"])


def cell_words(cell: Block) -> str:
    """The words of a cell."""
    if cell["type"] == "raw_text":
        return str(cell["text"])
    parts = cell["elements"][0]["elements"]
    return "".join(str(part.get("text") or part.get("url") or "") for part in parts)
