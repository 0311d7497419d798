"""A model's Markdown cut into messages: whole, in order, each valid by itself, code fences closed and reopened."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from bot.render import escape, fences
from bot.render.fences import Fence
from bot.render.limits import MARKDOWN_PART, Block

ROOM_FOR_FENCES = 240
"""A fence reopened (20 marks and a language in any script) and one closed."""


def weight(value: object) -> int:
    """How much of a message's JSON a value takes: escaped quotes and line feeds count twice, other scripts more."""
    return len(json.dumps(value, ensure_ascii=False).encode())


def without_new_fence(line: str, cut: int) -> int:
    """A place to cut at or shortly before another, where what follows would not begin with a fence."""
    for place in range(cut, max(1, cut - 40), -1):
        if line[place : place + 40].lstrip(" \t>")[:1] not in {"`", "~"}:
            return place
    return cut


def hard_cuts(line: str, room: int) -> Iterator[str]:
    """A line too heavy for a message, in pieces that fit; at spaces where there are any."""
    while weight(line) > room:
        cut = max(1, room // max(1, weight(line) // len(line) + 1))
        space = line.rfind(" ", cut // 2, cut)
        cut = without_new_fence(line, space + 1 if space > 0 else cut)
        yield line[:cut]
        line = line[cut:]
    yield line


def pieces(text: str, room: int) -> Iterator[str]:
    """Lines with their line feeds; heavier ones in several pieces."""
    for line in text.splitlines(keepends=True):
        yield from hard_cuts(line, room) if weight(line) > room else (line,)


def cut_point(lines: list[str], *, in_code: bool) -> int:
    """Where to end a part: after the last blank line of its second half outside of code, else at its end."""
    if in_code:
        return len(lines)
    for index in range(len(lines) - 1, len(lines) // 2, -1):
        if not lines[index].strip():
            return index + 1
    return len(lines)


@dataclass(frozen=True, slots=True)
class Part:
    """One message's share of a text, with the fences added at its seams."""

    head: str
    body: str
    tail: str

    @property
    def text(self) -> str:
        """As it is sent."""
        return self.head + self.body + self.tail


def seams(text: str, limit: int) -> list[Part]:
    """The text in parts of at most `limit` bytes of JSON; the bodies joined are the text."""
    room = limit - ROOM_FOR_FENCES
    parts: list[Part] = []
    current: list[str] = []
    fence: Fence | None = None
    size = 0
    for piece in pieces(text, room):
        if size + weight(piece) > room and current:
            cut = cut_point(current, in_code=fences.after("".join(current), fence) is not None)
            body = "".join(current[:cut])
            parts.append(closed(body, fence))
            fence = fences.after(body, fence)
            current = current[cut:]
            size = sum(weight(line) for line in current)
        current.append(piece)
        size += weight(piece)
    if current or not parts:
        parts.append(closed("".join(current), fence))
    return parts


def closed(body: str, fence: Fence | None) -> Part:
    """One part with the fence it starts in reopened and the one it ends in closed."""
    still_open = fences.after(body, fence)
    head = fence.line + "\n" if fence else ""
    if still_open is None:
        return Part(head, body, "")
    return Part(head, body, ("" if (head + body).endswith("\n") else "\n") + still_open.marks)


def split(text: str, limit: int = MARKDOWN_PART) -> list[str]:
    """The text in parts of at most `limit` bytes of JSON, none of it dropped."""
    return [part.text for part in seams(text, limit)]


def block(text: str) -> Block:
    """A markdown block; the text must already be harmless."""
    return {"type": "markdown", "text": text}


def parts(text: str) -> list[str]:
    """Foreign Markdown, harmless and cut into messages."""
    return split(escape.markdown(text))
