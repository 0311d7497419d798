"""Views and edits text files of the workspace, keeping how they were written."""

from typing import ClassVar, Literal

from pydantic import Field

from tools.base import (
    BaseTool,
    CallPreview,
    Effect,
    Params,
    PreparedCall,
    Risk,
    ToolInputError,
    ToolRefused,
    ToolResult,
)
from tools.context import ToolContext
from tools.documents import document_kind, document_text, facts
from tools.edits import around, inserted, numbered, replaced
from tools.history import ABSENT, History, digest
from tools.pictures import picture_of
from tools.text import cap, visible
from tools.textfile import TextFile, decode, encode
from tools.workspace import Workspace

OWN = ".handrail"
MAX_VIEW_CHARS = 30_000
MAX_LISTED = 300


class EditorParams(Params):
    """Which fields count depends on the command."""

    command: Literal["view", "create", "str_replace", "insert", "undo_edit"]
    path: str = Field(min_length=1, max_length=4096)
    file_text: str | None = Field(default=None, max_length=1_000_000)
    old_str: str | None = Field(default=None, max_length=200_000)
    new_str: str | None = Field(default=None, max_length=200_000)
    insert_line: int | None = Field(default=None, ge=0)
    view_range: tuple[int, ...] | None = Field(
        default=None,
        min_length=2,
        max_length=2,
    )


class StrReplaceEditor(BaseTool[EditorParams]):
    """Edits are safe to repeat: each is recorded beside the workspace under its call before it happens."""

    name: ClassVar[str] = "str_replace_editor"
    description: ClassVar[str] = (
        "Read and change files. view: a file (PDF, DOCX, XLSX too) or directory. str_replace: old_str, found once, "
        "becomes new_str. insert: new_str after insert_line."
    )
    risk: ClassVar[Risk] = Risk.WORKSPACE
    effect: ClassVar[Effect] = Effect.IDEMPOTENT
    params: ClassVar[type[Params]] = EditorParams
    shown_chars: ClassVar[int] = 16_000

    async def prepare(self, params: EditorParams, context: ToolContext) -> PreparedCall:
        """Show the command with its exact texts."""
        given = params.model_dump(exclude_none=True)
        body = "\n".join(f"{name}: {visible(str(value))}" for name, value in given.items())
        title = f"{params.command} {visible(params.path)}"
        return PreparedCall(preview=CallPreview(title=title, body=body, language="text"))

    async def run(self, params: EditorParams, context: ToolContext) -> ToolResult:
        """Do one command."""
        if params.command == "view":
            return await view(params, context)
        check_not_own(params.path, context.workspace)
        match params.command:
            case "undo_edit":
                return undo(params.path, context)
            case _:
                return edit(params, context)


def check_not_own(path: str, workspace: Workspace) -> None:
    """Whether a file may be changed: what shells and interpreters go on with is code that no card would show.

    Raises:
        ToolRefused: it is one of Handrail's own.
    """
    place = workspace.resolve(path).relative_to(workspace.root)
    if place.parts[:1] == (OWN,):
        raise ToolRefused(f"{path}: what calls leave behind in {OWN}/ can be read, and is not edited.")


async def view(params: EditorParams, context: ToolContext) -> ToolResult:
    """A file with line numbers, or a directory two levels deep.

    Raises:
        ToolInputError: there is nothing to show there, or no such lines.
    """
    workspace = context.workspace
    if workspace.kind(params.path) == "directory":
        return listing(params, workspace)
    data = workspace.read_bytes(params.path)
    picture = picture_of(data)
    if picture is not None:
        size = f"{picture.width} x {picture.height} pixels"
        said = f"{params.path}: {picture.media_type}, {size}. It is shown to you once, or described, after this."
        return ToolResult(output=said, brief=f"{params.path}: {size}", images=(params.path,))
    kind = document_kind(params.path, data)
    file = await document_text(kind, params.path, context) if kind else decode(data, params.path)
    lines = file.lines
    first, last = asked_lines(params, len(lines))
    text = numbered(lines, first - 1, last)
    notes = f"\n[text of a {kind.upper()} file; it cannot be edited here]" if kind else about(file)
    found = facts(params.path, file) if kind is None else ""
    notes += f"\n[{found}]" if found else ""
    hint = "; ask for fewer lines with view_range"
    output = cap(text, MAX_VIEW_CHARS, hint=hint) if lines else "(the file is empty)"
    brief = f"{params.path}: {len(lines)} lines" if params.view_range is None else f"{params.path}: {first} to {last}"
    return ToolResult(output=f"{output}{notes}", brief=brief)


def asked_lines(params: EditorParams, count: int) -> tuple[int, int]:
    """The first and last line to show, counted from 1."""
    if params.view_range is None:
        return 1, count
    first, last = params.view_range
    if last == -1 or last > count:
        last = count
    if not 1 <= first <= max(last, 1):
        raise ToolInputError(
            f"{params.path}: has {count} lines, so view_range {list(params.view_range)} shows nothing. "
            "Give [first, last] with 1 <= first <= last."
        )
    return first, last


