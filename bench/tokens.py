"""Tokens as a model counts them, where a vocabulary is on this machine; else an estimate that is marked as one."""

import importlib
import json
from collections.abc import Callable, Sequence
from typing import Any, cast

CHARACTERS_PER_TOKEN = 3.6
"""Of compact JSON with English in it, by cl100k; used without a vocabulary."""


def counter() -> tuple[Callable[[str], int], str]:
    """How many tokens a text has, and by which measure."""
    try:
        encoding = cast("Any", importlib.import_module("tiktoken")).get_encoding("cl100k_base")
    except Exception:  # noqa: BLE001 - the vocabulary may be missing in any way, and nothing depends on it
        return lambda text: round(len(text) / CHARACTERS_PER_TOKEN), "estimate"
    return lambda text: len(encoding.encode(text, disallowed_special=())), "cl100k"


def prompt_tokens(bodies: Sequence[str], count: Callable[[str], int]) -> int:
    """Tokens of all requests: words, names and arguments of each message with four for its frame, and the tools."""
    known: dict[str, int] = {}

    def counted(text: str) -> int:
        if text not in known:
            known[text] = count(text)
        return known[text]

    total = 0
    for raw in bodies:
        body = cast("dict[str, Any]", json.loads(raw))
        total += sum(counted(part) for message in body["messages"] for part in parts(message))
        total += 4 * len(body["messages"]) + counted(json.dumps(body.get("tools", ""), separators=(",", ":")))
    return total


def parts(message: dict[str, Any]) -> list[str]:
    """What is counted of a message."""
    found = [str(message["role"]), str(message.get("content") or ""), str(message.get("tool_call_id") or "")]
    for call in message.get("tool_calls") or ():
        found += [str(call["id"]), str(call["function"]["name"]), str(call["function"]["arguments"])]
    return found
