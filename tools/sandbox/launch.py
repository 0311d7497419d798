"""What every back-end hands to the launcher: environment, limits, and the command line."""

import asyncio
import json
import os
import platform
import re
import shutil
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tools.sandbox import seccomp
from tools.sandbox.egress import PORT
from tools.sandbox.interpreter import Interpreter
from tools.sandbox.launcher import Landlock, Spec
from tools.sandbox.port import Execution, Limits, SandboxUnavailable

LAUNCHER = Path(__file__).with_name("launcher.py")
SYSTEM_PATH = ("/usr/local/bin", "/usr/bin", "/bin")
ARM = frozenset({"aarch64", "arm64"})
UNKNOWN_THREADS = 4096
"""Allowed for where the machine does not tell how many a user has."""
INTEL = frozenset({"x86_64", "amd64"})


class Inherited(NamedTuple):
    """Descriptors that the launcher gets; -1: none."""

    control: int = -1
    """Its closing ends everything; see `SupervisorLeash`."""
    gate: int = -1
    """A way out; see `egress`."""
    groups: tuple[int, ...] = ()
    """Control groups to move into; see `groups`."""


NOTHING = Inherited()


def environment(interpreter: Interpreter, *, home: str, scratch: str, extra: Mapping[str, str]) -> dict[str, str]:
    """The whole environment of the program; nothing is inherited from this process."""
    own = os.path.dirname(interpreter.python)
    path = SYSTEM_PATH if own in SYSTEM_PATH else (own, *SYSTEM_PATH)
    fixed = {
        "GIT_CONFIG_NOSYSTEM": "1",
        "HOME": home,
        "LANG": "C.UTF-8",
        "LOGNAME": "agent",
        "MPLBACKEND": "Agg",
        "MPLCONFIGDIR": f"{scratch}/matplotlib",
        "PATH": ":".join(path),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONNOUSERSITE": "1",
        # What was printed before a time limit struck must not be lost in a buffer.
        "PYTHONUNBUFFERED": "1",
        "TMPDIR": scratch,
        "USER": "agent",
        # One thread each: numeric libraries otherwise reserve memory for every core of the host.
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MALLOC_ARENA_MAX": "2",
    }
    if interpreter.site:
        fixed["PYTHONPATH"] = interpreter.site
    return fixed | dict(extra)


def resource_limits(limits: Limits, *, others: int = 0) -> list[tuple[str, int, int]]:
    """(resource, soft, hard). `others`: processes of the same user that the kernel counts too."""
    processes = limits.processes + others
    return [
        # The soft limit signals, the hard one a second later kills.
        ("RLIMIT_CPU", limits.cpu_seconds, limits.cpu_seconds + 1),
        ("RLIMIT_AS", limits.memory_bytes, limits.memory_bytes),
        ("RLIMIT_FSIZE", limits.file_bytes, limits.file_bytes),
        ("RLIMIT_NOFILE", limits.open_files, limits.open_files),
        ("RLIMIT_NPROC", processes, processes),
        ("RLIMIT_CORE", 0, 0),
        ("RLIMIT_MEMLOCK", 0, 0),
    ]


def command(
    interpreter: Interpreter,
    execution: Execution,
    *,
    chdir: str,
    scratch: str,
    others: int = 0,
    landlock: Landlock | None = None,
    calls: str = "",
    inherited: Inherited = NOTHING,
) -> list[str]:
    """The launcher's command line; `calls` is the system call filter in hex."""
    spec: Spec = {
        "chdir": chdir,
        "seeds": interpreter.seeds(f"{scratch}/matplotlib"),
        "limits": resource_limits(execution.limits, others=others),
        "landlock": landlock,
        "seccomp": calls,
        "control": inherited.control,
        "scratch": scratch if inherited.control >= 0 else "",
        "gate": inherited.gate,
        "gate_port": PORT,
        "groups": list(inherited.groups),
        "input": len(execution.stdin),
    }
    text = LAUNCHER.read_text(encoding="utf-8")
    return [interpreter.python, "-I", "-S", "-c", text, json.dumps(spec), *execution.argv]


def inner_directory(home: str, execution: Execution) -> str:
    """Where the program starts. Inside, nothing outside the workspace is reachable, so `..` leads nowhere."""
    return os.path.normpath(os.path.join(home, execution.cwd))


def machine() -> seccomp.Machine:
    """The kind of processor, for the filter.

    Raises:
        SandboxUnavailable: no filter is known for it.
    """
    name = platform.machine().lower()
    if name in INTEL:
        return "x86_64"
    if name in ARM:
        return "aarch64"
    msg = f"no system call filter for {name} processors"
    raise SandboxUnavailable(msg)


def check_owner(owner: tuple[int, int] | None) -> None:
    """Foreign code never runs as root: limits on processes do not bind root.

    Raises:
        SandboxUnavailable: this process is root and the workspace names no other user.
    """
    if os.geteuid() == 0 and (owner is None or 0 in owner):
        msg = "refusing to run code as root: the workspace has no unprivileged owner"
        raise SandboxUnavailable(msg)


@contextmanager
def scratch_directory(owner: tuple[int, int] | None) -> Generator[str]:
    """A directory for temporary files of one execution, removed with all that was put there."""
    path = tempfile.mkdtemp(prefix="handrail-")
    try:
        if owner:
            os.chown(path, *owner)
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def counts_each_namespace() -> bool:
    """Whether processes in a user namespace are counted apart: since Linux 5.14."""
    numbers = re.match(r"(\d+)\.(\d+)", platform.release())
    return bool(numbers) and (int(numbers[1]), int(numbers[2])) >= (5, 14)


async def counted_with(owner: tuple[int, int] | None) -> int:
    """How many threads the kernel counts besides those of the program, against its limit on processes."""
    return 0 if owner else await asyncio.to_thread(threads_of, os.getuid())


def threads_of(uid: int) -> int:
    """How many threads of a user exist."""
    if not os.path.isdir("/proc/self"):
        return UNKNOWN_THREADS
    total = 0
    for name in os.listdir("/proc"):
        try:
            if name.isdigit() and os.stat(f"/proc/{name}").st_uid == uid:
                total += len(os.listdir(f"/proc/{name}/task"))
        except OSError:
            continue
    return total


def mounted(name: str) -> str:
    """Where a read-only directory of this name appears in a sandbox that has a file system of its own.

    Raises:
        ValueError: the name is no single part of a path.
    """
    if name in {"", ".", ".."} or "/" in name:
        msg = f"not a name for a mount: {name!r}"
        raise ValueError(msg)
    return f"/mnt/{name}"
