"""Whether arguments fit a schema that a foreign server wrote: judged where that is cheap and certain.

A schema is as hostile as its server may be: it can be no schema, hold expressions that never end, or refer to itself a
million times. Whatever is not judged here the server judges, so the answer is then that they fit.
"""

from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Protocol, cast

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, UnknownType
from jsonschema.exceptions import ValidationError as Misfit
from jsonschema.validators import extend, validator_for  # pyright: ignore[reportUnknownVariableType] - untyped there
from pydantic import JsonValue
from referencing import Registry
from referencing.exceptions import Unresolvable

from tools.schema import Schema
from tools.text import visible

REFERENCES: Final = 5_000
"""References followed in one judgement, and values in the arguments that are judged."""
SORTED: Final = 1_000
"""Items of a list that are compared with each other."""
Check = Callable[[Any, Any, Any, Any], Iterator[Misfit]]


class TooMuch(Exception):
    """Judging it would take too long."""


@dataclass(slots=True)
class Followed:
    """References of the judgement under way."""

    count: int = 0


FOLLOWED: ContextVar[Followed] = ContextVar("references followed")


class Judge(Protocol):
    """A validator class of jsonschema, as far as it is used here."""

    def __call__(self, schema: Schema, *, registry: Registry[Any]) -> Any:
        """A validator of one schema."""
        ...


def unjudged(_validator: Any, _value: Any, _instance: Any, _schema: Any) -> Iterator[Misfit]:
    """A keyword that is left to the server: Python's expressions may take for ever, and hold the whole process."""
    yield from ()


def counted(check: Check) -> Check:
    """A reference that is followed so often and no further."""

    def follow(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Misfit]:
        followed = FOLLOWED.get()
        followed.count += 1
        if followed.count > REFERENCES:
            raise TooMuch
        yield from check(validator, value, instance, schema) or ()

    return follow


def beside_patterns(check: Check) -> Check:
    """A keyword that would have to match the expressions beside it."""

    def judge(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Misfit]:
        if "patternProperties" not in schema:
            yield from check(validator, value, instance, schema) or ()

    return judge


def of_short_lists(check: Check) -> Check:
    """A keyword that compares every item with every other."""

    def judge(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Misfit]:
        if not isinstance(instance, list) or len(instance) <= SORTED:  # pyright: ignore[reportUnknownArgumentType] - any JSON
            yield from check(validator, value, instance, schema) or ()

    return judge


CAREFUL: Mapping[str, Callable[[Check], Check]] = {
    "$ref": counted,
    "$dynamicRef": counted,
    "$recursiveRef": counted,
    "additionalProperties": beside_patterns,
    "uniqueItems": of_short_lists,
    "pattern": lambda _: unjudged,
    "patternProperties": lambda _: unjudged,
    "unevaluatedProperties": lambda _: unjudged,
    "format": lambda _: unjudged,
}


@cache
def careful(kind: Any) -> Judge:
    """A dialect's validator with the keywords that can be abused made harmless."""
    known: Mapping[str, Check] = kind.VALIDATORS
    changed = {name: change(known[name]) for name, change in CAREFUL.items() if name in known}
    return cast("Judge", extend(kind, changed))


def misfit(schema: Schema, arguments: dict[str, JsonValue]) -> str:
    """The first place where arguments do not fit a foreign schema; empty when they do, or it cannot be judged.

    References are looked for in the schema only: nothing is fetched.
    """
    if values_in(arguments) > REFERENCES:
        return ""
    dialect = {"$schema": named} if isinstance(named := schema.get("$schema"), str) else {}
    kind = validator_for(dialect, default=Draft202012Validator)
    token = FOLLOWED.set(Followed())
    try:
        kind.check_schema(schema)
        careful(kind)(schema, registry=Registry[Any]()).validate(arguments)
    except Misfit as error:
        where = "/".join(str(part) for part in error.absolute_path) or "arguments"
        return f"{where[:100]}: {visible(error.message)[:500]}"
    except (SchemaError, UnknownType, Unresolvable, TooMuch, ArithmeticError, RecursionError, ValueError, TypeError):
        return ""
    finally:
        FOLLOWED.reset(token)
    return ""


def values_in(value: JsonValue) -> int:
    """How many values there are, nested ones included; no more than needed to know that they are too many."""
    found, waiting = 0, [value]
    while waiting and found <= REFERENCES:
        found += 1
        one = waiting.pop()
        waiting += one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
    return found
