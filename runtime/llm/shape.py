"""The form in which a server takes requests: what it refuses is left out or named otherwise from then on.

No list of model names: the settings say what is known, and a refusal says the rest, once.
"""

import re
from dataclasses import dataclass, replace
from typing import Literal

from openai import APIError, APIStatusError

from runtime.llm.retry import is_too_long

REFUSING = frozenset({400, 404, 415, 422, 501})
IMAGES = re.compile(r"image|vision|multi-?modal|content (part|type)|does not match any of the expected", re.IGNORECASE)

Limit = Literal["max_tokens", "max_completion_tokens"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What requests to one server may hold."""

    stream: bool = True
    stream_options: bool = True
    temperature: bool = True
    effort: bool = True
    """How long a reasoning model thinks."""
    schemas: bool = True
    limit: Limit = "max_tokens"
    """What the output limit is called."""
    limit_is_known: bool = False
    """It was renamed once already, so a second complaint is no reason to rename it back."""


def lessened(shape: Shape, error: APIError, sent: str) -> Shape | None:
    """The shape without what the server just refused; None where the refusal is about something else.

    Args:
        shape: of the request that was refused.
        error: the refusal.
        sent: what stood beside model, tools and messages; only that can be left out.
    """
    if not isinstance(error, APIStatusError) or error.status_code not in REFUSING or is_too_long(error):
        return None
    words = error.message.lower()
    if shape.limit in sent and "max_completion_tokens" in words and not shape.limit_is_known:
        other: Limit = "max_tokens" if shape.limit == "max_completion_tokens" else "max_completion_tokens"
        return replace(shape, limit=other, limit_is_known=True)
    for name, (key, named) in TERMS.items():
        if f'"{key}"' in sent and named.search(words):
            return without(shape, name)
    return None


TERMS = {
    "stream_options": ("stream_options", re.compile(r"\bstream_options\b")),
    "schemas": ("response_format", re.compile(r"\b(response_format|json_schema)\b")),
    "effort": ("reasoning_effort", re.compile(r"\breasoning_effort\b")),
    "temperature": ("temperature", re.compile(r"\btemperature\b")),
    "stream": ("stream", re.compile(r"\bstream(ing)?\b")),
}
"""Under which key each is sent, and how a server names what it refuses; whole words, for `upstream` is none of them."""


def without(shape: Shape, name: str) -> Shape:
    """The shape without one part; without streams there are no options of theirs."""
    match name:
        case "stream_options":
            return replace(shape, stream_options=False)
        case "schemas":
            return replace(shape, schemas=False)
        case "effort":
            return replace(shape, effort=False)
        case "temperature":
            return replace(shape, temperature=False)
        case _:
            return replace(shape, stream=False, stream_options=False)


def refuses_images(error: APIError) -> bool:
    """Whether a request with images was refused because of them."""
    is_refusal = isinstance(error, APIStatusError) and error.status_code in REFUSING and not is_too_long(error)
    return is_refusal and IMAGES.search(error.message) is not None
