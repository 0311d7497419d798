"""What of the memory people said, and what the model had said to them."""

import json
import re
from collections.abc import Iterable
from typing import cast

from runtime.session.messages import QUOTED

USER = '{"role":"user"'
ASSISTANT = '{"role":"assistant"'
SAID = re.compile(r" (says|answers):\\n")
"""In every message of a person as it is serialised, and in some others."""


def person_words(message: str) -> str:
    """What a person said or answered, whole; empty for anything else, notes of the system included."""
    if not message.startswith(USER) or not SAID.search(message):
        return ""
    content = str(cast("dict[str, object]", json.loads(message)).get("content") or "")
    if content.startswith(QUOTED):
        content = content.partition("\n\n")[2]
    who, _, words = content.partition("\n")
    return words if who.endswith((" says:", " answers:")) else ""


def said_in(memory: Iterable[str]) -> list[str]:
    """What people said in a part of the memory, oldest first."""
    return [words for message in memory if (words := person_words(message))]


def is_plain_reply(message: str) -> bool:
    """Whether the model said this without making calls, so that it can stand alone."""
    return message.startswith(ASSISTANT) and '"tool_calls":' not in message
