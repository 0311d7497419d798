"""Calls that a model wrote into its text instead of making them: recognised only where nothing else can be meant.

Forms: `<tool_call>` and `<function=name>` and `<invoke name="…">` tags, `[TOOL_CALLS]`, and, where they name a known
tool and are the last thing said: `<tool>` and `<function name="…">` tags and one called like the tool itself, a JSON
object (bare or in fences), and `tool(key="value")`. Prose that explains a call is prose. What is found goes through the
same gate as any other call.
"""

import json
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from pydantic import JsonValue

from runtime.llm.printed_values import json_calls, json_or_none, known, python_calls, repaired

MAX_CALLS = 16
LONGEST_TEXT = 400_000
MOST_FENCES = 32
MARKED = 2_000
LOOSE_TAGS = ("tool", "function")

NAMED = r"(?:\s+name\s*=\s*[\"']?(?P<name>[\w.-]+)[\"']?)?\s*>(?P<inside>.*?)"
"""What follows the name of a tag that may name a tool."""
TOOL_CALL = re.compile(
    rf"<(tool_call|function_call|tool_use){NAMED}(?:</\1>|(?=<\1[\s>])|\Z)", re.DOTALL | re.IGNORECASE
)
END_TAG = re.compile(r"</(?P<tag>[\w.-]+)>\s*(?:</(?:tool_calls|function_calls|tools)>\s*)?\Z")
FUNCTION = re.compile(r"<function\s*=\s*\"?(?P<name>[\w.-]+)\"?\s*>(?P<inside>.*?)(?:</function>|\Z)", re.DOTALL)
INVOKE = re.compile(r"<invoke\s+name=\"(?P<name>[\w.-]+)\"\s*>(?P<inside>.*?)</invoke>", re.DOTALL)
PARAMETER = re.compile(
    r"<parameter(?:\s+name)?\s*=\s*\"?(?P<name>[\w.-]+)\"?\s*>(?P<value>.*?)(?:</parameter>|(?=<parameter)|\Z)",
    re.DOTALL,
)
FIELD = re.compile(r"\s*<(?P<name>[A-Za-z_][\w.-]*)>")
WRAPPERS = re.compile(r"</?(?:tool_calls|function_calls|tools)>")
FENCE = re.compile(r"\s*```[\w-]*(?P<inside>.*?)(?:```(?=\s*(?:```|\Z))|\Z)", re.DOTALL)
FENCE_START = re.compile(r"(?:\A|\n)[ \t]*```")
HALF_CALL = re.compile(
    r"\s*\{\s*\"name\"\s*:\s*\"(?P<name>[\w.-]+)\"\s*,\s*\"(?:arguments|parameters)\"\s*:\s*(?P<rest>.*)", re.DOTALL
)
MISTRAL = re.compile(r"\[TOOL_CALLS\]\s*(?P<inside>[\[{].*)\Z", re.DOTALL)
PYTHON_CALL = re.compile(r"(?:^|\n)[ \t]*(?P<call>[A-Za-z_][\w.-]*\(.*\))\s*\Z", re.DOTALL)
JSON_START = re.compile(r"(?:\A|\n)[ \t]*(?=[\[{])")

MARKER = re.compile(
    r"<tool_code>|```tool_code|<\|python_tag\|>|<\|tool_calls?(?:_begin)?\|>|\[TOOL_CALLS\]|<｜tool▁call"
    r"|(?:\A|\n)Action:(?=[^\n]*\n+Action Input:)"
)
"""What models put before calls in forms that are not read here, and what stands in no answer by chance."""
LAST_CALL = re.compile(r"(?:\A|\n)[ \t`]*(?:print\()?(?:default_api\.)?(?P<name>[A-Za-z_]\w*)\([^\n]*\)[`\s]*\Z")


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


def unread_call(text: str, names: Collection[str]) -> str:
    """The known tool that an answer calls in a form that is not read, so that nothing was run; empty for none."""
    marker = MARKER.search(text, 0, LONGEST_TEXT)
    words = re.findall(r"[A-Za-z_][\w-]*", text[marker.end() : marker.end() + MARKED]) if marker else []
    last = LAST_CALL.search(text[-MARKED:])
    return next((word for word in [*words, last["name"] if last else ""] if word in names), "")


def tagged(text: str, _names: Collection[str]) -> Printed | None:
    """Calls between tags."""
    for pattern, read in TAGS:
        matches = list(pattern.finditer(text))
        calls = [call for match in matches for call in read(match)]
        if calls:
            before = WRAPPERS.sub("", text[: matches[0].start()])
            return Printed(text=before.strip(), calls=tuple(calls))
    return None


def loosely_tagged(text: str, names: Collection[str]) -> Printed | None:
    """Calls of known tools at the end, between tags that could also be data: `<tool>`, or called like the tool."""
    end = END_TAG.search(text)
    if end is None or (end["tag"] not in names and end["tag"] not in LOOSE_TAGS):
        return None
    tag = re.escape(end["tag"])
    if end["tag"] in LOOSE_TAGS:
        matches = list(re.finditer(rf"<{tag}{NAMED}</{tag}>", text, re.DOTALL))
        calls = known((call for match in matches for call in of_tool_call(match)), names)
    else:
        matches = list(re.finditer(rf"<(?P<name>{tag})>(?P<inside>.*?)</{tag}>", text, re.DOTALL))
        calls = known((call for match in matches for call in of_field(match)), names)
    if not calls or text[matches[-1].end() : end.end()].strip() != text[end.end("tag") + 1 :].strip():
        return None
    return Printed(text=WRAPPERS.sub("", text[: matches[0].start()]).strip(), calls=calls)


