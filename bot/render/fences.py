"""Markdown's fences around code, as far as every reader of Markdown agrees on them."""

import re
from dataclasses import dataclass

OPENING = re.compile(r"^(?P<marks>`{3,20}|~{3,20})(?P<info>[^`\r\n]*)\r?\n?$")
CLOSING = re.compile(r"^ {0,3}(?P<marks>`{3,}|~{3,})[ \t]*\r?\n?$")
INFO = 40
"""Characters of the language's name that are repeated where a block is continued in another message."""


@dataclass(frozen=True, slots=True)
class Fence:
    """The fence an open block of code began with."""

    marks: str
    info: str

    @property
    def line(self) -> str:
        """The line that opens it again."""
        return self.marks + self.info


def opened(line: str) -> Fence | None:
    """The fence a line opens, with or without its line feed; None for any other line."""
    found = OPENING.match(line)
    return Fence(found["marks"], found["info"].strip()[:INFO]) if found else None


def closes(line: str, fence: Fence) -> bool:
    """Whether a line ends the block: the same mark, at least as often, and nothing after it."""
    found = CLOSING.match(line)
    return found is not None and found["marks"].startswith(fence.marks)


def after(text: str, fence: Fence | None) -> Fence | None:
    """The fence that is open after the text, given the one that is open before it; those in lists and quotes too."""
    for line in text.splitlines():
        if fence is None:
            fence = opened(line.lstrip(" \t>"))
        elif closes(line.lstrip(" \t>"), fence):
            fence = None
    return fence
