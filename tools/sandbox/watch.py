"""What resource limits of the kernel do not see: the memory of all processes together and the size of a workspace.

Measured while a program runs and once after it, from outside, so that the program has no say in it.
"""

import asyncio
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.sandbox.launcher import descendants
from tools.sandbox.port import MIB, Limits

INTERVAL = 0.2
"""Seconds between two looks; longer when looking itself takes long."""
BUSY_FACTOR = 10
LONGEST = 10.0
"""Also where the machine is so busy that a look takes seconds: a disk fills meanwhile."""
PAGE = os.sysconf("SC_PAGE_SIZE")
KIB = 1024
TIDYING_BYTES = 16 * MIB
TIDYING_FILES = 500
"""What a call may add to a workspace that is too full already: a program that tidies needs a little room itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What lies in a directory."""

    size: int = 0
    """Bytes on disk: holes are not counted, hard links once."""
    files: int = 0
    """Files, directories and links."""
    unmeasured: str = ""
    """A directory that could not be read; its content may be anything."""


def usage(*roots: Path) -> Usage:
    """Measure directories that a hostile program may be changing meanwhile."""
    size = files = 0
    unmeasured = ""
    linked: set[tuple[int, int]] = set()
    waiting = [str(root) for root in roots]
    while waiting:
        folder = waiting.pop()
        try:
            for entry in entries(folder):
                files += 1
                info = entry.stat(follow_symlinks=False)
                if info.st_nlink > 1 and not stat.S_ISDIR(info.st_mode):
                    if (info.st_dev, info.st_ino) in linked:
                        continue
                    linked.add((info.st_dev, info.st_ino))
                size += info.st_blocks * 512
                if stat.S_ISDIR(info.st_mode):
                    waiting.append(entry.path)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            unmeasured = folder
    return Usage(size=size, files=files, unmeasured=unmeasured)


def entries(folder: str) -> Iterator["os.DirEntry[str]"]:
    """The entries of one directory."""
    with os.scandir(folder) as found:
        yield from found


def resident(root: int) -> int:
    """Bytes of memory used by all processes below `root`; 0 where the machine does not tell."""
    if not os.path.isdir("/proc/self"):
        return 0
    return sum(private_memory(pid) for pid in descendants(root))


def private_memory(pid: int) -> int:
    """Resident memory without shared file pages; an upper bound, since forked copies are counted in each process."""
    try:
        with open(f"/proc/{pid}/statm", "rb") as statm:
            _, pages, shared, *_ = (int(part) for part in statm.read().split())
    except (OSError, ValueError):
        return 0
    return (pages - shared) * PAGE


def proportional(root: int) -> int:
    """Bytes used by all processes below `root`, shared pages divided among those that share them. Slow but exact."""
    total = 0
    for pid in descendants(root):
        try:
            with open(f"/proc/{pid}/smaps_rollup", "rb") as rollup:
                total += sum(int(line.split()[1]) * KIB for line in rollup if line.startswith(b"Pss:"))
        except OSError:
            total += private_memory(pid)
    return total


def excess(found: Usage, before: Usage, limits: Limits) -> str:
    """Why the workspace is too full, in words, or nothing. One that was too full before may be tidied."""
    if found.unmeasured and not before.unmeasured:
        return "made a directory in the workspace unreadable, so that its size cannot be checked"
    if found.size > allowed(before.size, limits.workspace_bytes, TIDYING_BYTES):
        return (
            f"the workspace holds {found.size / MIB:,.0f} MB, more than its {limits.workspace_bytes / MIB:,.0f} MB; "
            "delete what is not needed"
        )
    if found.files > allowed(before.files, limits.workspace_files, TIDYING_FILES):
        return (
            f"the workspace holds {found.files:,} files, more than its {limits.workspace_files:,}; "
            "delete what is not needed"
        )
    return ""


def allowed(before: int, limit: int, room: int) -> int:
    """The limit, or a little more than what was there where that exceeds it already."""
    return limit if before <= limit else before + room


def look(pid: int, roots: tuple[Path, ...], before: Usage, limits: Limits) -> str:
    """Why a running program must end, in words, or nothing."""
    # The supervising processes are part of the tree; they hold a few megabytes.
    if resident(pid) > limits.memory_bytes and proportional(pid) > limits.memory_bytes:
        return too_much(limits)
    return excess(usage(*roots), before, limits)


def too_much(limits: Limits) -> str:
    """That all processes together used more memory than allowed, in words."""
    return f"its processes used more than {limits.memory_bytes / MIB:,.0f} MB of memory together"


async def until_exceeded(pid: int, roots: tuple[Path, ...], before: Usage, limits: Limits) -> str:
    """Wait until a limit is exceeded and say which; runs until cancelled otherwise."""
    loop = asyncio.get_running_loop()
    pause = INTERVAL
    while True:
        await asyncio.sleep(pause)
        began = loop.time()
        if reason := await asyncio.to_thread(look, pid, roots, before, limits):
            return reason
        pause = max(INTERVAL, min(LONGEST, BUSY_FACTOR * (loop.time() - began)))
