"""Reads `handrail.toml`; every mistake becomes one sentence with the file, the line, the setting and the fix."""

import difflib
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from runtime.settings import Settings, SettingsError

DEFAULT_NAME = "handrail.toml"
HEADER = re.compile(r"\s*\[\[?\s*([A-Za-z0-9_.\s\"'-]+?)\s*\]\]?\s*(?:#.*)?$")
ASSIGNMENT = re.compile(r"\s*([A-Za-z0-9_.\"'-]+)\s*=")
EXPECTED: Mapping[str, str] = {
    "bool_type": "must be true or false",
    "int_type": "must be a whole number",
    "string_type": "must be a text in quotes",
    "tuple_type": "must be a list in square brackets",
    "path_type": "must be a path in quotes",
    "decimal_type": "must be an amount such as 2.50",
    "float_type": "must be a number",
    "missing": "is missing; add it",
    "model_type": "must be a table",
}

Where = tuple[str | int, ...]


def load_settings(path: Path | None = None, *, directory: Path | None = None) -> Settings:
    """Settings from a file, with its relative paths made absolute.

    Args:
        path: the file, usually `Environment.config`; it must exist. None: `handrail.toml` in `directory`, if there.
        directory: where to look, and what `data_dir` is relative to without a file; None means the working directory.

    Raises:
        SettingsError: the file cannot be read or holds a mistake.
    """
    base = (directory or Path.cwd()).resolve()
    file = path or base / DEFAULT_NAME
    if path is None and not file.exists():
        return placed(Settings(), base)
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise SettingsError(f"{file} cannot be read ({reason}); set HANDRAIL_CONFIG to a readable file.") from error
    return placed(parse_settings(text, name=str(file)), file.resolve().parent)


def settings_lines(path: Path | None = None, *, directory: Path | None = None) -> dict[str, int]:
    """Where each table and key stands in the file that `load_settings` reads, by its full name; empty without one."""
    file = path or (directory or Path.cwd()) / DEFAULT_NAME
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return {}
    return {dotted(where): line for where, line in located(text).items()}


def parse_settings(text: str, *, name: str = DEFAULT_NAME) -> Settings:
    """Settings from TOML text; paths stay as written.

    Raises:
        SettingsError: with every mistake that was found.
    """
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{name} is not valid TOML: {error}.") from error
    try:
        # By way of JSON, since strict validation takes lists for tuples and texts for paths only there.
        return Settings.model_validate_json(json.dumps(raw, default=str))
    except ValidationError as error:
        lines = located(text)
        raise SettingsError(*(sentence(detail, name, lines) for detail in error.errors(include_url=False))) from error


def placed(settings: Settings, base: Path) -> Settings:
    """The settings with every path absolute."""
    mounts = tuple(m.model_copy(update={"path": base / m.path.expanduser()}) for m in settings.workspace.mounts)
    updates: dict[str, object] = {
        "data_dir": base / settings.data_dir.expanduser(),
        "workspace": settings.workspace.model_copy(update={"mounts": mounts}),
    }
    if settings.mcp.config is not None:
        updates["mcp"] = settings.mcp.model_copy(update={"config": base / settings.mcp.config.expanduser()})
    if settings.sandbox.python is not None:
        updates["sandbox"] = settings.sandbox.model_copy(update={"python": base / settings.sandbox.python.expanduser()})
    return settings.model_copy(update=updates)


def sentence(detail: ErrorDetails, name: str, lines: Mapping[Where, int]) -> str:
    """One mistake in one sentence."""
    where = detail["loc"]
    line = next((lines[where[:end]] for end in range(len(where), 0, -1) if where[:end] in lines), None)
    place = f"{name} line {line}" if line else name
    if detail["type"] == "extra_forbidden":
        return f"{place}: unknown setting {dotted(where)!r}; {nearest(where)}."
    message = EXPECTED.get(detail["type"]) or lowered(detail["msg"].removeprefix("Value error, "))
    return f"{place}: {dotted(where) or 'the file'} {message}{shown(detail)}."


def lowered(message: str) -> str:
    """Pydantic's own sentence, made to follow the name of the setting."""
    return re.sub(r"\AInput should", "should", message)


def shown(detail: ErrorDetails) -> str:
    """What was written instead, where it is short enough to help."""
    value: object = detail["input"]
    if detail["type"] == "missing" or not isinstance(value, str | int | float):
        return ""
    written = json.dumps(value, ensure_ascii=False)
    return f", not {written}" if len(written) <= 60 else ""


def dotted(where: Where) -> str:
    """A setting's full name: `policy.rules[0].tool`."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in where).removeprefix(".")


def nearest(where: Where) -> str:
    """The valid name that was probably meant: among its neighbours first, then in the whole file."""
    wrong = str(where[-1])
    siblings = tuple(section_at(where[:-1]).model_fields)
    close = difflib.get_close_matches(wrong, siblings, n=1, cutoff=0.6)
    if close:
        return f"the nearest valid one is {close[0]!r}"
    elsewhere = {path.rpartition(".")[2]: path for path in names(Settings)}
    close = difflib.get_close_matches(wrong, elsewhere, n=1, cutoff=0.75)
    if close:
        return f"the nearest valid one is {elsewhere[close[0]]!r}"
    return f"valid here: {', '.join(siblings)}"


def section_at(where: Where) -> type[BaseModel]:
    """The model that stands at a place of the file."""
    section: type[BaseModel] = Settings
    for part in where:
        if isinstance(part, str):
            section = section_of(section.model_fields[part].annotation) or section
    return section


def section_of(annotation: object) -> type[BaseModel] | None:
    """The model inside an annotation, also within a tuple or a union."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    found = (section_of(inner) for inner in get_args(annotation))
    return next((section for section in found if section is not None), None)


def names(section: type[BaseModel], prefix: str = "") -> Iterator[str]:
    """The full name of every setting below a section."""
    for key, field in section.model_fields.items():
        inner = section_of(field.annotation)
        yield prefix + key
        if inner is not None:
            yield from names(inner, f"{prefix}{key}.")


def located(text: str) -> dict[Where, int]:
    """Line numbers of tables and keys, as far as one line shows them; `tomllib` keeps none."""
    lines: dict[Where, int] = {}
    counts: dict[Where, int] = {}
    table: Where = ()
    for number, line in enumerate(text.splitlines(), start=1):
        if header := HEADER.match(line):
            table = numbered(parts_of(header[1]), counts, is_list=line.lstrip().startswith("[["))
            lines.setdefault(table, number)
        elif assignment := ASSIGNMENT.match(line):
            lines.setdefault((*table, *parts_of(assignment[1])), number)
    return lines


def numbered(parts: Where, counts: dict[Where, int], *, is_list: bool) -> Where:
    """A table's place with the number of its list entry after it, and after lists above it."""
    if is_list:
        counts[parts] = counts.get(parts, -1) + 1
        for deeper in [place for place in counts if place[: len(parts)] == parts and place != parts]:
            del counts[deeper]  # a list inside the new entry begins anew
    whole: Where = ()
    for end in range(1, len(parts) + 1):
        whole = (*whole, parts[end - 1])
        if parts[:end] in counts:
            whole = (*whole, counts[parts[:end]])
    return whole


def parts_of(name: str) -> Where:
    """The parts of a dotted key without their quotes."""
    return tuple(part.strip().strip("\"'") for part in name.split("."))
