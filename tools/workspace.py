"""The session's own directory: the only place where its tools read and write files.

Everything that a model names goes through here. Content is untrusted: code in the sandbox may have put links, pipes
or odd names there, so each path is walked anew at each use (`tools.beneath`).
"""

import hashlib
import os
import secrets
import stat
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tools.beneath import (
    CREATE_FLAGS,
    DIRECTORY_FLAGS,
    READ_FLAGS,
    Owner,
    Spot,
    check_regular,
    located,
    own,
)
from tools.errors import PathRefused
from tools.listing import Entry, files_below
from tools.state import Content

SHOWN_AS = "/workspace"
"""How the workspace is called in paths that models write, whatever its place on the host."""

MAX_READ_BYTES = 64 * 1024 * 1024
MAX_DIGEST_BYTES = 200 * 1024 * 1024
COPY_BYTES = 1024 * 1024

Kind = Literal["file", "directory", "other", "missing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """A directory of the host that belongs to one session."""

    root: Path
    """Absolute. Its parents are trusted; nothing below it is."""
    owner: Owner | None = None
    """Who new files belong to when the bot runs as root; None keeps the bot's own user."""

    def beside(self, suffix: str) -> Path:
        """A place next to the workspace, where the bot keeps what code in the sandbox must not change."""
        return self.root.with_name(f"{self.root.name}.{suffix}")

    def resolve(self, path: str, *, must_exist: bool = False) -> Path:
        """The place on the host that `path` leads to now. Open files by `read_bytes` and `write_bytes` instead.

        Raises:
            PathRefused: it leads outside, or does not exist though it must.
        """
        try:
            with self.spot(path) as spot:
                if must_exist:
                    os.stat(spot.name, dir_fd=spot.parent, follow_symlinks=False)
                return self.root if spot.path == "." else self.root / spot.path
        except PathRefused as refusal:
            parent, _, name = path.rpartition("/")
            missing = isinstance(refusal.__cause__, FileNotFoundError)
            if must_exist or not missing or name in {"", ".", ".."}:
                raise
            return self.resolve(parent or ".") / name

    def spot(self, path: str, *, make_parents: bool = False) -> AbstractContextManager[Spot]:
        """Walk to `path`; see `tools.beneath.located`."""
        aliases = (SHOWN_AS, str(self.root))
        return located(self.root, path, aliases=aliases, owner=self.owner, make_parents=make_parents)

    def kind(self, path: str) -> Kind:
        """What lies at `path`.

        Raises:
            PathRefused: the path leads outside.
        """
        try:
            with self.spot(path) as spot:
                mode = os.stat(spot.name, dir_fd=spot.parent, follow_symlinks=False).st_mode
        except PathRefused as refusal:
            if isinstance(refusal.__cause__, FileNotFoundError):
                return "missing"
            raise
        if stat.S_ISREG(mode):
            return "file"
        return "directory" if stat.S_ISDIR(mode) else "other"

    def content(self, path: str) -> Content:
        """A regular file with its executable bit; refusals as for `read_bytes`."""
        data = self.read_bytes(path)
        with self.spot(path) as spot:
            mode = os.stat(spot.name, dir_fd=spot.parent, follow_symlinks=False).st_mode
        return Content(data, executable=bool(mode & 0o100))

    def read_bytes(self, path: str, *, limit: int = MAX_READ_BYTES) -> bytes:
        """The content of a regular file.

        Raises:
            PathRefused: outside, missing, not a regular file, a foreign hard link, or larger than `limit` bytes.
        """
        with self.spot(path) as spot:
            descriptor = os.open(spot.name, READ_FLAGS, dir_fd=spot.parent)
            with os.fdopen(descriptor, "rb") as file:
                status = check_regular(descriptor, path, self.trusted_uids())
                if status.st_size > limit:
                    raise PathRefused(f"{path}: has {status.st_size:,} bytes; at most {limit:,} can be read at once.")
                return file.read(limit)

    def write_bytes(self, path: str, data: bytes, *, mode: int | None = None) -> None:
        """Replace or create a file in one move, with the directories above it.

        Args:
            path: where, as `resolve` takes it.
            data: the whole new content.
            mode: permission bits; None keeps those of the file that was there, or 0644.

        Raises:
            PathRefused: outside, a directory, or a foreign hard link.
        """
        with self.spot(path, make_parents=True) as spot:
            if spot.name == ".":
                raise PathRefused(f"{path}: is a directory.")
            before = self.mode_at(spot, path)
            self.replace(spot, data, mode if mode is not None else before)

    def mode_at(self, spot: Spot, path: str) -> int:
        """The permission bits of the file that a write would replace, or those of a new one."""
        try:
            descriptor = os.open(spot.name, READ_FLAGS, dir_fd=spot.parent)
        except FileNotFoundError:
            return 0o644
        try:
            return stat.S_IMODE(check_regular(descriptor, path, self.trusted_uids()).st_mode) & 0o777
        finally:
            os.close(descriptor)

    def replace(self, spot: Spot, data: bytes, mode: int) -> None:
        """Write beside the target and rename, so that no reader sees half a file and no hard link is followed."""
        draft = f".{secrets.token_hex(8)}.draft"
        descriptor = os.open(draft, CREATE_FLAGS, 0o600, dir_fd=spot.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                own(descriptor, self.owner)
                os.fchmod(descriptor, mode)
            os.rename(draft, spot.name, src_dir_fd=spot.parent, dst_dir_fd=spot.parent)
        except BaseException:
            os.unlink(draft, dir_fd=spot.parent)
            raise

    def delete(self, path: str) -> None:
        """Remove a file; a link is removed where it leads, never outside.

        Raises:
            PathRefused: outside, missing, or a directory.
        """
        with self.spot(path) as spot:
            os.unlink(spot.name, dir_fd=spot.parent)

    def list_directory(self, path: str = ".") -> tuple[str, ...]:
        """The names in a directory, sorted; names of directories end in a slash.

        Raises:
            PathRefused: outside, missing, or not a directory.
        """
        with self.spot(path) as spot:
            descriptor = os.open(spot.name, DIRECTORY_FLAGS, dir_fd=spot.parent)
            try:
                with os.scandir(descriptor) as entries:
                    names = [f"{one.name}/" if one.is_dir(follow_symlinks=False) else one.name for one in entries]
            finally:
                os.close(descriptor)
        return tuple(sorted(names))

    def entries(self, path: str = ".") -> Iterator[Entry]:
        """Every regular file below a directory in no particular order, bounded as `tools.listing` says.

        Raises:
            PathRefused: outside, missing, or not a directory.
        """
        with self.spot(path) as spot:
            descriptor = os.open(spot.name, DIRECTORY_FLAGS, dir_fd=spot.parent)
        yield from files_below(descriptor)

    def list_files(self) -> tuple[str, ...]:
        """The paths of all regular files, sorted, bounded as `tools.listing` says."""
        return tuple(sorted(entry.path for entry in self.entries()))

    def fingerprint(self) -> dict[str, str]:
        """For each file a text that changes whenever the file does, from its status alone (no content is read).

        The change time is set by the kernel, so code in the sandbox cannot hold it still.
        """
        return {path: f"{status.st_ino}:{status.st_size}:{status.st_ctime_ns}" for path, status in self.entries()}

    def artefacts_since(self, before: Mapping[str, str]) -> tuple[str, ...]:
        """The files that are new or changed since `before`, an earlier `fingerprint()`, sorted."""
        now = self.fingerprint()
        return tuple(sorted(path for path, print_ in now.items() if before.get(path) != print_))

    def manifest_digest(self) -> str:
        """SHA-256 over the sorted paths and contents.

        Past `MAX_DIGEST_BYTES` in all, files count with their size only, so that the cost stays bounded.
        """
        whole = hashlib.sha256()
        budget = MAX_DIGEST_BYTES
        for path, status in sorted(self.entries(), key=lambda entry: entry.path):
            budget -= status.st_size
            digest = self.file_digest(path) if budget >= 0 else f"size:{status.st_size}"
            whole.update(path.encode(errors="surrogateescape") + b"\0" + digest.encode() + b"\n")
        return whole.hexdigest()

    def file_digest(self, path: str) -> str:
        """SHA-256 of one file's content in hexadecimal, read in pieces; "refused" where a tool may not read it."""
        content = hashlib.sha256()
        try:
            with self.spot(path) as spot:
                descriptor = os.open(spot.name, READ_FLAGS, dir_fd=spot.parent)
                with os.fdopen(descriptor, "rb") as file:
                    check_regular(descriptor, path, self.trusted_uids())
                    while piece := file.read(COPY_BYTES):
                        content.update(piece)
        except PathRefused:
            return "refused"
        return content.hexdigest()

    def trusted_uids(self) -> frozenset[int]:
        """Whose hard links may be opened: the sandbox's user, or the bot's own where there is no other."""
        return frozenset({self.owner[0] if self.owner is not None else os.geteuid()})
