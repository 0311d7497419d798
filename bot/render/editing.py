"""A call's arguments as the fields of a form, and a filled-in form as arguments. Pure.

A field of Slack holds 3,000 characters. A longer argument has several fields, cut at line ends where there are any,
each with room for what a person adds; they are put together again in the same order.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pydantic import JsonValue, ValidationError

from runtime.session.approval_events import CoveredCall
from runtime.session.cards import parts
from runtime.session.events import ApprovalRequested
from tools.schema import JSON_OBJECT

MOST_FIELDS = 20
PIECE = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class EditField:
    """One input of the form."""

    name: str
    """The argument."""
    number: int
    """Which piece of it, from 0."""
    of: int
    """How many pieces it has."""
    text: str
    joint: str
    """What stood between the piece before and this one."""
    is_short: bool = False
    """A number, or a yes or no."""

    @property
    def key(self) -> str:
        """Its name within the form."""
        return f"{self.name}~{self.number}" if self.number else self.name


def values_of(arguments: str) -> dict[str, str]:
    """Each argument as a person may write it: a text as it is, anything else as JSON."""
    return {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in readable(arguments).items()
        if value is not None
    }


def readable(arguments: str) -> Mapping[str, JsonValue]:
    """The arguments; none where they are no JSON object."""
    try:
        return JSON_OBJECT.validate_json(arguments)
    except ValidationError:
        return {}


def is_short(value: JsonValue) -> bool:
    """Whether a line is room enough for whatever a person would write instead."""
    return isinstance(value, bool | int | float)


def pieces(text: str) -> Iterator[tuple[str, str]]:
    """A text in pieces, each with what stands before it: a line end, or nothing where a line was too long."""
    joint = ""
    while len(text) > PIECE:
        end = text.rfind("\n", 1, PIECE)
        # A piece that begins or ends with an empty line could lose it on the way through a form.
        cut = end if end > 0 and text[end - 1] != "\n" and text[end + 1] != "\n" else PIECE
        yield text[:cut], joint
        joint = "\n" if text[cut] == "\n" and cut == end else ""
        text = text[cut + len(joint) :]
    yield text, joint


def fields_of(arguments: str) -> list[EditField]:
    """Every input of a call's form."""
    fields: list[EditField] = []
    given = readable(arguments)
    for name, value in values_of(arguments).items():
        cut = list(pieces(value))
        fields += [
            EditField(name=name, number=number, of=len(cut), text=text, joint=joint, is_short=is_short(given[name]))
            for number, (text, joint) in enumerate(cut)
        ]
    return fields


def is_editable(call: CoveredCall) -> bool:
    """Whether a form can hold the call: not too many fields, and no character that a form would change."""
    fields = fields_of(call.arguments)
    return 0 < len(fields) <= MOST_FIELDS and not any("\r" in field.text for field in fields)


def has_editable(requested: ApprovalRequested) -> bool:
    """Whether any call on a card can be edited in a form."""
    return any(is_editable(call) for call in parts(requested))


def joined(arguments: str, entered: Mapping[str, str]) -> dict[str, str]:
    """What was entered, each argument whole again. A piece that was emptied goes with its line end."""
    whole: dict[str, str] = {}
    for field in fields_of(arguments):
        text = entered.get(field.key, "")
        joint = field.joint if whole.get(field.name) and text else ""
        whole[field.name] = whole.get(field.name, "") + joint + text
    return whole


def arguments_of(arguments: str, entered: Mapping[str, str]) -> tuple[dict[str, JsonValue], list[str]]:
    """The arguments with what was entered in a form, and the names of fields that hold no JSON where they should."""
    return with_values(arguments, joined(arguments, entered))


def with_values(arguments: str, written: Mapping[str, str]) -> tuple[dict[str, JsonValue], list[str]]:
    """The arguments with some of them as a person wrote them, and the names of those that are no JSON and should be."""
    given = JSON_OBJECT.validate_json(arguments)
    wrong: list[str] = []
    for name, text in written.items():
        if isinstance(given[name], str):
            given[name] = text
            continue
        try:
            given[name] = json.loads(text)
        except ValueError:
            wrong.append(name)
    return given, wrong
