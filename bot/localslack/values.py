"""JSON values of the wire, and the small readers that make them safe to take apart."""

import json
import secrets
import string
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, TypeGuard

JsonObject = dict[str, Any]

ALPHABET = string.ascii_uppercase + string.digits
WORD_ALPHABET = string.ascii_letters + string.digits


def is_object(value: object) -> TypeGuard[JsonObject]:
    """Whether the value is a JSON object."""
    return isinstance(value, dict)


def is_array(value: object) -> TypeGuard[list[Any]]:
    """Whether the value is a JSON array."""
    return isinstance(value, list)


def as_object(value: object) -> JsonObject:
    """The value when it is a JSON object, else an empty one."""
    return value if is_object(value) else {}


def as_list(value: object) -> list[Any]:
    """The value when it is a JSON array, else an empty one."""
    return value if is_array(value) else []


def as_objects(value: object) -> list[JsonObject]:
    """The objects inside a JSON array; anything else is left out."""
    return [item for item in as_list(value) if is_object(item)]


def as_text(value: object) -> str:
    """The value when it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def as_flag(value: object) -> bool:
    """A boolean as Slack reads it: `true`, `1`, `"1"` and `"true"` are yes."""
    return value is True or str(value).lower() in {"1", "true"}


def as_int(value: object, default: int) -> int:
    """A whole number given as JSON number or as text; the default when it is neither."""
    try:
        return int(str(value))
    except ValueError:
        return default


def parse_json(text: str) -> Any:
    """Parsed JSON, or None when the text is no JSON."""
    try:
        return json.loads(text)
    except ValueError:
        return None


def compact(value: object) -> str:
    """JSON without spaces, the form whose size Slack's limits are measured on."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def epoch() -> float:
    """Seconds since 1970, UTC."""
    return datetime.now(UTC).timestamp()


def new_id(prefix: str, length: int = 9) -> str:
    """A fresh id in Slack's look, for example `F0A1B2C3D4E`."""
    return prefix + "".join(secrets.choice(ALPHABET) for _ in range(length))


def new_word(length: int = 5) -> str:
    """A fresh short word, as Slack gives to blocks without a `block_id`."""
    return "".join(secrets.choice(WORD_ALPHABET) for _ in range(length))


def pick(source: JsonObject, names: Sequence[str]) -> JsonObject:
    """The named keys of an object that are there."""
    return {name: source[name] for name in names if name in source}
