"""The form of a question, asked field by field at the prompt."""

import json
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from bot.listeners.filled import WrongField, value_of
from bot.terminal import words
from runtime.session.events import FormField, QuestionAsked

Asks = Callable[[str], Awaitable[str]]
"""Shows a prompt and waits for a line."""
Value = str | int | float | None


class Filled(NamedTuple):
    """What was entered, as an answer takes it."""

    answer: str = ""
    """In JSON."""
    shown: str = ""
    choice: int = -1
    """The number of a choice that was taken instead of filling in."""


async def fill_in(asked: QuestionAsked, ask: Asks) -> Filled:
    """Ask for each field until what is typed fits it; the words of a choice, such as Decline, end it."""
    values: dict[str, Value] = {}
    lines: list[str] = []
    for field in asked.fields:
        problem = ""
        while True:
            typed = (await ask(words.field_prompt(field.label, field.choices, problem))).strip()
            choice = numbered(typed, asked.choices)
            if choice >= 0:
                return Filled(choice=choice)
            try:
                value = entered(field, typed)
                break
            except WrongField as error:
                problem = str(error)
        if value is not None:
            values[field.name] = value
            lines.append(f"{field.label}: {value}")
    return Filled(answer=json.dumps(values, ensure_ascii=False), shown="\n".join(lines))


def entered(field: FormField, typed: str) -> Value:
    """The value of one field; a choice by its number from 1, or by its words.

    Raises:
        WrongField: it does not fit.
    """
    if field.kind != "choice" or not typed:
        return value_of(field, {"value": typed})
    by_words = numbered(typed, field.choices)
    number = by_words if by_words >= 0 else int(typed) - 1 if typed.isdecimal() else -1
    return value_of(field, {"value": str(number)})


def numbered(typed: str, choices: tuple[str, ...]) -> int:
    """Which of the choices was typed in words; -1 for none."""
    spelled = [choice.casefold() for choice in choices]
    return spelled.index(typed.casefold()) if typed.casefold() in spelled else -1
