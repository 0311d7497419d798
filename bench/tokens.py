"""Prompt tokens as OpenManus counts them, so that both are counted alike.

By its method each message costs four tokens beside its role, content, call names, call arguments and call id; each
request two; and a tool what the text of its Python dictionary costs. Where the vocabulary (`cl100k_base`) is not on
this machine, an estimate takes its place that is a little too high for such texts, never too low.
"""

import json
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

from runtime.llm.vocabulary import vocabulary

NAME = "cl100k_base"
PER_MESSAGE = 4
PER_REQUEST = 2
PIECE = re.compile(r"[^\r\n\w]?[^\W\d_]+|\d{1,3}|[ _]?[^\s\w]+|_+|\s+")
"""How the vocabulary cuts a text before it looks up the pieces, in what the standard library can say."""
LONG_WORD = 12
LONG_SIGNS = 4


def counter() -> tuple[Callable[[str], int], str]:
    """How many tokens a text has, and by which measure."""
    exact = vocabulary(NAME, folder())
    return (exact, NAME) if exact else (estimated, "an estimate that is a little too high")


def folder() -> Path | None:
    """Where the vocabulary lies, if not in the usual place."""
    named = os.environ.get("TIKTOKEN_CACHE_DIR")  # noqa: TID251 - a program of its own, without settings
    return Path(named) if named else None


def estimated(text: str) -> int:
    """Tokens of English, code and JSON: a token a piece, more for what is longer than most."""
    return sum(tokens_of(piece) for piece in PIECE.findall(text))


def tokens_of(piece: str) -> int:
    """Tokens of one piece."""
    if piece[-1].isalpha():
        return -(-len(piece) // LONG_WORD)
    return 1 if piece[-1].isdecimal() or piece.isspace() else -(-len(piece) // LONG_SIGNS)


def prompt_tokens(bodies: Sequence[str], count: Callable[[str], int]) -> int:
    """Tokens of all requests."""
    known: dict[str, int] = {}

    def counted(text: str) -> int:
        if text not in known:
            known[text] = count(text)
        return known[text]

    total = 0
    for raw in bodies:
        body = cast("dict[str, Any]", json.loads(raw))
        total += sum(counted(part) for message in body["messages"] for part in parts(message))
        total += PER_MESSAGE * len(body["messages"]) + PER_REQUEST
        total += sum(counted(str(tool)) for tool in body.get("tools") or ())
    return total


def parts(message: dict[str, Any]) -> list[str]:
    """What is counted of a message."""
    found = [str(message["role"]), str(message.get("content") or ""), str(message.get("tool_call_id") or "")]
    for call in message.get("tool_calls") or ():
        found += [str(call["function"]["name"]), str(call["function"]["arguments"])]
    return found
