"""Building blocks of Block Kit's rules: each check takes a value and its JSON pointer and lists what is wrong.

The sentences are Slack's own (`must be less than 76 characters [json-pointer:/blocks/0/text]`), because apps
show them to their developers.
"""

import re
from collections.abc import Callable, Mapping

from bot.localslack.values import JsonObject, as_object, is_array, is_object

Check = Callable[[object, str], list[str]]


def problem(pointer: str, text: str) -> list[str]:
    """One finding in Slack's form."""
    return [f"[ERROR] {text} [json-pointer:{pointer}]"]


def anything(_value: object, _pointer: str) -> list[str]:
    """Accepts every value."""
    return []


def flag(value: object, pointer: str) -> list[str]:
    """A JSON boolean."""
    return [] if isinstance(value, bool) else problem(pointer, "must provide a boolean")


def string(most: int, *, least: int = 1, pattern: str | None = None) -> Check:
    """A string within a length in characters, optionally of a form."""
    form = re.compile(pattern) if pattern else None

    def check(value: object, pointer: str) -> list[str]:
        if not isinstance(value, str):
            return problem(pointer, "must provide a string")
        if len(value) > most:
            return problem(pointer, f"must be less than {most + 1} characters")
        if len(value) < least:
            return problem(pointer, f"must be more than {least - 1} characters")
        return problem(pointer, f"must match regex: {pattern}") if form and not form.search(value) else []

    return check


def number(least: int, most: int) -> Check:
    """A whole number within bounds."""

    def check(value: object, pointer: str) -> list[str]:
        if not isinstance(value, int) or isinstance(value, bool):
            return problem(pointer, "must provide an integer")
        return [] if least <= value <= most else problem(pointer, f"must be between {least} and {most}")

    return check


def one_of(*allowed: str) -> Check:
    """One of some words."""

    def check(value: object, pointer: str) -> list[str]:
        return [] if value in allowed else problem(pointer, f"must be one of: {', '.join(allowed)}")

    return check


def array(item: Check, most: int, *, least: int = 1) -> Check:
    """A list within a length whose items pass a check."""

    def check(value: object, pointer: str) -> list[str]:
        if not is_array(value):
            return problem(pointer, "must provide an array")
        items = value
        if len(items) > most:
            return problem(pointer, f"no more than {most} items allowed")
        if len(items) < least:
            return problem(pointer, f"no less than {least} items allowed")
        return [found for index, entry in enumerate(items) for found in item(entry, f"{pointer}/{index}")]

    return check


def shape(required: Mapping[str, Check], optional: Mapping[str, Check] | None = None) -> Check:
    """An object with required and optional keys and no others; `type` is always allowed."""
    known = {"type": anything, **(optional or {}), **required}

    def check(value: object, pointer: str) -> list[str]:
        if not is_object(value):
            return problem(pointer, "must provide an object")
        given = value
        found = [
            text for key in required if key not in given for text in problem(pointer, f"missing required field: {key}")
        ]
        for key, entry in given.items():
            if key not in known:
                found += problem(pointer, f"invalid additional property: {key}")
            elif entry is not None or key in required:
                found += known[key](entry, f"{pointer}/{key}")
        return found

    return check


def tagged(kinds: Mapping[str, Check], noun: str = "type") -> Check:
    """An object whose `type` chooses the check."""

    def check(value: object, pointer: str) -> list[str]:
        given: JsonObject = as_object(value)
        chosen = kinds.get(str(given.get("type")))
        return chosen(value, pointer) if chosen else problem(pointer, f"unsupported {noun}: {given.get('type')}")

    return check


def both(first: Check, second: Check) -> Check:
    """Two checks in a row; the second runs only when the first is content."""

    def check(value: object, pointer: str) -> list[str]:
        return first(value, pointer) or second(value, pointer)

    return check


def deferred(supply: Callable[[], Check]) -> Check:
    """A check that is looked up when it runs, for structures that contain themselves."""

    def check(value: object, pointer: str) -> list[str]:
        return supply()(value, pointer)

    return check


def plain_text(most: int, *, least: int = 1) -> Check:
    """A `plain_text` object."""
    return tagged({"plain_text": shape({"text": string(most, least=least)}, {"emoji": flag})}, "text type")


def any_text(most: int, *, least: int = 1) -> Check:
    """A `plain_text` or `mrkdwn` object."""
    body = string(most, least=least)
    plain = shape({"text": body}, {"emoji": flag})
    return tagged({"plain_text": plain, "mrkdwn": shape({"text": body}, {"verbatim": flag})}, "text type")
