"""What a test left running: tasks of its event loop and processes it started.

A process belongs to this run when it descends from it, or when it carries the run's mark in its environment: so one
that was started, forked away and left its parent is found too. A program with a cleared environment that also leaves
its parent is the sandbox's own business, and the sandbox's tests look for it.
"""

import asyncio
import gc
import os
import subprocess
import time
import uuid
from collections.abc import Collection, Container, Mapping
from pathlib import Path
from typing import NamedTuple

MARK_NAME = "HANDRAIL_TEST_RUN"
PROC = Path("/proc")
GRACE = 60.0
"""Seconds for what is just ending."""

# Python's own helpers and Playwright's driver live as long as the test run, and a browser starts and ends its own
# processes as it likes; nothing of ours is listed, nor a browser itself.
LONG_LIVED = (
    "multiprocessing.resource_tracker",
    "multiprocessing.forkserver",
    "playwright/driver",
    "chromium --type=",
    "chrome --type=",
    "chrome_crashpad",
)


OPEN = Path("/dev/fd")


def open_descriptors() -> int:
    """How many files and sockets this process has open."""
    return sum(1 for _ in OPEN.iterdir())


def collect_unclosed(before: int) -> None:
    """Find what a test forgot to close now, in its own name, and not when a later test happens to collect garbage.

    Args:
        before: the descriptors that were open when it started. A collection is dear, so none happens without a sign.
    """
    if open_descriptors() > before:
        gc.collect()


class Process(NamedTuple):
    """One living process: who started it and what it runs."""

    pid: int
    parent: int
    command: str


def mark_this_run() -> str:
    """Put a mark into the environment that every process started from here inherits, and return it."""
    mark = os.environ.setdefault(MARK_NAME, uuid.uuid4().hex)
    # A worker of pytest-xdist inherits the mark of the whole run; its own processes need one of their own.
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    os.environ[MARK_NAME] = mark = f"{mark.partition('-')[0]}-{worker}"
    return mark


def living() -> frozenset[int]:
    """The ids of all processes of this machine."""
    if PROC.is_dir():
        return frozenset(int(folder.name) for folder in PROC.iterdir() if folder.name.isdigit())
    return frozenset(process.pid for process in from_ps())


def stat_of(pid: int) -> list[str]:
    """State, parent and what follows the name in a process's /proc entry; empty when it is gone."""
    try:
        text = (PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return text.rpartition(")")[2].split()


def from_proc(apart_from: Container[int] = ()) -> list[Process]:
    """Read every living process from /proc; zombies and those that vanish meanwhile are left out."""
    found: list[Process] = []
    for pid in living():
        after_name = [] if pid in apart_from else stat_of(pid)
        if not after_name or after_name[0] in "ZX":
            continue
        try:
            command = (PROC / str(pid) / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
        except OSError:
            continue
        found.append(Process(pid, int(after_name[1]), command))
    return found


def from_ps() -> list[Process]:
    """Read every living process from `ps`, where there is no /proc."""
    listed = subprocess.run(["ps", "-axo", "pid=,ppid=,stat=,command="], capture_output=True, text=True, check=True)
    rows = [line.split(None, 3) for line in listed.stdout.splitlines()]
    return [
        Process(int(row[0]), int(row[1]), row[3])
        for row in rows
        if len(row) == 4 and not row[2].startswith("Z") and not row[3].startswith("ps -axo")
    ]


def carries(pid: int, mark: str) -> bool:
    """Say whether a process inherited the mark; unreadable means no."""
    try:
        return f"{MARK_NAME}={mark}".encode() in (PROC / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:
        return False


def descends(process: Process, of: int, others: Mapping[int, int]) -> bool:
    """Say whether a process is below another, at any depth.

    Args:
        process: the one that is asked about.
        of: the process above.
        others: the parents of processes that are known already; any other is looked up.
    """
    parent = process.parent
    while parent > 1 and parent != of:
        above = stat_of(parent) if parent not in others else []
        parent = others[parent] if parent in others else int(above[1]) if above else 0
    return parent == of


def running(mark: str, *, apart_from: Container[int] = ()) -> dict[int, str]:
    """Return the processes that belong to this run, as pid -> command, apart from long-lived and other known ones."""
    everything = from_proc(apart_from) if PROC.is_dir() else from_ps()
    parents, me = {process.pid: process.parent for process in everything}, os.getpid()
    return {
        process.pid: process.command
        for process in everything
        if process.pid not in apart_from
        and process.pid != me
        and (descends(process, me, parents) or carries(process.pid, mark))
        and not any(word in process.command for word in LONG_LIVED)
    }


def left_running(before: Container[int], mark: str) -> dict[int, str]:
    """Return this run's processes that are new since `before`; those that are just ending get a bounded time."""
    end = time.monotonic() + GRACE
    while (fresh := running(mark, apart_from=before)) and time.monotonic() < end:
        time.sleep(0.02)
    return fresh


async def left_tasks(before: Collection["asyncio.Task[object]"] = ()) -> list[str]:
    """Return the names of this loop's unfinished tasks that are new; those that are just ending get a bounded time."""
    others = asyncio.all_tasks() - {*before, *(task for task in (asyncio.current_task(),) if task)}
    if others:
        _, others = await asyncio.wait(others, timeout=GRACE)
    return sorted(f"{task.get_name()}: {task.get_coro()!r}" for task in others)
