"""Landlock for files, network and signals, and a system call filter for the rest: works where namespaces are blocked.

The workspace has its real path. What Landlock cannot hide stays visible: whether a guessed path exists, and its size.
Where this process is not root, code runs as the same user, so changing file attributes by path has no effect.
Shared memory of the host is closed, so Python's process pools do not work inside; subprocesses and threads do.
Masks and structures are those of linux/landlock.h.
"""

import ctypes
import struct
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tools.sandbox import launch, seccomp
from tools.sandbox.bubblewrap import SETTINGS
from tools.sandbox.groups import Groups, counted
from tools.sandbox.interpreter import Interpreter
from tools.sandbox.launcher import LANDLOCK_CREATE_RULESET, Landlock
from tools.sandbox.leash import SupervisorLeash
from tools.sandbox.port import Completed, Execution, HasRoot, Level
from tools.sandbox.process import Command, run_to_end

VERSION_FLAG = 1
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
FIRST_RIGHTS = (1 << 13) - 1
REFER, TRUNCATE, IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
NETWORK = 0b11
"""Binding and connecting TCP sockets; the filter refuses sockets of any kind anyway."""
SCOPES = 0b11
"""Abstract UNIX sockets and signals stay inside."""
REFER_ABI, TRUNCATE_ABI, NETWORK_ABI, IOCTL_ABI, SCOPE_ABI = 2, 3, 4, 5, 6

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", *SETTINGS)
FACTS = ("/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu")
SOURCES = ("/dev/urandom", "/dev/random")
SINKS = ("/dev/null", "/dev/zero", "/dev/full")


@dataclass(frozen=True, slots=True, kw_only=True)
class LandlockSandbox:
    """The back-end for containers and systems without user namespaces; needs Linux 5.13."""

    interpreter: Interpreter
    abi: int
    """The version of Landlock to use; at most what the kernel has."""
    groups: Groups | None = None
    """Where control groups can be made; None: nowhere."""

    @property
    def level(self) -> Level:
        """Contained, with the host's process list and file names less hidden than in bubblewrap."""
        return Level.LANDLOCK

    @property
    def python(self) -> tuple[str, ...]:
        """The path on the host."""
        return (self.interpreter.python,)

    def inside(self, workspace: HasRoot) -> str:
        """The real path."""
        return str(workspace.root)

    def mount_path(self, name: str, source: Path) -> str:
        """The real path."""
        return str(source)

    def describe(self) -> str:
        """One line for people."""
        signals = "" if self.abi >= SCOPE_ABI else "programs cannot send signals (kernel before 6.12)"
        parts = (
            f"Landlock ABI {self.abi} with a system call filter, no network",
            signals,
            counted(self.groups),
            self.interpreter.note,
        )
        return "; ".join(filter(None, parts))

    async def run(
        self, workspace: HasRoot, execution: Execution, *, read_only: Mapping[str, Path] | None = None
    ) -> Completed:
        """See `Sandbox.run`."""
        launch.check_owner(workspace.owner)
        with launch.scratch_directory(workspace.owner) as scratch:
            return await self.run_with(scratch, workspace, execution, tuple((read_only or {}).values()))

    async def run_with(
        self, scratch: str, workspace: HasRoot, execution: Execution, readable: tuple[Path, ...]
    ) -> Completed:
        """Run with a directory for temporary files."""
        home = str(workspace.root)
        chdir = launch.inner_directory(home, execution)
        others = await launch.counted_with(workspace.owner)
        same_user = workspace.owner is None
        calls = seccomp.build(launch.machine(), shared_host=True, same_user=same_user, old_landlock=self.abi)
        rules = self.rules(writable=(home, scratch), readable=tuple(str(path) for path in readable))
        # Nothing may be awaited, and nothing fail, between these and their end in `run_to_end`.
        leash = SupervisorLeash()
        group = self.groups.make(execution.limits) if self.groups else None
        inner = launch.command(
            self.interpreter,
            execution,
            chdir=chdir,
            scratch=scratch,
            others=others,
            landlock=rules,
            calls=calls.hex(),
            inherited=launch.Inherited(control=leash.theirs, groups=group.descriptors if group is not None else ()),
        )
        command = Command(
            argv=tuple(inner),
            env=launch.environment(self.interpreter, home=home, scratch=scratch, extra=execution.env),
            owner=workspace.owner,
            leash=leash,
            root=workspace.root,
            group=group,
            scratch=Path(scratch),
        )
        return await run_to_end(command, execution)

    def rules(self, *, writable: tuple[str, ...], readable: tuple[str, ...]) -> Landlock:
        """Everything is refused but these paths."""
        everything = handled(self.abi)
        on_file = everything & (EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV)
        reading = EXECUTE | READ_FILE | READ_DIR
        shown = (*SYSTEM, *self.interpreter.readable, *readable)
        return {
            "attr": attributes(self.abi, everything).hex(),
            "rules": [
                *((path, reading, EXECUTE | READ_FILE) for path in shown),
                *((path, READ_FILE | READ_DIR, READ_FILE) for path in (*FACTS, *SOURCES)),
                *((path, 0, on_file & (READ_FILE | WRITE_FILE | TRUNCATE)) for path in SINKS),
                *((path, everything & ~IOCTL_DEV, on_file & ~IOCTL_DEV) for path in writable),
            ],
        }


def handled(abi: int) -> int:
    """Every right on files that this version can refuse."""
    rights = FIRST_RIGHTS
    for least, right in ((REFER_ABI, REFER), (TRUNCATE_ABI, TRUNCATE), (IOCTL_ABI, IOCTL_DEV)):
        rights |= right if abi >= least else 0
    return rights


def attributes(abi: int, rights: int) -> bytes:
    """`struct landlock_ruleset_attr`, as long as this version knows it."""
    if abi >= SCOPE_ABI:
        return struct.pack("=QQQ", rights, NETWORK, SCOPES)
    if abi >= NETWORK_ABI:
        return struct.pack("=QQ", rights, NETWORK)
    return struct.pack("=Q", rights)


def kernel_abi() -> int:
    """The version of Landlock this kernel has; 0 when it has none or it is switched off."""
    if not sys.platform.startswith("linux"):
        return 0
    libc = ctypes.CDLL(None, use_errno=True)
    return max(0, int(libc.syscall(LANDLOCK_CREATE_RULESET, None, ctypes.c_size_t(0), VERSION_FLAG)))
