"""The form of a server's question as people fill it in, and back to what the server takes. Pure.

The protocol allows a flat object of texts, numbers, yes or no, and choices; anything else is no form.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from pydantic import JsonValue, TypeAdapter, ValidationError

from tools.question import FormField
from tools.text import visible

MAX_FIELDS = 6
MAX_CHOICES = 100
LABEL = 150
CHOICE = 75
"""Characters that a menu shows of a choice."""
YES, NO = "Yes", "No"

Value = str | int | float | bool
Answers = dict[str, str | int | float | bool | list[str] | None]
FILLED = TypeAdapter(dict[str, str | int | float])
FORMATS: Mapping[str, Any] = {"email": "email", "date": "date"}
KINDS = frozenset({"string", "number", "integer", "boolean"})


class NoForm(Exception):
    """The form or its answer cannot be had here; the server is told that it was declined."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedField:
    """One field of the server and how it is put to a person."""

    name: str
    """The server's own name, which may be anything."""
    kind: str
    """JSON schema's word for what it takes."""
    field: FormField
    values: tuple[str, ...] = ()
    """What the choices stand for, in their order."""

    def value(self, answer: str | float) -> Value:
        """The answer in the kind that the server wants.

        Raises:
            NoForm: it cannot be of that kind.
        """
        if self.kind == "boolean":
            return answer == YES
        if self.values:
            return self.chosen(str(answer))
        try:
            return {"integer": int, "number": float}.get(self.kind, str)(answer)
        except (ValueError, OverflowError) as error:
            raise NoForm from error

    def chosen(self, answer: str) -> str:
        """What a choice stands for.

        Raises:
            NoForm: it is none.
        """
        spelled = [choice.casefold() for choice in self.field.choices]
        if answer.strip().casefold() not in spelled:
            raise NoForm
        return self.values[spelled.index(answer.strip().casefold())]


def fields_of(schema: Mapping[str, Any]) -> tuple[AskedField, ...]:
    """The fields of a form.

    Raises:
        NoForm: there are too many, or one is of a kind that nobody can fill in.
    """
    properties: object = schema.get("properties")
    if not isinstance(properties, dict):
        return ()
    found = cast("dict[str, JsonValue]", properties)
    required: object = schema.get("required")
    needed = {str(one) for one in cast("list[object]", required)} if isinstance(required, list) else set[str]()
    if len(found) > MAX_FIELDS:
        raise NoForm
    return tuple(asked(number, name, one, needed=name in needed) for number, (name, one) in enumerate(found.items()))


def asked(number: int, name: str, raw: JsonValue, *, needed: bool) -> AskedField:
    """One field.

    Raises:
        NoForm: nobody can fill it in.
    """
    kind = raw.get("type", "string") if isinstance(raw, dict) else None
    if not isinstance(raw, dict) or not isinstance(kind, str) or kind not in KINDS:
        raise NoForm
    values, labels = choices_of(raw)
    if kind == "boolean":
        values, labels = (YES, NO), (YES, NO)
    if len(values) > MAX_CHOICES or len(set(labels)) != len(labels):
        raise NoForm
    title = raw.get("title")
    about = [title if isinstance(title, str) else name, *told(raw.get("description"))]
    return AskedField(
        name=name,
        kind=kind,
        values=values,
        field=FormField(
            name=f"field_{number}",
            label=visible(": ".join(about))[:LABEL].strip() or name[:LABEL] or "-",
            kind="choice" if labels else "number" if kind != "string" else FORMATS.get(str(raw.get("format")), "text"),
            choices=labels,
            optional=not needed,
        ),
    )


def told(description: JsonValue) -> list[str]:
    """A field's explanation, where it has one."""
    return [description] if isinstance(description, str) and description else []


def choices_of(raw: Mapping[str, JsonValue]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The values of a closed choice and how they are shown."""
    plain, titled, names = raw.get("enum"), raw.get("oneOf"), raw.get("enumNames")
    if isinstance(titled, list):
        pairs = [(one.get("const"), one.get("title")) for one in titled if isinstance(one, dict)]
    elif isinstance(plain, list):
        shown = names if isinstance(names, list) and len(names) == len(plain) else plain
        pairs = list(zip(plain, shown, strict=True))
    else:
        return (), ()
    return tuple(str(value) for value, _ in pairs), tuple(
        visible(str(label or value))[:CHOICE].strip() or "-" for value, label in pairs
    )


def read_form(fields: tuple[AskedField, ...], answer: str) -> Answers:
    """A filled-in form under the server's own names; what was left empty is left out.

    Raises:
        NoForm: it is none, or a value is not of its kind.
    """
    try:
        filled = FILLED.validate_python(json.loads(answer))
    except (ValueError, ValidationError, RecursionError) as error:
        raise NoForm from error
    return {one.name: one.value(filled[one.field.name]) for one in fields if one.field.name in filled}
