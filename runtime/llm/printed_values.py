"""Calls spelled as values: JSON that names a tool and its arguments, and literal calls in Python's form."""

import ast
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import cast

from pydantic import JsonValue

from tools.arguments import read_value
from tools.errors import ToolInputError

NAME_KEYS = ("name", "tool", "tool_name", "function", "action", "function_name")
ARGUMENT_KEYS = ("arguments", "parameters", "args", "input", "action_input", "params", "tool_input")
LONGEST_REPAIRED = 20_000
"""Longer texts are read as they are: each repair reads all of them again."""


def python_calls(source: str, names: Collection[str]) -> list[tuple[str, str]]:
    """Calls of known tools with literal keyword arguments; empty when the source is anything else."""
    try:
        body = ast.parse(source.strip()).body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return []
    calls: list[tuple[str, str]] = []
    for statement in body:
        call = statement.value if isinstance(statement, ast.Expr) else None
        if not isinstance(call, ast.Call) or call.args or not isinstance(call.func, ast.Name):
            return []
        arguments = literal_keywords(call)
        if call.func.id not in names or arguments is None:
            return []
        calls.append((call.func.id, arguments))
    return calls


def literal_keywords(call: ast.Call) -> str | None:
    """The keyword arguments as JSON; None where one is not a literal."""
    values: dict[str, object] = {}
    for keyword in call.keywords:
        try:
            values[keyword.arg or ""] = ast.literal_eval(keyword.value)
        except (ValueError, SyntaxError):
            return None
    try:
        return json.dumps(values, ensure_ascii=False)
    except (TypeError, ValueError):
        return None


def json_or_none(text: str) -> JsonValue:
    """A JSON value, raw line breaks in strings allowed; None where it is none."""
    try:
        return cast("JsonValue", json.loads(text, strict=False))
    except (ValueError, RecursionError):
        return None


def repaired(text: str) -> JsonValue:
    """A JSON value, also in a fence, with commas too many or Python's quotes; None where it is none."""
    value = json_or_none(text)
    if value is not None or len(text) > LONGEST_REPAIRED:
        return value
    try:
        return cast("JsonValue", read_value(text))
    except ToolInputError:
        return None


def json_calls(value: JsonValue) -> Iterator[tuple[str, str]]:
    """Calls in the shapes that models write: one, a list, or under `tool_calls`."""
    if isinstance(value, list):
        for item in value:
            yield from json_calls(item)
    elif isinstance(value, dict):
        inner = value.get("tool_calls")
        if isinstance(inner, list):
            yield from json_calls(inner)
        elif isinstance(function := value.get("function"), dict):
            yield from json_calls(function)
        else:
            yield from one_call(value)


def one_call(value: Mapping[str, JsonValue]) -> Iterator[tuple[str, str]]:
    """An object that names a tool and holds its arguments."""
    name = next((value[key] for key in NAME_KEYS if isinstance(value.get(key), str)), None)
    arguments = next((value[key] for key in ARGUMENT_KEYS if key in value), None)
    if isinstance(name, str) and arguments is not None:
        yield name, arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


def known(calls: Iterable[tuple[str, str]], names: Collection[str]) -> tuple[tuple[str, str], ...]:
    """The calls where every one names a known tool; else none."""
    found = tuple(calls)
    return found if all(name in names for name, _ in found) else ()
