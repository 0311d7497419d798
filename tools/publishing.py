"""Writes an approved difference back to the host: exactly it, all of it, or nothing.

Order: check every file, stage every new content beside its target, then swap file by file, each keeping the old one
under a second name until all are done. A failure puts the old ones back. A crash in the middle leaves files that are
either as before or as approved, and the same call repeated finishes it; a file in any third state stops it.
"""

import contextlib
import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from tools.beneath import CREATE_FLAGS, Spot, located
from tools.difference import Binding, FileStates, copy_content
from tools.errors import PathRefused, ToolRefused
from tools.mounts import OWN_NAMES, Base, Mount, original_state, read_base, write_base
from tools.state import ABSENT, Content
from tools.text import visible
from tools.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """How an application ended."""

    files: int
    already: bool = False
    """True when nothing was left to do, as after a crash that came late."""


def apply(binding: Binding, mount: Mount, workspace: Workspace) -> Applied:
    """Make the originals what was approved. Blocks while it writes; call it in a thread.

    Raises:
        ToolRefused: an original or the copy is not as it was when the difference was shown, or the host refuses to
            write; nothing was changed then.
    """
    tag = f"{OWN_NAMES}{hashlib.sha256(binding.model_dump_json().encode()).hexdigest()[:12]}"
    sweep(binding, mount, tag)
    todo = unfinished(binding, mount)
    if todo:
        contents = {states.path: approved_content(states, mount, workspace) for states in todo}
        swap_all(todo, contents, mount, tag)
    with contextlib.suppress(OSError):
        move_base(binding, mount, workspace)
    return Applied(files=len(binding.files), already=not todo)


def move_base(binding: Binding, mount: Mount, workspace: Workspace) -> None:
    """Let later differences start from what was published.

    Where this fails the difference is applied all the same; a later one of the same file must then be merged.
    """
    base = read_base(workspace, mount)
    files = dict(base.files)
    for states in binding.files:
        files.pop(states.path, None)
        if states.after != ABSENT:
            files[states.path] = states.after
    write_base(workspace, mount.name, Base(source=base.source, files=files))


def sweep(binding: Binding, mount: Mount, tag: str) -> None:
    """Remove the extra names that an interrupted attempt at the same difference left."""
    for states in binding.files:
        with contextlib.suppress(PathRefused), located(mount.path, states.path) as spot:
            with os.scandir(spot.parent) as found:
                names = [entry.name for entry in found if entry.name.startswith(tag)]
            for name in names:
                os.unlink(name, dir_fd=spot.parent)


def unfinished(binding: Binding, mount: Mount) -> list[FileStates]:
    """The files that are still as before.

    Raises:
        ToolRefused: one is neither as before nor as approved.
    """
    todo: list[FileStates] = []
    for states in binding.files:
        now = original_state(mount, states.path)
        if now == states.before:
            todo.append(states)
        elif now != states.after:
            raise ToolRefused(
                f"Nothing was published: the original of {mount.name}/{visible(states.path)} changed after the "
                "difference was shown. Publish again to show the present difference."
            )
    return todo


def approved_content(states: FileStates, mount: Mount, workspace: Workspace) -> Content | None:
    """The new content of one file, exactly as it was shown; None for a removal.

    Raises:
        ToolRefused: the copy changed after the difference was shown.
    """
    content = copy_content(mount, states.path, workspace)
    if (ABSENT if content is None else content.state) != states.after:
        raise ToolRefused(
            f"Nothing was published: your copy {mount.name}/{visible(states.path)} changed after the difference was "
            "shown. Publish again to show the present one."
        )
    return content


def swap_all(todo: list[FileStates], contents: dict[str, Content | None], mount: Mount, tag: str) -> None:
    """Stage and swap every file; on any failure undo what was done, newest first."""
    with contextlib.ExitStack() as cleanup, contextlib.ExitStack() as rollback:
        try:
            spots = [open_target(states, mount, rollback, cleanup) for states in todo]
            swaps = [
                Swap(mount=mount, states=states, spot=spot, content=contents[states.path], tag=f"{tag}-{number}")
                for number, (states, spot) in enumerate(zip(todo, spots, strict=True))
            ]
            for swap in swaps:
                cleanup.callback(swap.forget)
                rollback.callback(swap.forget)
                swap.stage()
            for swap in swaps:
                rollback.callback(swap.undo)
                swap.do()
        except (OSError, PathRefused) as error:
            rollback.close()
            reason = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error)
            raise ToolRefused(f"Nothing was published: {mount.name}/ cannot be written ({reason}).") from error
        except ToolRefused:
            rollback.close()
            raise
        rollback.pop_all()


