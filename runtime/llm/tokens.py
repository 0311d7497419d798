"""Token estimates that need no vocabulary: a third of the UTF-8 bytes, which errs on the safe side.

English prose and code have about four bytes to a token, Chinese and Japanese about three.
"""

from collections.abc import Iterable

BYTES_PER_TOKEN = 3
TOKENS_PER_MESSAGE = 4


def estimated(text: str) -> int:
    """Tokens of one text, rounded up."""
    size = len(text) if text.isascii() else len(text.encode(errors="surrogatepass"))
    return -(-size // BYTES_PER_TOKEN)


def estimated_messages(messages: Iterable[str]) -> int:
    """Tokens of serialised messages, with the few that frame each."""
    return sum(estimated(message) + TOKENS_PER_MESSAGE for message in messages)
