"""Control groups beside the other limits, where this process may make them: the kernel then counts all of an execution.

Both generations are used. Nothing is moved but the contained program itself: where the bot's own group may not have
limited children, as in a plain user's session without delegation, there are none, and `describe` does not name them.
"""

import contextlib
import os
import secrets
import signal
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.sandbox.port import MIB, Limits

ROOT = Path("/sys/fs/cgroup")
OWN = Path("/proc/self/cgroup")
PREFIX = "handrail-"
ROOM_BYTES = 128 * MIB
"""Above the limit on memory: temporary files in memory, and the programs that contain the program."""
ROOM_PROCESSES = 8
CONTROLLERS = ("memory", "pids")
GONE_SECONDS = 10.0
TIDYING_SECONDS = 5.0
"""For what outlives a killed bot to end the program and remove its temporary files, before it is killed as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Groups:
    """Where groups can be made: one place in the newer generation, one per controller in the older."""

    places: tuple[Path, ...]
    unified: bool

    def make(self, limits: Limits) -> "Group | None":
        """A group with these limits; None where that is no longer possible."""
        name = f"{PREFIX}{os.getpid()}-{secrets.token_hex(6)}"
        group = Group([place / name for place in self.places], unified=self.unified)
        try:
            group.furnish(limits)
        except OSError:
            group.close()
            return None
        return group


class Group:
    """The control group of one execution."""

    def __init__(self, folders: Sequence[Path], *, unified: bool) -> None:
        """Not made yet."""
        self.folders = tuple(folders)
        self.unified = unified
        self.descriptors: tuple[int, ...] = ()
        """Open lists of processes: whoever writes 0 there moves in."""

    def furnish(self, limits: Limits) -> None:
        """Make it, set its limits and open it.

        Raises:
            OSError: that is not possible here.
        """
        for folder in self.folders:
            folder.mkdir()
            for name, value in settings(limits, unified=self.unified).items():
                if (folder / name).exists():
                    (folder / name).write_text(value, encoding="ascii")
            path = str(folder / "cgroup.procs")
            self.descriptors = (*self.descriptors, os.open(path, os.O_WRONLY | os.O_CLOEXEC))

    def started(self) -> None:
        """The child has its copies."""
        for descriptor in self.descriptors:
            os.close(descriptor)
        self.descriptors = ()

    def ran_out(self) -> bool:
        """Whether the kernel killed something inside for the memory of all together."""
        name = "memory.events" if self.unified else "memory.oom_control"
        return any(count(folder / name, "oom_kill") > 0 for folder in self.folders)

    def close(self) -> None:
        """End whatever is left inside and remove it; a moment is given for the kernel to notice."""
        self.started()
        ends = time.monotonic() + GONE_SECONDS
        for folder in self.folders:
            while folder.exists() and time.monotonic() < ends:
                kill_all(folder)
                with contextlib.suppress(OSError):
                    folder.rmdir()
                    break
                time.sleep(0.01)


def counted(groups: Groups | None) -> str:
    """What `describe` says of them."""
    return "limits by control groups" if groups is not None else ""


def settings(limits: Limits, *, unified: bool) -> Mapping[str, str]:
    """The files of a group and what is written there; those of other controllers do not exist in it."""
    memory, processes = str(limits.memory_bytes + ROOM_BYTES), str(limits.processes + ROOM_PROCESSES)
    if unified:
        return {"memory.max": memory, "memory.swap.max": "0", "memory.oom.group": "1", "pids.max": processes}
    return {"memory.limit_in_bytes": memory, "pids.max": processes}


def count(path: Path, name: str) -> int:
    """A number in a file of names and numbers; 0 where there is none."""
    with contextlib.suppress(OSError, ValueError):
        for line in path.read_text(encoding="ascii").splitlines():
            key, _, value = line.partition(" ")
            if key == name:
                return int(value)
    return 0


def kill_all(folder: Path) -> None:
    """Kill every process of a group."""
    for pid in inside(folder):
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)


def find_groups(root: Path = ROOT, own: Path = OWN) -> Groups | None:
    """Where this process can make groups with limits; None where it cannot. Also clears away what a killed bot left."""
    try:
        lines = [line.split(":", 2) for line in own.read_text(encoding="utf-8").splitlines()]
    except OSError:
        return None
    paths = {name: path.lstrip("/") for _, names, path in lines for name in (names.split(",") if names else [""])}
    older = tuple(root / name / paths[name] for name in CONTROLLERS if name in paths)
    groups = Groups(places=older, unified=False)
    if len(older) < len(CONTROLLERS):
        place = root / paths.get("", "")
        if not enabled(place):
            return None
        groups = Groups(places=(place,), unified=True)
    for place in groups.places:
        clear(place)
    tried = groups.make(Limits())
    if tried is None:
        return None
    tried.close()
    return groups


def enabled(place: Path) -> bool:
    """Whether children of a group can have limits; switched on where that is permitted."""
    control = place / "cgroup.subtree_control"
    with contextlib.suppress(OSError):
        if not set(CONTROLLERS) <= set(control.read_text(encoding="ascii").split()):
            control.write_text(" ".join(f"+{name}" for name in CONTROLLERS), encoding="ascii")
        return set(CONTROLLERS) <= set(control.read_text(encoding="ascii").replace("+", "").split())
    return False


def clear(place: Path, seconds: float = TIDYING_SECONDS) -> None:
    """Remove groups of bots that are no more; in that time, those who tidy up after such a bot can do so."""
    ends = time.monotonic() + seconds
    for folder in place.glob(f"{PREFIX}*"):
        pid = folder.name.removeprefix(PREFIX).partition("-")[0]
        if pid.isdigit() and not Path(f"/proc/{pid}").exists():
            while inside(folder) and time.monotonic() < ends:
                time.sleep(0.01)
            kill_all(folder)
            with contextlib.suppress(OSError):
                folder.rmdir()


def inside(folder: Path) -> Sequence[int]:
    """The processes of a group."""
    with contextlib.suppress(OSError, ValueError):
        return [int(pid) for pid in (folder / "cgroup.procs").read_text(encoding="ascii").split()]
    return ()
