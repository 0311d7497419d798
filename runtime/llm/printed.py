"""Calls that a model wrote into its text instead of making them: recognised only where nothing else can be meant.

Forms: `<tool_call>` and `<function=name>` and `<invoke name="…">` tags, `[TOOL_CALLS]`, a JSON object (bare or in a
fence) that names a tool, and `tool(key="value")`. Except for tags, which nobody writes by chance, a call must name a
known tool and be the last thing said: prose that explains a call is prose. What is found goes through the same gate
as any other call.
"""

import ast
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from pydantic import JsonValue

NAME_KEYS = ("name", "tool", "tool_name", "function", "action", "function_name")
ARGUMENT_KEYS = ("arguments", "parameters", "args", "input", "action_input", "params", "tool_input")
MAX_CALLS = 16
LONGEST_TEXT = 400_000

TOOL_CALL = re.compile(
    r"<(tool_call|function_call|tool_use)>\s*(?P<inside>.*?)\s*(?:</\1>|(?=<\1>)|\Z)", re.DOTALL | re.IGNORECASE
)
FUNCTION = re.compile(r"<function\s*=\s*\"?(?P<name>[\w.-]+)\"?\s*>(?P<inside>.*?)(?:</function>|\Z)", re.DOTALL)
INVOKE = re.compile(r"<invoke\s+name=\"(?P<name>[\w.-]+)\"\s*>(?P<inside>.*?)</invoke>", re.DOTALL)
PARAMETER = re.compile(
    r"<parameter(?:\s+name)?\s*=\s*\"?(?P<name>[\w.-]+)\"?\s*>(?P<value>.*?)(?:</parameter>|(?=<parameter)|\Z)",
    re.DOTALL,
)
WRAPPERS = re.compile(r"</?(?:tool_calls|function_calls|tools)>")
FENCE = re.compile(r"```[\w-]*[ \t]*\n(?P<inside>.*?)\n?[ \t]*```\s*\Z", re.DOTALL)
MISTRAL = re.compile(r"\[TOOL_CALLS\]\s*(?P<inside>[\[{].*)\Z", re.DOTALL)
PYTHON_CALL = re.compile(r"(?:^|\n)[ \t]*(?P<call>[A-Za-z_][\w.-]*\(.*\))\s*\Z", re.DOTALL)
JSON_START = re.compile(r"(?:\A|\n)[ \t]*(?=[\[{])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Printed:
    """What a text holds: the words before its calls, and the calls as (name, arguments)."""

    text: str
    calls: tuple[tuple[str, str], ...]


def printed_calls(text: str, names: Collection[str]) -> Printed | None:
    """The calls written in a text; None where there are none.

    Args:
        text: what the model said, without any call made properly.
        names: the tools it was offered.
    """
    if not names or len(text) > LONGEST_TEXT:
        return None
    for form in FORMS:
        found = form(text, names)
        if found is not None and 0 < len(found.calls) <= MAX_CALLS:
            return found
    return None


def tagged(text: str, _names: Collection[str]) -> Printed | None:
    """Calls between tags."""
    for pattern, read in TAGS:
        matches = list(pattern.finditer(text))
        calls = [call for match in matches for call in read(match)]
        if calls:
            before = WRAPPERS.sub("", text[: matches[0].start()])
            return Printed(text=before.strip(), calls=tuple(calls))
    return None


def of_tool_call(match: re.Match[str]) -> Iterator[tuple[str, str]]:
    """JSON inside the tag, or a function tag inside it. Broken JSON keeps its name, so that the model reads why."""
    inside = match["inside"]
    nested = FUNCTION.search(inside) or INVOKE.search(inside)
    if nested is not None:
        yield from of_function(nested)
        return
    value = json_or_none(inside)
    yield from json_calls(value)
    if value is None and (named := re.search(r"\"name\"\s*:\s*\"([\w.-]+)\"", inside)):
        rest = re.search(r"\"(?:arguments|parameters)\"\s*:\s*(.*)\Z", inside, re.DOTALL)
        yield named[1], rest[1].rstrip().removesuffix("}") if rest else inside


def of_function(match: re.Match[str]) -> Iterator[tuple[str, str]]:
    """Parameters in tags of their own, or one JSON object."""
    inside = match["inside"].strip()
    parameters = {found["name"]: plain_value(found["value"].strip("\n")) for found in PARAMETER.finditer(inside)}
    yield match["name"], inside if inside.startswith("{") else json.dumps(parameters, ensure_ascii=False)


def plain_value(text: str) -> JsonValue:
    """Numbers, truth values, lists and objects as themselves; anything else is text."""
    stripped = text.strip()
    if re.fullmatch(r"-?\d{1,15}(\.\d+)?|true|false|[\[{].*[\]}]", stripped, re.DOTALL):
        value = json_or_none(stripped)
        return text if value is None else value
    return text


def after_marker(text: str, _names: Collection[str]) -> Printed | None:
    """Mistral's marker before a JSON list."""
    match = MISTRAL.search(text)
    if match is None:
        return None
    return Printed(text=text[: match.start()].strip(), calls=tuple(json_calls(json_or_none(match["inside"]))))


def fenced(text: str, names: Collection[str]) -> Printed | None:
    """A code fence at the end that holds nothing but JSON calls or one call in Python's form."""
    match = FENCE.search(text)
    if match is None or "```" in match["inside"]:
        return None
    inside = match["inside"].strip()
    calls = known(json_calls(json_or_none(inside)), names) or known(python_calls(inside, names), names)
    return Printed(text=text[: match.start()].strip(), calls=calls) if calls else None


def bare_json(text: str, names: Collection[str]) -> Printed | None:
    """JSON that ends the text and names only known tools."""
    for start in list(JSON_START.finditer(text))[:20]:
        value = json_or_none(text[start.end() :].strip())
        calls = known(json_calls(value), names)
        if calls:
            return Printed(text=text[: start.start()].strip(), calls=calls)
    return None


def bare_python(text: str, names: Collection[str]) -> Printed | None:
    """`tool(key="value")` on lines of its own at the end."""
    match = PYTHON_CALL.search(text)
    calls = python_calls(match["call"], names) if match else []
    return Printed(text=text[: match.start()].strip(), calls=tuple(calls)) if match and calls else None


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
    fence = FENCE.search(text)
    try:
        return cast("JsonValue", json.loads(fence["inside"] if fence else text, strict=False))
    except (ValueError, RecursionError):
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


TAGS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Iterator[tuple[str, str]]]], ...] = (
    (TOOL_CALL, of_tool_call),
    (INVOKE, of_function),
    (FUNCTION, of_function),
)
FORMS = (tagged, after_marker, fenced, bare_json, bare_python)
