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
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

MARK_NAME = "HANDRAIL_TEST_RUN"
PROC = Path("/proc")

# Python's own helpers and Playwright's driver live as long as the test run; nothing of ours is listed.
LONG_LIVED = ("multiprocessing.resource_tracker", "multiprocessing.forkserver", "playwright/driver")


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


def from_proc() -> list[Process]:
    """Read every living process from /proc; zombies and those that vanish meanwhile are left out."""
    found: list[Process] = []
    for folder in PROC.iterdir():
        if not folder.name.isdigit():
            continue
        try:
            after_name = (folder / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
        except OSError:
            continue
        if after_name[0] not in "ZX":
            found.append(Process(int(folder.name), int(after_name[1]), command))
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


def descendants(processes: Iterable[Process], of: int) -> set[int]:
    """Return the pids below a process, at any depth."""
    children: dict[int, list[int]] = {}
    for process in processes:
        children.setdefault(process.parent, []).append(process.pid)
    below: set[int] = set()
    todo = [of]
    while todo:
        fresh = children.get(todo.pop(), [])
        below.update(fresh)
        todo += fresh
    return below


def running(mark: str) -> dict[int, str]:
    """Return the processes that belong to this run, as pid -> command, apart from long-lived ones."""
    processes = from_proc() if PROC.is_dir() else from_ps()
    below = descendants(processes, os.getpid())
    return {
        process.pid: process.command
        for process in processes
        if (process.pid in below or (process.pid != os.getpid() and carries(process.pid, mark)))
        and not any(word in process.command for word in LONG_LIVED)
    }


def left_running(before: dict[int, str], mark: str, *, within: float = 3.0) -> dict[int, str]:
    """Return the processes that are new since `before`; those that are just ending get a bounded time."""
    end = time.monotonic() + within
    while True:
        fresh = {pid: command for pid, command in running(mark).items() if pid not in before}
        if not fresh or time.monotonic() > end:
            return fresh
        time.sleep(0.02)


async def left_tasks(*, within: float = 1.0) -> list[str]:
    """Return the names of this loop's unfinished tasks; those that are just ending get a bounded time."""
    others = asyncio.all_tasks() - {task for task in (asyncio.current_task(),) if task}
    if others:
        _, others = await asyncio.wait(others, timeout=within)
    return sorted(f"{task.get_name()}: {task.get_coro()!r}" for task in others)
