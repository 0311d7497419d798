"""Directories of the host that an agent works on: copied once into the workspace, published back only when approved.

What was copied is recorded beside the workspace, out of reach of code in the sandbox, as the state of each file at that
moment. `tools.difference` compares with it, `tools.publishing` writes back and moves it on.
"""

import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from tools.beneath import DIRECTORY_FLAGS, READ_FLAGS, Owner, located
from tools.errors import PathRefused
from tools.history import write_durably
from tools.listing import Entry, below
from tools.state import ABSENT, Content
from tools.workspace import Workspace

MAX_FILES = 20_000
MAX_BYTES = 200 * 1024 * 1024
MAX_DEPTH = 40
IGNORED_FOLDERS = frozenset(
    {".git", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".ipynb_checkpoints", "node_modules"}
)
IGNORED_NAMES = frozenset({".DS_Store"})
OWN_NAMES = ".handrail-"
"""How names begin that exist for a moment while a difference is written back."""
IGNORED_ENDINGS = (".pyc", ".pyo")


class MountUnusable(Exception):
    """A mounted directory cannot be copied. The operator reacts; the text names the mount and the fix."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mount:
    """A directory of the host under a name."""

    name: str
    """The directory of its copy in the workspace."""
    path: Path
    """Absolute place on the host."""


class Base(BaseModel):
    """What was copied of one mount."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: int = 1
    source: str
    files: dict[str, str] = Field(default_factory=dict[str, str])
    """Path below the mount -> its state (`tools.state`) when it was copied or last published."""


def is_ignored(path: str) -> bool:
    """True for what is neither copied nor published: repositories' internals, caches, and names that are no text."""
    *folders, name = path.split("/")
    return (
        any(folder in IGNORED_FOLDERS for folder in folders)
        or name in IGNORED_NAMES | IGNORED_FOLDERS
        or name.endswith(IGNORED_ENDINGS)
        or name.startswith(OWN_NAMES)
        or not path.isprintable()
    )


def prepare_workspace(root: Path, mounts: Sequence[Mount], owner: Owner | None) -> Workspace:
    """The session's workspace with a copy of each mount, made where it is missing. Safe to repeat.

    Blocks while it copies; call it in a thread.

    Raises:
        MountUnusable: a mount cannot be read or is too large.
    """
    workspace = Workspace(root=root, owner=owner)
    if not root.is_dir():
        root.mkdir(mode=0o700, parents=True)
        if owner is not None and os.geteuid() == 0:
            os.chown(root, *owner)
    for mount in mounts:
        if not is_copied(workspace, mount.name):
            copy(mount, workspace)
    return workspace


def is_copied(workspace: Workspace, name: str) -> bool:
    """Whether the session has its copy of a mount."""
    return base_path(workspace, name).exists()


def base_path(workspace: Workspace, name: str) -> Path:
    """Where the record of a mount lies."""
    return workspace.beside("base") / f"{name}.json"


def read_base(workspace: Workspace, mount: Mount) -> Base:
    """What was copied of the mount.

    Raises:
        MountUnusable: nothing was copied in this session, as the mount was added later.
    """
    try:
        return Base.model_validate_json(base_path(workspace, mount.name).read_bytes())
    except FileNotFoundError as error:
        raise MountUnusable(f"The mount {mount.name} was not yet copied into this session.") from error


def write_base(workspace: Workspace, name: str, base: Base) -> None:
    """Record what is copied of a mount."""
    path = base_path(workspace, name)
    path.parent.mkdir(mode=0o700, exist_ok=True)
    write_durably(path, base.model_dump_json().encode())


def copy(mount: Mount, workspace: Workspace) -> None:
    """Copy a mount and record it; remains of a copy that was interrupted are replaced.

    The record is written last, so a copy without it never counts.

    Raises:
        MountUnusable: it cannot be read, is too large, or contains the workspace itself.
    """
    entries = scan(mount, workspace)
    shutil.rmtree(workspace.root / mount.name, ignore_errors=True)
    files: dict[str, str] = {}
    with workspace.spot(f"{mount.name}/x", make_parents=True):
        pass
    for entry in entries:
        try:
            content = read_original(mount, entry.path)
        except PathRefused:
            continue
        mode = 0o755 if content.executable else 0o644
        workspace.write_bytes(f"{mount.name}/{entry.path}", content.data, mode=mode)
        files[entry.path] = content.state
    write_base(workspace, mount.name, Base(source=str(mount.path), files=files))


def scan(mount: Mount, workspace: Workspace) -> list[Entry]:
    """The files to copy, after checking that they are not too many."""
    where = f"The mount {mount.name} ({mount.path})"
    if workspace.root.resolve().is_relative_to(mount.path.resolve()):
        raise MountUnusable(f"{where} contains the bot's own data directory. Mount a directory beside it.")
    try:
        entries = list(islice(original_files(mount.path), MAX_FILES + 1))
    except OSError as error:
        raise MountUnusable(f"{where} cannot be read: {error.strerror}. Correct [[workspace.mounts]].") from error
    if len(entries) > MAX_FILES:
        raise MountUnusable(f"{where} holds more than {MAX_FILES:,} files. Mount a smaller directory.")
    size = sum(entry.status.st_size for entry in entries)
    if size > MAX_BYTES:
        raise MountUnusable(
            f"{where} holds {size // 1024**2:,} MB, more than {MAX_BYTES // 1024**2} MB. Mount a smaller directory."
        )
    return entries


def original_files(path: Path) -> Iterator[Entry]:
    """The regular files of a mounted directory that are not ignored; links are left out."""
    descriptor = os.open(path, DIRECTORY_FLAGS & ~os.O_NOFOLLOW)
    for entry in below(descriptor, "", MAX_DEPTH, enter=lambda folder: not is_ignored(folder)):
        if stat.S_ISREG(entry.status.st_mode) and not is_ignored(entry.path):
            yield entry


def read_original(mount: Mount, path: str) -> Content:
    """A file of the mount.

    Raises:
        PathRefused: it is missing, no regular file, or behind a link that leaves the mount.
    """
    with located(mount.path, path) as spot:
        descriptor = os.open(spot.name, READ_FLAGS, dir_fd=spot.parent)
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if spot.path != path or not stat.S_ISREG(status.st_mode):
                raise PathRefused(f"{path}: is a link or no regular file.")
            return Content(file.read(MAX_BYTES), executable=bool(status.st_mode & 0o100))


def original_state(mount: Mount, path: str) -> str:
    """The state of a file of the mount now; `absent` where there is nothing, another text where it is no plain file."""
    try:
        return read_original(mount, path).state
    except PathRefused as refusal:
        return ABSENT if isinstance(refusal.__cause__, FileNotFoundError) else "not a plain file"
