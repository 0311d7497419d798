"""A filled-in form of a question -> its answer, or what is wrong with which field. Pure."""

import json
import re
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

from bot import texts_people
from bot.listeners.people_modals import ONE_FIELD
from runtime.session.events import FormField, QuestionAsked

ADDRESS = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
NUMBER = re.compile(r"[+-]?\d{1,15}(\.\d{1,9})?")


class WrongField(Exception):
    """What was entered does not fit; the text is for who entered it."""


def value_of(field: FormField, state: Mapping[str, Any]) -> str | int | float | None:
    """The value of one field; None where an optional one was left empty.

    Raises:
        WrongField: it does not fit.
    """
    chosen: Mapping[str, Any] = state.get("selected_option") or {}
    written = str(chosen.get("value") or state.get("selected_date") or state.get("value") or "").strip()
    if not written:
        if field.optional:
            return None
        raise WrongField(texts_people.NEEDED)
    return READERS[field.kind](field, written)


def day(_field: FormField, written: str) -> str:
    """A day as it is written in ISO 8601.

    Raises:
        WrongField: it is none.
    """
    try:
        return date.fromisoformat(written).isoformat()
    except ValueError:
        raise WrongField(texts_people.NOT_A_DATE) from None


def choice(field: FormField, written: str) -> str:
    """The words of a choice, by its number.

    Raises:
        WrongField: there is none of this number.
    """
    if not written.isdecimal() or int(written) >= len(field.choices):
        raise WrongField(texts_people.NEEDED)
    return field.choices[int(written)]


def number(_field: FormField, written: str) -> int | float:
    """A number.

    Raises:
        WrongField: it is none.
    """
    if not NUMBER.fullmatch(written):
        raise WrongField(texts_people.NOT_A_NUMBER)
    return float(written) if "." in written else int(written)


def address(_field: FormField, written: str) -> str:
    """An e-mail address.

    Raises:
        WrongField: it is none.
    """
    if not ADDRESS.fullmatch(written):
        raise WrongField(texts_people.NOT_AN_ADDRESS)
    return written


def as_written(_field: FormField, written: str) -> str:
    """Any words."""
    return written


READERS: Mapping[str, Callable[[FormField, str], str | int | float]] = {
    "text": as_written,
    "long_text": as_written,
    "number": number,
    "date": day,
    "email": address,
    "choice": choice,
}


def answer_of(asked: QuestionAsked, values: Mapping[str, Mapping[str, Any]]) -> tuple[str, str, dict[str, str]]:
    """The answer as JSON, as people read it, and the mistakes by block."""
    answer: dict[str, str | int | float] = {}
    lines: list[str] = []
    wrong: dict[str, str] = {}
    for index, field in enumerate(asked.fields):
        block_id = f"{ONE_FIELD}{index}"
        try:
            value = value_of(field, values.get(block_id, {}).get(block_id, {}))
        except WrongField as error:
            wrong[block_id] = str(error)
            continue
        if value is not None:
            answer[field.name] = value
            lines.append(f"{field.label}: {value}")
    return json.dumps(answer, ensure_ascii=False), "\n".join(lines), wrong
