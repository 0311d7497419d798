"""A model's Markdown cut into messages: whole, in order, each valid by itself, code fences closed and reopened."""

import json
import re
from collections.abc import Iterator

from bot.render import escape
from bot.render.limits import MARKDOWN_PART, Block

FENCE_LINE = re.compile(r"^(?P<ticks>`{3,}|~{3,})(?P<info>[^`]*)$")
ROOM_FOR_FENCES = 80


def weight(text: str) -> int:
    """How much of a message's JSON the text takes: escaped quotes and line feeds count twice, other scripts more."""
    return len(json.dumps(text, ensure_ascii=False).encode())


def fence_after(text: str, fence: str) -> str:
    """The fence that is open after the text, given the one open before it; empty when none is."""
    for line in text.split("\n"):
        found = FENCE_LINE.match(line.strip())
        if found is None:
            continue
        if not fence:
            fence = found["ticks"] + found["info"].strip()[:40]
        elif line.strip().startswith(fence[:3]) and not found["info"].strip():
            fence = ""
    return fence


def hard_cuts(line: str, room: int) -> Iterator[str]:
    """A line too heavy for a message, in pieces that fit; at spaces where there are any."""
    while weight(line) > room:
        cut = room // max(1, weight(line) // len(line) + 1)
        space = line.rfind(" ", cut // 2, cut)
        cut = space + 1 if space > 0 else max(1, cut)
        yield line[:cut]
        line = line[cut:]
    yield line


def pieces(text: str, room: int) -> Iterator[str]:
    """Lines with their line feeds; heavier ones in several pieces."""
    for line in text.splitlines(keepends=True):
        yield from hard_cuts(line, room) if weight(line) > room else (line,)


def cut_point(lines: list[str], open_fence: bool) -> int:
    """Where to end a part: after the last blank line of its second half outside of code, else at its end."""
    if open_fence:
        return len(lines)
    for index in range(len(lines) - 1, len(lines) // 2, -1):
        if not lines[index].strip():
            return index + 1
    return len(lines)


def split(text: str, limit: int = MARKDOWN_PART) -> list[str]:
    """The text in parts of at most `limit` characters of JSON.

    Nothing is dropped: joined again without the fences added at the seams, the parts are the text.
    """
    room = limit - ROOM_FOR_FENCES
    parts: list[str] = []
    current: list[str] = []
    fence = ""
    size = 0
    for piece in pieces(text, room):
        if size + weight(piece) > room and current:
            open_fence = fence_after("".join(current), fence)
            cut = cut_point(current, bool(open_fence))
            parts.append(closed("".join(current[:cut]), fence))
            fence = fence_after("".join(current[:cut]), fence)
            current = current[cut:]
            size = sum(weight(line) for line in current)
        current.append(piece)
        size += weight(piece)
    if current or not parts:
        parts.append(closed("".join(current), fence))
    return parts


def closed(body: str, fence: str) -> str:
    """One part with the fence it starts in reopened and the one it ends in closed."""
    still_open = fence_after(body, fence)
    head = fence + "\n" if fence else ""
    tail = ("" if body.endswith("\n") else "\n") + still_open[:3] if still_open else ""
    return head + body + tail


def block(text: str) -> Block:
    """A markdown block; the text must already be harmless."""
    return {"type": "markdown", "text": text}


def parts(text: str) -> list[str]:
    """Foreign Markdown, harmless and cut into messages."""
    return split(escape.markdown(text))