def about(file: TextFile) -> str:
    """What is special about how the file is written, or nothing."""
    facts = [f"encoding {file.encoding}"] if file.encoding != "utf-8" else []
    facts += ["byte order mark"] if file.mark else []
    facts += ["CRLF line ends"] if file.newline == "\r\n" else []
    facts += ["no line end after the last line"] if file.text and not file.text.endswith("\n") else []
    return f"\n[{', '.join(facts)}; kept when edited]" if facts else ""


def listing(params: EditorParams, workspace: Workspace) -> ToolResult:
    """The files below a directory, hidden ones left out, two levels deep."""
    if params.view_range is not None:
        raise ToolInputError(f"{params.path}: is a directory; view_range is for files.")
    names = {name for name in workspace.list_directory(params.path) if name.endswith("/") and name[0] != "."}
    for path, status in workspace.entries(params.path):
        parts = path.split("/")
        if not any(part.startswith(".") for part in parts):
            names.add(f"{path}\t{status.st_size} bytes" if len(parts) <= 2 else f"{parts[0]}/{parts[1]}/")
    shown = [visible(name) for name in sorted(names)[:MAX_LISTED]]
    if len(names) > MAX_LISTED:
        shown.append(f"[... {len(names) - MAX_LISTED} more left out; view a directory below]")
    return ToolResult(
        output="\n".join(shown) or "(the directory is empty)", brief=f"{params.path}: {len(names)} entries"
    )


def edit(params: EditorParams, context: ToolContext) -> ToolResult:
    """Change one file, once per call id however often it is run.

    Raises:
        ToolInputError: the change cannot be made; nothing was changed.
    """
    workspace, path = context.workspace, params.path
    present = workspace.kind(path)
    if present == "directory":
        raise ToolInputError(f"{path}: is a directory.")
    before = workspace.read_bytes(path) if present != "missing" else None
    history = History.of(workspace, path)
    earlier = history.by_call(context.call_id)
    if earlier is not None and digest(before) == earlier.after:
        return ToolResult(output=f"{path}: was already edited by this call.", brief=f"{path}: edited")
    old = decode(before, path) if before is not None else None
    new, first, count = changed(params, old)
    after = encode(new, path)
    if earlier is None or digest(before) != earlier.before:
        history.record(call_id=context.call_id, path=path, before=before, after=after)
    workspace.write_bytes(path, after)
    if params.command == "create":
        done = "created" if old is None else "replaced"
        return ToolResult(output=f"{path}: {done}, {len(new.lines)} lines.{about(new)}", brief=f"{path}: {done}")
    return ToolResult(
        output=f"{path}: edited. Around the change:\n{around(new, first, count)}", brief=f"{path}: edited"
    )


def changed(params: EditorParams, old: TextFile | None) -> tuple[TextFile, int, int]:
    """The file after the command, the index of its first changed line, and how many lines are new."""
    path = params.path
    if params.command == "create":
        if params.file_text is None:
            raise ToolInputError("create needs file_text.")
        return (old.with_text(old.adapted(params.file_text)) if old else TextFile(text=params.file_text)), 0, 0
    if old is None:
        raise ToolInputError(f"{path}: no such file in the workspace. Use create to make it.")
    count = (params.new_str or "").count("\n") + 1
    if params.command == "str_replace":
        if params.old_str is None:
            raise ToolInputError("str_replace needs old_str.")
        new, first = replaced(old, path, params.old_str, params.new_str or "")
        return new, first, count
    if params.insert_line is None or params.new_str is None:
        raise ToolInputError("insert needs insert_line and new_str.")
    return inserted(old, path, params.insert_line, params.new_str), params.insert_line, count


def undo(path: str, context: ToolContext) -> ToolResult:
    """Take back the last edit of a file.

    Raises:
        ToolInputError: no edit is left, or something else changed the file since.
    """
    workspace = context.workspace
    history = History.of(workspace, path)
    last = history.to_undo(context.call_id)
    if last is None:
        raise ToolInputError(f"{path}: there is no edit to undo.")
    present = workspace.read_bytes(path) if workspace.kind(path) != "missing" else None
    if digest(present) == last.after:
        history.mark_undone(last, context.call_id)
        content = history.content_before(last)
        if content is None:
            workspace.delete(path)
        else:
            workspace.write_bytes(path, content)
    elif not (last.undone_by == context.call_id and digest(present) == last.before):
        raise ToolInputError(f"{path}: was changed by something else since the edit, so the edit cannot be undone.")
    what = "removed, as it was new" if last.before == ABSENT else "as it was before"
    return ToolResult(output=f"{path}: last edit undone, {what}.", brief=f"{path}: edit undone")
