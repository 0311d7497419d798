"""What an agent changed in its copy of a mount, file by file, as people approve it."""

import difflib
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict

from tools.edits import kept_lines
from tools.errors import ToolInputError, ToolRefused
from tools.mounts import Mount, is_ignored, original_state, read_base, read_original
from tools.state import ABSENT, Content
from tools.text import cap, visible
from tools.textfile import TextFile, decode
from tools.workspace import Workspace

MAX_CHANGES = 200
MAX_BODY_CHARS = 400_000
MAX_DIFF_LINES = 10_000
MAX_CONFLICT_CHARS = 8_000

Kind = Literal["changed", "added", "removed"]
EMPTY = TextFile(text="")


class FileStates(BaseModel):
    """One file of an approved difference."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str
    before: str
    after: str


class CommitPlan(BaseModel):
    """What beside the files an approval of a commit covers; see `tools.repository`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    branch: str
    head: str
    """The commit that the new one follows."""
    prefix: str = ""
    """Where in the repository the mount lies; empty or with a slash at its end."""
    push_to: str = ""
    """The address of the remote; empty: the branch stays here."""


class Binding(BaseModel):
    """Exactly what was approved: each file's state before and after, and the digest of the text that was shown."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    mount: str
    files: tuple[FileStates, ...]
    shown: str
    """SHA-256 of the difference in words."""
    commit: CommitPlan | None = None
    """Where it is to become a commit instead of new files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """One file that differs."""

    path: str
    kind: Kind
    before: str
    after: str
    diff: str
    """A unified diff, or a sentence with sizes and digests where a diff would say nothing."""
    added: int = 0
    """Lines."""
    removed: int = 0
    """Lines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """All that differs in one mount."""

    mount: Mount
    changes: tuple[FileChange, ...]

    @property
    def title(self) -> str:
        """What would happen, in words: "Change 2 files in etl/ (+9 −3)"."""
        verbs = {"changed": "change", "added": "add", "removed": "remove"}
        counts = {verb: sum(change.kind == kind for change in self.changes) for kind, verb in verbs.items()}
        words = ", ".join(f"{verb} {count} file{'s' * (count > 1)}" for verb, count in counts.items() if count)
        added, removed = sum(c.added for c in self.changes), sum(c.removed for c in self.changes)
        return f"{words[:1].upper()}{words[1:]} in {self.mount.name}/ (+{added} −{removed})"

    @property
    def body(self) -> str:
        """Every change in full."""
        return "\n".join(change.diff for change in self.changes)

    @property
    def binding(self) -> Binding:
        """What an approval of this difference covers."""
        return Binding(
            mount=self.mount.name,
            files=tuple(FileStates(path=c.path, before=c.before, after=c.after) for c in self.changes),
            shown=hashlib.sha256(self.body.encode()).hexdigest(),
        )


def propose(mount: Mount, workspace: Workspace, merged: Sequence[str] = ()) -> Difference:
    """Compare the copy in the workspace with what was copied. Blocks while it reads; call it in a thread.

    Args:
        mount: which mount.
        workspace: whose copy.
        merged: files whose original changed meanwhile and was taken into account; they are compared with it as it is.

    Raises:
        ToolInputError: nothing differs, or it is too much to be shown.
        ToolRefused: an original changed since it was copied.
    """
    base = read_base(workspace, mount).files
    now = copy_states(mount, workspace)
    changes: list[FileChange] = []
    conflicts: list[FileChange] = []
    for path in sorted({*base, *now}):
        before, after = base.get(path, ABSENT), now.get(path, ABSENT)
        original = before if before == after else original_state(mount, path)
        if original == after:
            continue
        is_foreign = original != before and path not in merged
        made = change(mount, path, original_content(mount, path, original), copy_content(mount, path, workspace))
        (conflicts if is_foreign else changes).append(made)
        if len(changes) > MAX_CHANGES:
            raise ToolInputError(f"More than {MAX_CHANGES} files differ in {mount.name}/; nobody can review that.")
    if conflicts:
        raise ToolRefused(conflict(mount, conflicts))
    if not changes:
        raise ToolInputError(f"Nothing differs in {mount.name}/: there is nothing to publish.")
    difference = Difference(mount=mount, changes=tuple(changes))
    if len(difference.body) > MAX_BODY_CHARS:
        raise ToolInputError(f"The difference has {len(difference.body):,} characters; at most {MAX_BODY_CHARS:,} fit.")
    return difference


def copy_states(mount: Mount, workspace: Workspace) -> dict[str, str]:
    """The state of each file of the workspace's copy by its path below the mount."""
    if workspace.kind(mount.name) != "directory":
        return {}
    paths = [path for path, _ in workspace.entries(mount.name) if not is_ignored(path)]
    return {path: workspace.content(f"{mount.name}/{path}").state for path in paths}


