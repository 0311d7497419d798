"""Lists what lies below a directory whose content is untrusted: no links followed, bounded in depth and number."""

import os
import stat
from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

from tools.beneath import DIRECTORY_FLAGS

MAX_ENTRIES = 20_000
MAX_DEPTH = 64


class Entry(NamedTuple):
    """A regular file met while listing: its path from where listing began, and its status."""

    path: str
    status: os.stat_result


def files_below(descriptor: int) -> Iterator[Entry]:
    """Every regular file below an open directory in no particular order; the directory is closed at the end.

    Stops after `MAX_ENTRIES` entries of any kind and does not look below `MAX_DEPTH` directories, so that code which
    fills its workspace cannot hold up the bot. What vanishes or may not be entered meanwhile is left out.
    """
    for entry in islice(below(descriptor, "", MAX_DEPTH), MAX_ENTRIES):
        if stat.S_ISREG(entry.status.st_mode):
            yield entry


def everywhere(path: str) -> bool:  # noqa: ARG001 - the signature of every such choice
    """Enter every directory."""
    return True


def below(descriptor: int, prefix: str, depth: int, enter: Callable[[str], bool] = everywhere) -> Iterator[Entry]:
    """All entries below an open directory, which is closed at the end; `enter` says which directories to look into."""
    try:
        for name in os.listdir(descriptor):
            try:
                status = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
                yield Entry(prefix + name, status)
                if stat.S_ISDIR(status.st_mode) and depth > 0 and enter(prefix + name):
                    inner = os.open(name, DIRECTORY_FLAGS, dir_fd=descriptor)
                    yield from below(inner, f"{prefix}{name}/", depth - 1, enter)
            except (FileNotFoundError, NotADirectoryError, PermissionError):
                continue
    finally:
        os.close(descriptor)
