"""Answers that have to be one JSON object: the schema for servers that hold a model to it, and the check for all.

A server that takes no schema is asked by the prompt alone; what comes is validated in the same way.
"""

import json
import re
from functools import lru_cache
from typing import TypeVar, cast

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from runtime.llm.reading import compact

OBJECT = re.compile(r"\{.*\}", re.DOTALL)
PROBLEMS = 3
NEEDLESS = frozenset({"title", "default", "description"})
T = TypeVar("T", bound=BaseModel)


class Answer(BaseModel):
    """Base of what a model answers as an object; what it adds is passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class AnswerUnreadable(ValueError):
    """The answer is not the object that was asked for; the text says why, for the model."""


@lru_cache(maxsize=16)
def schema_for(kind: type[BaseModel]) -> str:
    """The schema in the strict form that services demand: every property required, no others allowed."""
    schema = cast("dict[str, JsonValue]", kind.model_json_schema())
    return compact(strict(schema))


def strict(value: JsonValue, *, is_properties: bool = False) -> JsonValue:
    """A part of a schema in that form."""
    if isinstance(value, list):
        return [strict(part) for part in value]
    if not isinstance(value, dict):
        return value
    kept = {
        key: strict(part, is_properties=key == "properties" and not is_properties)
        for key, part in value.items()
        if is_properties or key not in NEEDLESS
    }
    if not is_properties and isinstance(kept.get("properties"), dict):
        kept |= {"required": list(cast("dict[str, JsonValue]", kept["properties"])), "additionalProperties": False}
    return kept


def read_answer(text: str, kind: type[T]) -> T:
    """The object in an answer, also in a fence or between words.

    Raises:
        AnswerUnreadable: there is none, or it is another one.
    """
    match = OBJECT.search(text)
    try:
        value = cast("JsonValue", json.loads(match[0] if match else "", strict=False))
    except ValueError as error:
        raise AnswerUnreadable("it is not the JSON object that was asked for") from error
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[:PROBLEMS]
        said = "; ".join(f"{'.'.join(map(str, problem['loc'])) or 'it'}: {problem['msg']}" for problem in first)
        raise AnswerUnreadable(f"it is not the JSON object that was asked for ({said})") from error