def open_target(
    states: FileStates, mount: Mount, rollback: contextlib.ExitStack, cleanup: contextlib.ExitStack
) -> Spot:
    """The directory of a target, held open; directories made for it go again on a rollback.

    Raises:
        PathRefused: a link stands on the way, so the target is not where its path says.
    """
    if states.before == ABSENT:
        rollback.callback(prune, mount.path, missing_parents(mount.path, states.path))
    spot = cleanup.enter_context(located(mount.path, states.path, make_parents=states.before == ABSENT))
    if spot.path != states.path:
        raise PathRefused(f"{visible(states.path)} is behind a link")
    return spot


def missing_parents(root: Path, path: str) -> list[Path]:
    """The directories above a new file that do not exist yet, innermost first."""
    return [root / parent for parent in Path(path).parents[:-1] if not (root / parent).exists()]


def prune(root: Path, folders: list[Path]) -> None:
    """Remove directories that were made and stayed empty."""
    for folder in folders:
        if folder != root:
            with contextlib.suppress(OSError):
                folder.rmdir()


class Modelled(NamedTuple):
    """The owner and permission bits a new file gets."""

    like: os.stat_result
    mode: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Swap:
    """One file on its way from before to after. Both extra names lie beside the target and are the same in a repeat."""

    mount: Mount
    states: FileStates
    spot: Spot
    content: Content | None
    tag: str

    def stage(self) -> None:
        """Write the new content beside the target, with the owner and mode of what it replaces."""
        if self.content is None:
            return
        like, mode = self.model()
        descriptor = os.open(f"{self.tag}.new", CREATE_FLAGS, 0o600, dir_fd=self.spot.parent)
        with os.fdopen(descriptor, "wb") as file:
            file.write(self.content.data)
            file.flush()
            if os.geteuid() == 0:
                os.fchown(descriptor, like.st_uid, like.st_gid)
            os.fchmod(descriptor, mode)
            os.fsync(descriptor)

    def model(self) -> Modelled:
        """Whose status the new file takes over: the file's own, or its directory's; and its permission bits."""
        executable = self.content is not None and self.content.executable
        if self.states.before == ABSENT:
            return Modelled(os.fstat(self.spot.parent), 0o755 if executable else 0o644)
        status = os.stat(self.spot.name, dir_fd=self.spot.parent, follow_symlinks=False)
        mode = status.st_mode & 0o777
        mode = mode | (mode & 0o444) >> 2 if executable else mode & ~0o111
        return Modelled(status, mode)

    def do(self) -> None:
        """Put the new content in place of the old one, after a last look at what is replaced.

        Raises:
            ToolRefused: the original changed within this moment.
        """
        if self.states.before != ABSENT:
            os.link(self.spot.name, f"{self.tag}.old", src_dir_fd=self.spot.parent, dst_dir_fd=self.spot.parent)
        if original_state(self.mount, self.states.path) != self.states.before:
            raise ToolRefused(f"Nothing was published: the original of {visible(self.states.path)} changes right now.")
        if self.content is None:
            os.unlink(self.spot.name, dir_fd=self.spot.parent)
        elif self.states.before == ABSENT:
            # A link, unlike a rename, fails where someone made the file meanwhile.
            os.link(f"{self.tag}.new", self.spot.name, src_dir_fd=self.spot.parent, dst_dir_fd=self.spot.parent)
        else:
            self.rename(".new", self.spot.name)
        os.fsync(self.spot.parent)

    def undo(self) -> None:
        """Put the old content back, where the new one is in place."""
        if original_state(self.mount, self.states.path) != self.states.after:
            return
        if self.states.before == ABSENT:
            os.unlink(self.spot.name, dir_fd=self.spot.parent)
        else:
            self.rename(".old", self.spot.name)

    def rename(self, ending: str, target: str) -> None:
        """Move one of the extra names over the target."""
        os.rename(f"{self.tag}{ending}", target, src_dir_fd=self.spot.parent, dst_dir_fd=self.spot.parent)

    def forget(self) -> None:
        """Remove the extra names as far as possible: by now the difference is applied or undone."""
        for ending in (".new", ".old"):
            with contextlib.suppress(OSError):
                os.unlink(f"{self.tag}{ending}", dir_fd=self.spot.parent)
