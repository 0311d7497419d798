"""A call's arguments as the fields of a form, and a filled-in form as arguments. Pure."""

import json
from collections.abc import Mapping

from pydantic import JsonValue, ValidationError

from bot.render.limits import INPUT_MAX_LENGTH
from runtime.session.events import ApprovalRequested
from tools.schema import JSON_OBJECT

MOST_FIELDS = 20


def values_of(arguments: str) -> dict[str, str]:
    """Each argument as a person may write it: a text as it is, anything else as JSON."""
    try:
        given = JSON_OBJECT.validate_json(arguments)
    except ValidationError:
        return {}
    return {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in given.items()
        if value is not None
    }


def is_editable(requested: ApprovalRequested) -> bool:
    """Whether a form can hold the call: one call, few arguments, none too long for a field of Slack."""
    fields = values_of(requested.arguments)
    fit = all(len(value) <= INPUT_MAX_LENGTH and "\r" not in value for value in fields.values())
    return not requested.also and 0 < len(fields) <= MOST_FIELDS and fit


def arguments_of(requested: ApprovalRequested, entered: Mapping[str, str]) -> tuple[dict[str, JsonValue], list[str]]:
    """The arguments with what was entered, and the names of fields that hold no JSON where they should."""
    given = JSON_OBJECT.validate_json(requested.arguments)
    wrong: list[str] = []
    for name in values_of(requested.arguments):
        text = entered.get(name, "")
        if isinstance(given[name], str):
            given[name] = text
            continue
        try:
            given[name] = json.loads(text)
        except ValueError:
            wrong.append(name)
    return given, wrong
