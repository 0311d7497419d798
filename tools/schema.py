"""JSON schemas as models like them: no references, no titles, no unions with null for what is merely optional."""

import json
from collections.abc import Mapping
from functools import cache

from pydantic import BaseModel, JsonValue, TypeAdapter

from tools.errors import ToolInputError

Schema = dict[str, JsonValue]
JSON_OBJECT = TypeAdapter(Schema)
NULL: JsonValue = {"type": "null"}
CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def schema_of(params: type[BaseModel]) -> Schema:
    """The schema of a tool's parameters: references written out, noise removed, required fields first.

    Lengths of texts are left to validation: servers that turn a schema into a grammar choke on large ones.
    """
    return JSON_OBJECT.validate_json(written_schema(params))


@cache
def written_schema(params: type[BaseModel]) -> bytes:
    """The same as JSON, worked out once for each kind of parameters."""
    raw = JSON_OBJECT.validate_python(params.model_json_schema())
    definitions = raw.pop("$defs", {})
    simple = simplified(raw, definitions if isinstance(definitions, dict) else {})
    simple.pop("description", None)
    properties, required = simple.get("properties"), simple.get("required")
    fields = properties if isinstance(properties, dict) else {}
    needed = required if isinstance(required, list) else []
    simple["properties"] = dict(sorted(fields.items(), key=lambda field: field[0] not in needed))
    return JSON_OBJECT.dump_json(simple)


def simplified(schema: Mapping[str, JsonValue], definitions: Mapping[str, JsonValue]) -> Schema:
    """One schema node, simplified with everything below it."""
    node = without_null(dict(schema))
    reference = node.pop("$ref", None)
    if isinstance(reference, str):
        target = definitions[reference.rpartition("/")[2]]
        if isinstance(target, dict):
            own_description = node.get("description")
            node = {**target, **node}
            if own_description is None:
                node.pop("description", None)
    for noise in ("title", "minLength", "maxLength"):
        node.pop(noise, None)
    result: Schema = {}
    for key, value in node.items():
        if key == "properties" and isinstance(value, dict):
            result[key] = {name: simplified_value(item, definitions) for name, item in value.items()}
        else:
            result[key] = simplified_value(value, definitions)
    return result


def simplified_value(value: JsonValue, definitions: Mapping[str, JsonValue]) -> JsonValue:
    """A value inside a schema: nodes are simplified, anything else stays."""
    if isinstance(value, dict):
        return simplified(value, definitions)
    if isinstance(value, list):
        return [simplified_value(item, definitions) for item in value]
    return value


def without_null(node: Schema) -> Schema:
    """`anyOf` of one kind and null becomes that kind; that the field may be left out is said by `required`."""
    choices = node.get("anyOf")
    if isinstance(choices, list) and NULL in choices:
        rest = [choice for choice in choices if choice != NULL]
        if len(rest) == 1 and isinstance(rest[0], dict):
            node = {**{key: value for key, value in node.items() if key != "anyOf"}, **rest[0]}
    if "default" in node and node["default"] in (None, "", []):
        node.pop("default")
    return node


def field_lines(schema: Schema) -> list[str]:
    """One line per field of a schema, for an error that says what a tool takes."""
    properties = schema.get("properties")
    required = schema.get("required")
    needed = required if isinstance(required, list) else []
    lines: list[str] = []
    for name, field in (properties if isinstance(properties, dict) else {}).items():
        if isinstance(field, dict):
            about = f": {field['description']}" if field.get("description") else ""
            lines.append(f"- {name} ({kind(field)}, {'required' if name in needed else 'optional'}){about}")
    return lines


def kind(field: Mapping[str, JsonValue]) -> str:
    """The kind of a field in a word or two."""
    choices = field.get("enum")
    if isinstance(choices, list):
        return "one of " + ", ".join(str(choice) for choice in choices)
    return str(field.get("type", "any"))


def canonical(value: JsonValue | Mapping[str, JsonValue]) -> bytes:
    """The one spelling of a JSON value that hashes are taken over: sorted keys, no spaces, UTF-8.

    Raises:
        ToolInputError: it has none, as a number without end or half a character.
    """
    try:
        return CANONICAL.encode(value).encode()
    except ValueError as error:
        raise ToolInputError("Numbers have to be finite, and texts whole characters.") from error
