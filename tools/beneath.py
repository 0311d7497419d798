"""Walks from a directory to a path below it so that nothing outside is reached, whatever links lie on the way.

Each component is opened relative to the descriptor of its parent and without following links; links are read and
followed by hand, so an answer cannot change between check and use. This is what `openat2(RESOLVE_BENEATH)` does on
Linux; macOS has no such call. Above: `tools.workspace`. Below: the operating system.
"""

import errno
import os
import stat
from collections import deque
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, TypeAlias

from tools.errors import PathRefused

MAX_LINKS = 40
MAX_PATH_BYTES = 4096
MAX_NAME_BYTES = 255

DIRECTORY_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
READ_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
CREATE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


Owner: TypeAlias = tuple[int, int]
"""The (uid, gid) that files written by the bot belong to: the sandbox's unprivileged user."""


class Spot(NamedTuple):
    """Where a path leads: the open directory it lies in, its name there, and its real path from the root."""

    parent: int
    name: str
    path: str


def own(descriptor: int, owner: Owner | None) -> None:
    """Give an open file to `owner`; only root can, anyone else already owns what they wrote."""
    if owner is not None and os.geteuid() == 0:
        os.fchown(descriptor, *owner)


def parts_of(path: str) -> list[str]:
    """Split a path into its components, `..` included.

    Raises:
        PathRefused: it holds a NUL character or is longer than any file system takes.
    """
    if "\0" in path:
        raise PathRefused("The path holds a NUL character.")
    parts = [part for part in path.split("/") if part not in {"", "."}]
    try:
        too_long = len(path.encode(errors="surrogateescape")) > MAX_PATH_BYTES or any(
            len(part.encode(errors="surrogateescape")) > MAX_NAME_BYTES for part in parts
        )
    except UnicodeEncodeError as error:
        raise PathRefused("The path holds characters that no file name can have.") from error
    if too_long:
        raise PathRefused(f"The path is too long: at most {MAX_NAME_BYTES} bytes per name, {MAX_PATH_BYTES} in all.")
    return parts


@dataclass(slots=True, kw_only=True)
class Walk:
    """One walk in progress. It owns the descriptors of the directories it stands in."""

    asked: str
    aliases: tuple[str, ...]
    owner: Owner | None
    make_parents: bool
    descriptors: list[int]
    names: list[str] = field(default_factory=list[str])
    links: int = 0

    def go(self, parts: Sequence[str]) -> Spot:
        """Walk to the last component and stand in its directory; the last component itself is not opened."""
        pending = deque(parts)
        while pending:
            part = pending.popleft()
            target = None if part == ".." else self.link_target(part)
            if part == "..":
                self.up()
            elif target is not None:
                pending.extendleft(reversed(self.follow(part, target)))
            elif pending:
                self.down(part)
            else:
                return Spot(self.descriptors[-1], part, "/".join([*self.names, part]))
        return Spot(self.descriptors[-1], ".", "/".join(self.names) or ".")

    def link_target(self, name: str) -> str | None:
        """What a symbolic link says, or None where `name` is something else or nothing."""
        try:
            return os.readlink(name, dir_fd=self.descriptors[-1])
        except OSError as error:
            if error.errno in {errno.EINVAL, errno.ENOENT}:
                return None
            raise

    def follow(self, name: str, target: str) -> list[str]:
        """The components a link stands for, after going back to the root for an absolute one."""
        self.links += 1
        if self.links > MAX_LINKS:
            raise PathRefused(f"{self.asked}: too many symbolic links.")
        if not target.startswith("/"):
            return parts_of(target)
        inside = relative_to(target, self.aliases)
        if inside is None:
            raise PathRefused(f"{self.asked}: the link {name} points outside the workspace.")
        while len(self.descriptors) > 1:
            self.up()
        return parts_of(inside)

    def up(self) -> None:
        """Back to the directory this one was entered from."""
        if len(self.descriptors) == 1:
            raise PathRefused(f"{self.asked}: the path leads outside the workspace.")
        os.close(self.descriptors.pop())
        self.names.pop()

    def down(self, name: str) -> None:
        """Into a directory, made on the way where parents are to be made."""
        here = self.descriptors[-1]
        created = False
        if self.make_parents:
            try:
                os.mkdir(name, 0o755, dir_fd=here)
                created = True
            except FileExistsError:
                pass
        descriptor = os.open(name, DIRECTORY_FLAGS, dir_fd=here)
        if created:
            own(descriptor, self.owner)
        self.descriptors.append(descriptor)
        self.names.append(name)

    def close(self) -> None:
        """Close every directory still open."""
        while self.descriptors:
            os.close(self.descriptors.pop())


def relative_to(path: str, aliases: Sequence[str]) -> str | None:
    """The part of an absolute path below one of `aliases`, or None where it lies elsewhere."""
    for alias in aliases:
        if path == alias or path.startswith(alias.rstrip("/") + "/"):
            return path[len(alias) :]
    return None


@contextmanager
def located(
    root: Path, path: str, *, aliases: Sequence[str] = (), owner: Owner | None = None, make_parents: bool = False
) -> Generator[Spot]:
    """Where `path` leads below `root`; the directory it lies in stays open within the block.

    Args:
        root: the directory nothing may leave; trusted, links in its own path are followed.
        path: relative, or absolute below one of `aliases`.
        aliases: absolute spellings of the root.
        owner: who directories made on the way belong to.
        make_parents: make missing directories on the way.

    Raises:
        PathRefused: it leads outside, or a directory on the way is missing.
    """
    inside = relative_to(path, aliases) if path.startswith("/") else path
    if inside is None:
        raise PathRefused(f"{path}: outside the workspace. Use a path relative to the workspace.")
    walk = Walk(
        asked=path,
        aliases=tuple(aliases),
        owner=owner,
        make_parents=make_parents,
        descriptors=[os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)],
    )
    try:
        with refusals(path):
            yield walk.go(parts_of(inside))
    finally:
        walk.close()


@contextmanager
def refusals(path: str) -> Generator[None]:
    """Turn what the operating system says about `path` into a sentence for the model."""
    try:
        yield
    except FileNotFoundError as error:
        raise PathRefused(f"{path}: no such file or directory in the workspace.") from error
    except NotADirectoryError as error:
        raise PathRefused(f"{path}: a part of this path is not a directory.") from error
    except IsADirectoryError as error:
        raise PathRefused(f"{path}: is a directory.") from error
    except PermissionError as error:
        raise PathRefused(f"{path}: permission denied.") from error
    except OSError as error:
        if error.errno not in {errno.ELOOP, errno.ENAMETOOLONG, errno.ENXIO, errno.EINVAL, errno.ENOSPC, errno.EDQUOT}:
            raise
        raise PathRefused(f"{path}: {os.strerror(error.errno)}.") from error


def check_regular(descriptor: int, path: str, trusted_uids: frozenset[int]) -> os.stat_result:
    """The status of an open file that a tool may touch.

    Raises:
        PathRefused: a directory, device, pipe or socket, or a hard link to a file that belongs to someone else.
    """
    status = os.fstat(descriptor)
    if stat.S_ISDIR(status.st_mode):
        raise PathRefused(f"{path}: is a directory.")
    if not stat.S_ISREG(status.st_mode):
        raise PathRefused(f"{path}: is not a regular file.")
    if status.st_nlink > 1 and status.st_uid not in trusted_uids:
        raise PathRefused(f"{path}: is a hard link to a file that does not belong to the workspace.")
    return status