def of_tool_call(match: re.Match[str]) -> Iterator[tuple[str, str]]:
    """JSON inside the tag, or other tags. Broken JSON keeps its name, so that the model reads why."""
    inside = match["inside"].strip()
    nested = FUNCTION.search(inside) or INVOKE.search(inside)
    if match["name"]:
        yield from of_field(match)
    elif nested is not None:
        yield from of_function(nested)
    elif inside.startswith("<"):
        yield from json_calls({name: inside_value(value) for name, value in (fields(inside) or {}).items()})
    else:
        yield from of_json(inside)


def of_json(inside: str) -> Iterator[tuple[str, str]]:
    """JSON of a tag: a tag says that it is a call also where no arguments are named as such."""
    value = repaired(inside)
    calls = tuple(json_calls(value))
    yield from calls
    if not calls and isinstance(value, dict) and isinstance(name := value.get("name"), str):
        yield name, json.dumps({key: value[key] for key in value if key != "name"}, ensure_ascii=False)
    if value is None and (named := re.search(r"\"name\"\s*:\s*\"([\w.-]+)\"", inside)):
        rest = re.search(r"\"(?:arguments|parameters)\"\s*:\s*(.*)\Z", inside, re.DOTALL)
        yield named[1], rest[1].rstrip().removesuffix("}") if rest else inside


def of_function(match: re.Match[str]) -> Iterator[tuple[str, str]]:
    """Parameters in tags of their own, or one JSON object."""
    inside = match["inside"].strip()
    parameters = {found["name"]: plain_value(found["value"].strip("\n")) for found in PARAMETER.finditer(inside)}
    yield match["name"], inside if inside.startswith("{") else json.dumps(parameters, ensure_ascii=False)


def of_field(match: re.Match[str]) -> Iterator[tuple[str, str]]:
    """A tag that names the tool, with one JSON object, parameters, or a tag for each argument, and nothing else."""
    inside = match["inside"].strip()
    if inside.startswith("{") or PARAMETER.match(inside):
        yield from of_function(match)
    elif (values := fields(inside)) is not None:
        arguments = {name: plain_value(value) for name, value in values.items()}
        yield match["name"], json.dumps(arguments, ensure_ascii=False)


def fields(inside: str) -> dict[str, str] | None:
    """The tags that a text consists of, by their names; None where it holds anything else."""
    found: dict[str, str] = {}
    position = 0
    while start := FIELD.match(inside, position):
        end = inside.find(f"</{start['name']}>", start.end())
        if end < 0:
            return None
        found[start["name"]] = inside[start.end() : end].strip("\n")
        position = end + len(f"</{start['name']}>")
    return None if inside[position:].strip() else found


def inside_value(text: str) -> JsonValue:
    """What stands between two tags: further ones, or a plain value."""
    inner = fields(text)
    return {name: plain_value(value) for name, value in inner.items()} if inner else plain_value(text)


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
    return Printed(text=text[: match.start()].strip(), calls=tuple(json_calls(repaired(match["inside"]))))


def fenced(text: str, names: Collection[str]) -> Printed | None:
    """Code fences at the end that hold nothing but JSON calls or calls in Python's form; the last may lack its end."""
    for start in list(FENCE_START.finditer(text))[-MOST_FENCES:]:
        position, calls = start.start(), ()
        while text[position:].strip():
            fence = FENCE.match(text, position)
            more = in_fence(fence, names) if fence else ()
            if not fence or not more:
                break
            calls, position = (*calls, *more), fence.end()
        else:
            return Printed(text=text[: start.start()].strip(), calls=calls)
    return None


def in_fence(fence: re.Match[str], names: Collection[str]) -> tuple[tuple[str, str], ...]:
    """The calls of one fence. One that was left open keeps its name, so that the model reads what is missing."""
    inside = fence["inside"].strip()
    calls = known(json_calls(repaired(inside)), names) or known(python_calls(inside, names), names)
    half = None if calls or "```" in fence[0].lstrip("` \n") else HALF_CALL.match(inside)
    return known([(half["name"], half["rest"])], names) if half else calls


def bare_json(text: str, names: Collection[str]) -> Printed | None:
    """JSON that ends the text and names only known tools."""
    for start in list(JSON_START.finditer(text))[:20]:
        value = repaired(text[start.end() :].strip())
        calls = known(json_calls(value), names)
        if calls:
            return Printed(text=text[: start.start()].strip(), calls=calls)
    return None


def bare_python(text: str, names: Collection[str]) -> Printed | None:
    """`tool(key="value")` on lines of its own at the end."""
    match = PYTHON_CALL.search(text)
    calls = python_calls(match["call"], names) if match else []
    return Printed(text=text[: match.start()].strip(), calls=tuple(calls)) if match and calls else None


TAGS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Iterator[tuple[str, str]]]], ...] = (
    (TOOL_CALL, of_tool_call),
    (INVOKE, of_function),
    (FUNCTION, of_function),
)
FORMS = (tagged, loosely_tagged, after_marker, fenced, bare_json, bare_python)
