"""Pure edits of a text: replacing one passage, inserting lines, and the numbered views shown afterwards."""

import difflib
import re
from collections.abc import Sequence

from tools.errors import ToolInputError
from tools.text import visible
from tools.textfile import LINE_END, TextFile

ANY_LINE_END = r"(?:\r\n|(?<!\r)\n)"
"""Either line end as a whole, so that a passage beginning with one has a single place in a file of Windows."""
CONTEXT_LINES = 4
MAX_LINE_CHARS = 2_000
MAX_NAMED_PLACES = 8
MAX_LINES_COMPARED = 5_000


def replaced(file: TextFile, path: str, old: str, new: str) -> tuple[TextFile, int]:
    """The file with the only occurrence of `old` replaced, and the index of the first line changed.

    Line ends of `old` match those of the file; `new` gets the line end most lines of the file have.

    Raises:
        ToolInputError: `old` occurs never or several times; the text says where it almost or exactly does.
    """
    if not old:
        raise ToolInputError("old_str is empty. Use insert to add lines, or create to write the whole file.")
    pattern = ANY_LINE_END.join(re.escape(part) for part in LINE_END.split(old))
    places = [found.start() for found in re.finditer(f"(?={pattern})", file.text)]
    if not places:
        raise ToolInputError(f"{path}: old_str does not occur, so nothing was changed.{nearest(file, old)}")
    if len(places) > 1:
        raise ToolInputError(several(file, path, places))
    found = re.compile(pattern).match(file.text, places[0])
    end = found.end() if found else places[0]
    text = file.text[: places[0]] + file.adapted(new) + file.text[end:]
    if text == file.text:
        raise ToolInputError(f"{path}: old_str and new_str are the same, so nothing was changed.")
    return file.with_text(text), line_at(file, places[0])


def inserted(file: TextFile, path: str, after_line: int, text: str) -> TextFile:
    """The file with lines added after line `after_line` (0: before the first).

    A last line without a line end stays without one.

    Raises:
        ToolInputError: there is no such line.
    """
    lines = kept_lines(file.text)
    if not 0 <= after_line <= len(lines):
        raise ToolInputError(f"{path}: has {len(lines)} lines, so insert_line must lie between 0 and {len(lines)}.")
    added = file.adapted(text)
    head, tail = "".join(lines[:after_line]), "".join(lines[after_line:])
    if head and not head.endswith("\n"):
        return file.with_text(head + file.newline + added.removesuffix(file.newline))
    if not added.endswith("\n"):
        added += file.newline
    return file.with_text(head + added + tail)


def kept_lines(text: str) -> list[str]:
    """The lines with their ends."""
    return re.findall(r"[^\n]*\n|[^\n]+\Z", text)


def line_at(file: TextFile, place: int) -> int:
    """The index of the line a character stands in."""
    return file.text.count("\n", 0, place)


def several(file: TextFile, path: str, places: Sequence[int]) -> str:
    """Where the passage occurs, for a model that must choose."""
    lines = ", ".join(str(line_at(file, place) + 1) for place in places[:MAX_NAMED_PLACES])
    more = " and more" if len(places) > MAX_NAMED_PLACES else ""
    return (
        f"{path}: old_str occurs {len(places)} times, at lines {lines}{more}, so nothing was changed. "
        "Add lines around it until it is unique."
    )


def nearest(file: TextFile, old: str) -> str:
    """What in the file looks most like a passage that does not occur."""
    wanted = LINE_END.split(old.strip("\r\n"))
    lines = file.lines
    squeezed = [" ".join(line.split()) for line in lines]
    target = [" ".join(line.split()) for line in wanted]
    for start in range(len(lines) - len(wanted) + 1):
        if squeezed[start : start + len(wanted)] == target:
            return (
                f" Lines {start + 1} to {start + len(wanted)} differ from it in white space only (tabs, spaces):\n"
                + numbered(lines, start, start + len(wanted))
            )
    if not file.text:
        return " The file is empty."
    first = next((line for line in wanted if line.strip()), "")
    close = difflib.get_close_matches(first, lines[:MAX_LINES_COMPARED], n=1, cutoff=0.6) if len(first) < 500 else []
    if not close:
        return " View the file to see what it holds."
    at = lines.index(close[0])
    return f" The nearest is at line {at + 1}:\n" + numbered(lines, at, min(at + len(wanted), len(lines)))


def numbered(lines: Sequence[str], start: int, end: int) -> str:
    """Lines `start` to `end` (exclusive) with their numbers, hidden characters made visible, overlong lines cut."""
    return "\n".join(f"{index + 1:6d}\t{shown(lines[index])}" for index in range(max(0, start), min(end, len(lines))))


def shown(line: str) -> str:
    """One line fit to be read."""
    if len(line) > MAX_LINE_CHARS:
        line = f"{line[:MAX_LINE_CHARS]} [... {len(line) - MAX_LINE_CHARS:,} characters of this line left out]"
    return visible(line)


def around(file: TextFile, first: int, count: int) -> str:
    """The changed lines with a few before and after, numbered."""
    return numbered(file.lines, first - CONTEXT_LINES, first + count + CONTEXT_LINES)
