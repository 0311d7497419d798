"""What the editor changed, kept beside the workspace so that it can be undone after a restart and never runs twice.

Each edit writes an entry before it touches the file: the content before, and the digest the file will have. A repeat of
the same call (`call_id`) after a crash finds its entry and knows from the file's digest whether the edit took place.
"""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from tools.workspace import Workspace

MAX_ENTRIES = 20
ABSENT = "absent"
"""Stands for the digest of a file that does not exist."""


class Edit(BaseModel):
    """One change of one file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    number: int
    call_id: str
    path: str
    before: str
    """SHA-256 of the content before, or `absent`."""
    after: str
    """SHA-256 of the content after."""
    undone_by: str = ""
    """The call that undid it; an undone edit is no longer in the way of the one before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """The edits of one file, oldest first."""

    folder: Path

    @classmethod
    def of(cls, workspace: Workspace, path: str) -> "History":
        """The history of the file that `path` leads to."""
        real = workspace.resolve(path).relative_to(workspace.root).as_posix()
        name = hashlib.sha256(real.encode(errors="surrogateescape")).hexdigest()
        return cls(folder=workspace.beside("undo") / name)

    def edits(self) -> list[Edit]:
        """All entries still kept."""
        if not self.folder.is_dir():
            return []
        texts = [path.read_text(encoding="utf-8") for path in sorted(self.folder.glob("*.json"))]
        return [Edit.model_validate_json(text) for text in texts]

    def by_call(self, call_id: str) -> Edit | None:
        """The edit this call made or was about to make."""
        return next((edit for edit in reversed(self.edits()) if edit.call_id == call_id), None)

    def to_undo(self, call_id: str) -> Edit | None:
        """The newest edit that is not undone, or the one this very call began to undo."""
        edits = self.edits()
        begun = next((edit for edit in edits if edit.undone_by == call_id), None)
        return begun or next((edit for edit in reversed(edits) if not edit.undone_by), None)

    def record(self, *, call_id: str, path: str, before: bytes | None, after: bytes) -> None:
        """Write an entry before its edit, and let go of the oldest past `MAX_ENTRIES`."""
        edits = self.edits()
        self.folder.parent.mkdir(mode=0o700, exist_ok=True)
        self.folder.mkdir(mode=0o700, exist_ok=True)
        edit = Edit(
            number=edits[-1].number + 1 if edits else 1,
            call_id=call_id,
            path=path,
            before=digest(before),
            after=digest(after),
        )
        if before is not None:
            write_durably(self.content_path(edit), before)
        self.save(edit)
        for old in edits[: max(0, len(edits) + 1 - MAX_ENTRIES)]:
            self.entry_path(old).unlink(missing_ok=True)
            self.content_path(old).unlink(missing_ok=True)

    def content_before(self, edit: Edit) -> bytes | None:
        """The content an undo brings back; None where there was no file."""
        return None if edit.before == ABSENT else self.content_path(edit).read_bytes()

    def mark_undone(self, edit: Edit, call_id: str) -> None:
        """Note which call undoes the edit, before it does."""
        self.save(edit.model_copy(update={"undone_by": call_id}))

    def save(self, edit: Edit) -> None:
        """Write one entry."""
        write_durably(self.entry_path(edit), edit.model_dump_json().encode())

    def entry_path(self, edit: Edit) -> Path:
        """Where the entry lies."""
        return self.folder / f"{edit.number:06d}.json"

    def content_path(self, edit: Edit) -> Path:
        """Where the content before lies."""
        return self.folder / f"{edit.number:06d}.before"


def digest(content: bytes | None) -> str:
    """SHA-256 in hexadecimal, or `absent`."""
    return ABSENT if content is None else hashlib.sha256(content).hexdigest()


def write_durably(path: Path, data: bytes) -> None:
    """Replace a file so that a crash leaves the old content or the new, never a part."""
    draft = path.with_name(f"{path.name}.draft")
    with draft.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    draft.rename(path)
