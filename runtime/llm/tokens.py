"""Token estimates that need no vocabulary, and err on the safe side.

English prose and code have about four bytes to a token; a third of the bytes is counted. Digits, signs and texts that
are no words (tables, hashes, base64) have two or fewer: they are counted by the pieces that the common vocabularies cut
them into. Beyond ASCII half of the bytes is counted, since a Chinese character of three bytes takes one token or two.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

BYTES_PER_TOKEN = 3
BYTES_BEYOND_ASCII = 2
TOKENS_PER_MESSAGE = 4
PIECE = re.compile(r" [A-Z]?[a-z]{1,10}|_?[a-z]{1,10}|[ _]?[A-Z]{1,2}|\d{1,3}| ?[^\sA-Za-z0-9\x80-\U0010ffff]{1,2}|\s+")
FOUR_BYTES = re.compile("[\U00010000-\U0010ffff]")
MORE_PIECES = 1.1
"""Vocabularies differ; the pieces are those of the finest ones in use, and a tenth more."""


def estimated(text: str) -> int:
    """Tokens of one text, rounded up."""
    pieces = int(len(PIECE.findall(text)) * MORE_PIECES)
    if text.isascii():
        return max(-(-len(text) // BYTES_PER_TOKEN), pieces)
    plain = len(text.encode("ascii", "ignore"))
    beyond = len(text.encode(errors="surrogatepass")) - plain
    foreign = -(-beyond // BYTES_BEYOND_ASCII) + len(FOUR_BYTES.findall(text))
    return foreign + max(-(-plain // BYTES_PER_TOKEN), pieces)


estimated_once = lru_cache(maxsize=32)(estimated)
"""For what every request repeats: the system prompt and the tools."""


def estimated_messages(messages: Iterable[str]) -> int:
    """Tokens of serialised messages, with the few that frame each."""
    return sum(estimated(message) + TOKENS_PER_MESSAGE for message in messages)


@dataclass(slots=True)
class Tally:
    """Counts a memory that grows: each message once, so that a step costs the same however long the memory is."""

    count: Callable[[str], int] = estimated
    seen: tuple[str, ...] = ()
    total: int = 0

    def of(self, messages: tuple[str, ...]) -> int:
        """Tokens of all messages. Only what came since the last time is counted, unless the memory was shortened."""
        known = len(self.seen)
        grew = known and known <= len(messages)
        # A memory that was shortened has other messages in these places: what stays of it has moved to the front.
        # Compared by their text: a message that is folded anew, with the time that the server gave it, is the same.
        if not grew or messages[0] != self.seen[0] or messages[known - 1] != self.seen[-1]:
            known, self.total = 0, 0
        for index in range(known, len(messages)):
            self.total += self.count(messages[index]) + TOKENS_PER_MESSAGE
        self.seen = messages
        return self.total
