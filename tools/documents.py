"""Text of files that are no text: PDF, Word and Excel, read in the sandbox, and facts about tables and JSON."""

import csv
import json
from typing import Literal, cast

from tools.context import ToolContext
from tools.errors import ToolInputError
from tools.running import ALONE, TimedParams, run_inside, source_beside
from tools.text import visible
from tools.textfile import TextFile

Kind = Literal["pdf", "docx", "xlsx"]

HEADS: dict[Kind, bytes] = {"pdf": b"%PDF-", "docx": b"PK\x03\x04", "xlsx": b"PK\x03\x04"}
"""How files of these kinds begin."""
ENDINGS: dict[str, Kind] = {".pdf": "pdf", ".docx": "docx", ".docm": "docx", ".xlsx": "xlsx", ".xlsm": "xlsx"}
MAX_FACTS_CHARS = 5_000_000
MAX_NAMED = 12
UNREADABLE = 3
"""The exit code by which `inside_reading.py` says that the file is at fault."""


def document_kind(path: str, head: bytes) -> Kind | None:
    """What a file is by its name, where it begins as such a file does."""
    name = path.lower()
    for ending, kind in ENDINGS.items():
        if name.endswith(ending) and head.startswith(HEADS[kind]):
            return kind
    return None


async def document_text(kind: Kind, path: str, context: ToolContext) -> TextFile:
    """The text of a document of the workspace, read inside the sandbox.

    Raises:
        ToolInputError: it cannot be read; the text says why.
        ToolRefused: nothing here can contain the reading.
    """
    source = ALONE + source_beside(__file__, "builtin/inside_reading.py")
    root = context.workspace.root
    place = context.workspace.resolve(path, must_exist=True).relative_to(root)
    inside = f"{context.sandbox.inside(context.workspace)}/{place}"
    argv = (*context.sandbox.python, "-c", source, kind, inside)
    ran = await run_inside(argv, TimedParams(), context, ())
    if ran.completed.exit_code == 0:
        return TextFile(text=ran.stdout)
    if ran.completed.exit_code == UNREADABLE:
        raise ToolInputError(f"{path}: cannot be read: {ran.stderr.strip()[-400:]}.")
    why = "it took too long" if ran.completed.timed_out else ran.completed.killed or "the reader was ended"
    raise ToolInputError(f"{path}: cannot be read as {kind.upper()}: {why}.")


def facts(path: str, file: TextFile) -> str:
    """What a table or JSON file holds, in a few words; empty for anything else."""
    name = path.lower()
    if len(file.text) > MAX_FACTS_CHARS:
        return ""
    if name.endswith((".csv", ".tsv")):
        return table_facts(file, "\t" if name.endswith(".tsv") else "")
    return json_facts(file) if name.endswith(".json") else ""


def table_facts(file: TextFile, delimiter: str) -> str:
    """Rows and columns of a table, by its first line."""
    first = file.lines[0] if file.lines else ""
    found = delimiter or max(",;\t|", key=first.count)
    try:
        columns = next(csv.reader([first], delimiter=found), list[str]())
    except csv.Error:
        return ""
    named = ", ".join(visible(column)[:40] for column in columns[:MAX_NAMED])
    more = f" and {len(columns) - MAX_NAMED} more" if len(columns) > MAX_NAMED else ""
    return f"{max(len(file.lines) - 1, 0)} lines below the first, {len(columns)} columns: {named}{more}"


def json_facts(file: TextFile) -> str:
    """What the whole value is, or where it stops being JSON."""
    try:
        value: object = json.loads(file.text)
    except json.JSONDecodeError as error:
        return f"not valid JSON: {error.msg} in line {error.lineno}, column {error.colno}"
    except (RecursionError, ValueError):
        return "not readable as JSON: nested too deeply, or a number too long"
    if isinstance(value, dict):
        keys = [visible(key)[:40] for key in cast("dict[str, object]", value)]
        more = f" and {len(keys) - MAX_NAMED} more" if len(keys) > MAX_NAMED else ""
        return f"JSON object with {len(keys)} keys: {', '.join(keys[:MAX_NAMED])}{more}"
    return f"JSON list of {len(cast('list[object]', value))}" if isinstance(value, list) else ""
