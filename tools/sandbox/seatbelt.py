"""macOS: `sandbox-exec` with a profile that refuses everything but the workspace, then the launcher. UNTESTED.

No part of the test suite has run on macOS yet; `self_check` is what to run there. Processes that leave their group
outlive a call, since macOS has no way to adopt them.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tools.sandbox import launch
from tools.sandbox.interpreter import Interpreter
from tools.sandbox.leash import SupervisorLeash
from tools.sandbox.port import Completed, Execution, HasRoot, Level
from tools.sandbox.process import Command, run_to_end

PROGRAM = "/usr/bin/sandbox-exec"
READABLE = ("/usr", "/bin", "/sbin", "/System", "/Library", "/opt/homebrew", "/private/etc/localtime",
            "/private/var/db/timezone", "/private/var/db/dyld", "/dev")  # fmt: skip
RULES = (
    "(version 1)",
    "(deny default)",
    "(allow process-fork)",
    "(allow process-exec)",
    "(allow signal (target same-sandbox))",
    "(allow process-info* (target same-sandbox))",
    "(allow sysctl-read)",
    "(allow ipc-posix-sem)",
    "(allow file-read-metadata)",
    '(allow file-write* (literal "/dev/null") (literal "/dev/zero"))',
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seatbelt:
    """The back-end for macOS."""

    interpreter: Interpreter

    @property
    def level(self) -> Level:
        """Contained by the kernel's profile; never tested here."""
        return Level.SEATBELT

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
        return "; ".join(filter(None, ("macOS sandbox-exec, no network; untested", self.interpreter.note)))

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
        others = await launch.counted_with(workspace.owner)
        leash = SupervisorLeash()
        inner = launch.command(
            self.interpreter,
            execution,
            chdir=launch.inner_directory(home, execution),
            scratch=scratch,
            others=others,
            inherited=launch.Inherited(control=leash.theirs),
        )
        shown = (*READABLE, *self.interpreter.readable, *(str(path) for path in readable))
        command = Command(
            argv=(PROGRAM, "-p", profile(readable=shown, writable=(home, scratch)), *inner),
            env=launch.environment(self.interpreter, home=home, scratch=scratch, extra=execution.env),
            owner=workspace.owner,
            leash=leash,
            root=workspace.root,
            scratch=Path(scratch),
        )
        return await run_to_end(command, execution)


def profile(*, readable: tuple[str, ...], writable: tuple[str, ...]) -> str:
    """The profile in sandbox-exec's language. The kernel compares real paths, so links are resolved here."""
    rules = list(RULES)
    rules += [f"(allow file-read* (subpath {quoted(path)}))" for path in (*readable, *writable)]
    rules += [f"(allow file-write* (subpath {quoted(path)}))" for path in writable]
    return "\n".join(rules)


def quoted(path: str) -> str:
    """A path as a string of the profile language."""
    escaped = os.path.realpath(path).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
