"""Reads the arguments of a call as models write them, and repairs only what has a single meaning.

Repaired: an object instead of text, JSON within JSON, a code fence around it, raw line breaks inside strings, commas
before a closing bracket, Python's quotes and constants. Refused with the exact place: whatever was cut off, double
keys, and anything else that is not one JSON object. Nothing is ever completed by guessing.
"""

import ast
import json
import re
from collections.abc import Mapping
from typing import NoReturn

from pydantic import JsonValue, ValidationError

from tools.errors import ToolInputError
from tools.schema import JSON_OBJECT

MAX_ARGUMENT_CHARS = 2_000_000
MAX_NESTED_TEXTS = 2

FENCE = re.compile(r"\A\s*```[A-Za-z0-9_-]*[ \t]*\n(?P<inside>.*?)\n?[ \t]*```\s*\Z", re.DOTALL)
ENCODER = json.JSONEncoder(ensure_ascii=False)
STRING_OR_TRAILING_COMMA = re.compile(r'"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])', re.DOTALL)


class DoubleKeyError(ValueError):
    """The same key stands twice in one object; which value counts would be a guess."""


def read_arguments(raw: str | Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """The arguments of one call as an object.

    Raises:
        ToolInputError: they are not one JSON object, with the place where reading failed.
    """
    if not isinstance(raw, str):
        return checked_object(dict(raw))
    if len(raw) > MAX_ARGUMENT_CHARS:
        raise ToolInputError(f"The arguments have {len(raw):,} characters; at most {MAX_ARGUMENT_CHARS:,} are read.")
    if not raw.strip():
        return {}
    value = read_value(raw)
    for _ in range(MAX_NESTED_TEXTS):
        if not isinstance(value, str):
            break
        value = read_value(value)
    if not isinstance(value, dict):
        raise ToolInputError(f"The arguments must be one JSON object, not {kind_of(value)}.")
    return checked_object(value)  # pyright: ignore[reportUnknownArgumentType] - checked there


def read_value(text: str) -> object:
    """One JSON value, after the repairs that have a single meaning.

    Raises:
        ToolInputError: it cannot be read.
    """
    fenced = FENCE.match(text)
    inside = fenced["inside"] if fenced else text
    first_error: json.JSONDecodeError | None = None
    for attempt in (inside, STRING_OR_TRAILING_COMMA.sub(keep_strings, inside)):
        try:
            return decode(attempt)
        except json.JSONDecodeError as error:
            first_error = first_error or error
        except DoubleKeyError as error:
            raise ToolInputError(f"The arguments name the key {error} twice; send it once.") from error
        except (ValueError, RecursionError) as error:
            raise ToolInputError(f"The arguments are not readable JSON: {error}.") from error
    literal = read_python_literal(inside)
    return literal if literal is not None else refuse(inside, first_error)


def decode(text: str) -> object:
    """`json.loads` that takes raw line breaks in strings, and refuses double keys and numbers that JSON has not."""
    return DECODER.decode(text)


def keep_strings(found: re.Match[str]) -> str:
    """A string as it was; nothing for a trailing comma."""
    return found[0] if found[0].startswith('"') else ""


def unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object from its pairs, refusing a key that stands twice."""
    result: dict[str, object] = {}
    for key, value in pairs:
        if key in result:
            raise DoubleKeyError(key)
        result[key] = value
    return result


def refuse_constant(name: str) -> NoReturn:
    """NaN and the infinities are not JSON."""
    raise ValueError(f"{name} is not a JSON number")


DECODER = json.JSONDecoder(strict=False, object_pairs_hook=unique_keys, parse_constant=refuse_constant)


def read_python_literal(text: str) -> dict[str, object] | None:
    """A dictionary written as Python would (single quotes, True, None), or None where it is none or has double keys."""
    try:
        node = ast.parse(text.strip(), mode="eval").body
        if not isinstance(node, ast.Dict) or has_double_keys(node):
            return None
        value: object = ast.literal_eval(node)
        return JSON_OBJECT.validate_python(value, strict=True)  # pyright: ignore[reportReturnType] - JSON is object
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError, ValidationError):
        return None


def has_double_keys(tree: ast.Dict) -> bool:
    """True when any dictionary in the literal names a key twice."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            keys = [key.value for key in node.keys if isinstance(key, ast.Constant)]
            if len(set(keys)) != len(keys):
                return True
    return False


def refuse(text: str, error: json.JSONDecodeError | None) -> NoReturn:
    """Say where reading stopped, and whether the text looks cut off."""
    if error is None:
        raise ToolInputError("The arguments are not JSON.")
    stripped = text.rstrip()
    cut = error.pos >= len(stripped) or error.msg.startswith("Unterminated string")
    if cut and stripped.startswith(("{", '"')):
        raise ToolInputError(
            f"The arguments end at character {len(stripped)} in the middle of the JSON: they were probably cut off by "
            "the output limit. Nothing was run. Send the call again with less text, or do it in several smaller calls."
        )
    near = text[max(0, error.pos - 30) : error.pos + 30]
    raise ToolInputError(
        f"The arguments are not valid JSON: {error.msg} at line {error.lineno} column {error.colno}, near {near!r}. "
        "Send one JSON object; escape quotes and backslashes inside strings."
    )


def checked_object(value: Mapping[str, object]) -> dict[str, JsonValue]:
    """The object with nothing in it but JSON.

    Raises:
        ToolInputError: it holds something else, or is nested too deeply.
    """
    try:
        checked = JSON_OBJECT.validate_python(value)
        ENCODER.encode(checked).encode()
    except UnicodeEncodeError as error:
        raise ToolInputError("The arguments hold half a character (a lone surrogate); send valid Unicode.") from error
    except (ValidationError, RecursionError, ValueError) as error:
        raise ToolInputError("The arguments hold something that is not JSON, or are nested too deeply.") from error
    return checked


def kind_of(value: object) -> str:
    """What JSON calls the kind of a value, with its article."""
    names: dict[type, str] = {list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")