def copy_content(mount: Mount, path: str, workspace: Workspace) -> Content | None:
    """What the copy holds at a path, or None where nothing is.

    Raises:
        ToolInputError: something that is no plain file stands there.
    """
    name = f"{mount.name}/{path}"
    if workspace.kind(name) == "missing":
        return None
    if workspace.resolve(name) != workspace.resolve(mount.name) / path or workspace.kind(name) != "file":
        raise ToolInputError(f"{visible(name)}: is a link or no plain file in your copy; put a plain file there.")
    return workspace.content(name)


def original_content(mount: Mount, path: str, state: str) -> Content | None:
    """What the original holds at a path, or None where nothing is.

    Raises:
        ToolInputError: something that is no plain file stands there.
    """
    return None if state == ABSENT else read_original(mount, path)


def conflict(mount: Mount, conflicts: Sequence[FileChange]) -> str:
    """Why nothing can be published, what stands against what, and what to do."""
    names = "\n".join(
        f"- {mount.name}/{visible(one.path)}: the original {'was removed' if one.before == ABSENT else 'changed'}"
        for one in conflicts
    )
    shown = cap("\n".join(one.diff for one in conflicts), MAX_CONFLICT_CHARS)
    return (
        f"Nothing can be published, as these originals are not what was copied:\n{names}\nMerge the present original "
        "into your copy, then publish again with these paths in `merged`. From the present originals to your copies:\n"
        f"{shown}"
    )


def change(mount: Mount, path: str, old: Content | None, new: Content | None) -> FileChange:
    """The change of one file from its original to the copy."""
    kind: Kind = "added" if old is None else "removed" if new is None else "changed"
    head = list(headlines(visible(f"{mount.name}/{path}"), old, new))
    texts = as_text(old), as_text(new)
    hunks: list[str] = []
    if texts[0] is None or texts[1] is None:
        head.append(f"[{kind}, not shown line by line: {sized(old)} -> {sized(new)}]")
    else:
        if old is not None and new is not None and written(texts[0]) != written(texts[1]):
            head.append(f"[written differently: {written(texts[0])} -> {written(texts[1])}]")
        hunks = list(text_diff(texts[0], texts[1]))
    return FileChange(
        path=path,
        kind=kind,
        before=ABSENT if old is None else old.state,
        after=ABSENT if new is None else new.state,
        diff="\n".join([*head, *hunks]),
        added=sum(line.startswith("+") for line in hunks),
        removed=sum(line.startswith("-") for line in hunks),
    )


def headlines(name: str, old: Content | None, new: Content | None) -> Iterator[str]:
    """Which file it is, and whether it may be executed from now on."""
    yield f"--- {'/dev/null' if old is None else 'a/' + name}"
    yield f"+++ {'/dev/null' if new is None else 'b/' + name}"
    if new is not None and new.executable != (old is not None and old.executable):
        yield f"[{'made executable' if new.executable else 'no longer executable'}]"


def as_text(content: Content | None) -> TextFile | None:
    """The content as text, or None where it is binary or too long for a diff."""
    if content is None:
        return EMPTY
    try:
        file = decode(content.data, "")
    except ToolInputError:
        return None
    return file if file.text.count("\n") <= MAX_DIFF_LINES else None


def sized(content: Content | None) -> str:
    """Size and digest of a content."""
    return "nothing" if content is None else f"{len(content.data):,} bytes, sha256 {content.state}"


def written(file: TextFile) -> str:
    """How a text is written, apart from what it says."""
    ends = "CRLF" if file.newline == "\r\n" else "LF"
    return f"{file.encoding}{' with byte order mark' if file.mark else ''}, {ends}"


def text_diff(old: TextFile, new: TextFile) -> Iterator[str]:
    """The hunks of a unified diff; hidden characters show, and so do line ends where they are not all alike."""
    everything = old.text + new.text
    alike = "\r" not in everything.replace("\r\n", "") and everything.count("\r\n") in {0, everything.count("\n")}
    pieces = [split(old.text, alike), split(new.text, alike)]
    for line in list(difflib.unified_diff(pieces[0], pieces[1], lineterm="", n=3))[2:]:
        yield visible(line.removesuffix("\n"))
        if line[0] in "+- " and not line.endswith("\n"):
            yield "\\ No newline at end of file"


def split(text: str, alike: bool) -> list[str]:
    """The lines with their ends, carriage returns written out unless all line ends are alike."""
    return kept_lines(text.replace("\r\n", "\n") if alike else text.replace("\r", "⟨CR⟩"))
