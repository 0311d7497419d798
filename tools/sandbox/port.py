"""The boundary between tools that run foreign code and the machine they run on.

Above: `PythonExecute`, `Bash` and `doctor`, which say what to run and within which limits.
Below: one back-end per kind of isolation (`bubblewrap`, `landlock`, `container`, `seatbelt`, `unsafe_local`, and
`unavailable`, which refuses). `probe.choose` picks one; `self_check` holds what every one of them must pass.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from typing import Protocol

MIB = 1024 * 1024


class SandboxUnavailable(Exception):
    """Nothing on this machine can contain foreign code. The operator reacts; the text says how."""


class Level(StrEnum):
    """How well foreign code is contained, strongest first."""

    BUBBLEWRAP = "bubblewrap"
    CONTAINER = "container"
    LANDLOCK = "landlock"
    SEATBELT = "seatbelt"
    UNSAFE_LOCAL = "unsafe_local"
    NONE = "none"

    @property
    def contains(self) -> bool:
        """True when files, network and processes of the host are out of reach."""
        return self not in {Level.UNSAFE_LOCAL, Level.NONE}


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one execution may use. Processor time, file size and open files bind each process, the rest the whole."""

    wall: timedelta = timedelta(seconds=120)
    cpu_seconds: int = 60
    memory_bytes: int = 1024 * MIB
    """Address space of each process, and resident memory of all of them together."""
    processes: int = 64
    file_bytes: int = 50 * MIB
    open_files: int = 256
    output_bytes: int = MIB
    """Kept of each stream: the first and the last half; what lies between is counted and dropped."""
    workspace_bytes: int = 500 * MIB
    """A workspace already over it may be tidied; a call that makes it grow further is killed."""
    workspace_files: int = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """One program to run inside."""

    argv: tuple[str, ...]
    stdin: bytes = b""
    cwd: str = "."
    """Relative to the workspace."""
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    """Added to the small fixed environment; nothing is inherited from this process."""
    limits: Limits = field(default_factory=Limits)


ENGINE_GONE = "the container engine went away"
"""In `Completed.killed`: how it ended, and whether it has, is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed:
    """How an execution ended.

    `exit_code` is None when the sandbox killed it; `killed` then says why. One case has both: a program that ended by
    itself after it had filled the workspace beyond its quota keeps its own exit code, and `killed` names the quota.
    """

    exit_code: int | None
    stdout: bytes
    stderr: bytes
    stdout_dropped: int = 0
    """Bytes left out between the kept head and the kept tail."""
    stderr_dropped: int = 0
    timed_out: bool = False
    killed: str = ""
    """Empty, or the reason in words."""
    duration: timedelta


class HasRoot(Protocol):
    """The part of a workspace a sandbox needs; `tools.workspace.Workspace` is one."""

    @property
    def root(self) -> Path:
        """The absolute directory foreign code may write."""
        ...

    @property
    def owner(self) -> tuple[int, int] | None:
        """The unprivileged (uid, gid) the code runs as when this process is root."""
        ...


class Sandbox(Protocol):
    """Runs programs where they can harm only their own workspace."""

    @property
    def level(self) -> Level:
        """How well it contains."""
        ...

    @property
    def python(self) -> tuple[str, ...]:
        """The argv prefix of the prepared interpreter as seen inside."""
        ...

    def inside(self, workspace: HasRoot) -> str:
        """The path of the workspace as seen inside."""
        ...

    async def run(
        self, workspace: HasRoot, execution: Execution, *, read_only: Mapping[str, Path] | None = None
    ) -> Completed:
        """Run to the end, leaving no process behind, also when cancelled.

        `read_only` maps a name to a host directory shown inside (`mount_path`).

        Raises:
            SandboxUnavailable: nothing was run, because nothing here can contain it.
        """
        ...

    def mount_path(self, name: str, source: Path) -> str:
        """Where a `read_only` directory appears inside."""
        ...

    def describe(self) -> str:
        """One line for people: level, user, interpreter, and what is missing."""
        ...
