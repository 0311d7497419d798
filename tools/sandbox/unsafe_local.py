"""No containment: the program sees and may do what this process's user may. Only limits, and nothing left behind.

Chosen only when the operator says `unsafe_local = true`; every call is then asked for.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tools.sandbox import launch
from tools.sandbox.groups import Groups
from tools.sandbox.interpreter import Interpreter
from tools.sandbox.leash import SupervisorLeash
from tools.sandbox.port import Completed, Execution, HasRoot, Level
from tools.sandbox.process import Command, run_to_end


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsafeLocal:
    """Runs on the host; as root still as the workspace's user."""

    interpreter: Interpreter
    groups: Groups | None = None
    """Where control groups can be made; None: nowhere."""

    @property
    def level(self) -> Level:
        """Contains nothing."""
        return Level.UNSAFE_LOCAL

    @property
    def python(self) -> tuple[str, ...]:
        """The path on the host."""
        return (self.interpreter.python,)

    def inside(self, workspace: HasRoot) -> str:
        """The real path."""
        return str(workspace.root)

    def mount_path(self, name: str, source: Path) -> str:
        """The real path; nothing makes it read-only."""
        return str(source)

    def describe(self) -> str:
        """One line for people."""
        return "; ".join(filter(None, ("UNSAFE: code runs on this machine uncontained", self.interpreter.note)))

    async def run(
        self, workspace: HasRoot, execution: Execution, *, read_only: Mapping[str, Path] | None = None
    ) -> Completed:
        """See `Sandbox.run`."""
        launch.check_owner(workspace.owner)
        with launch.scratch_directory(workspace.owner) as scratch:
            return await self.run_with(scratch, workspace, execution)

    async def run_with(self, scratch: str, workspace: HasRoot, execution: Execution) -> Completed:
        """Run with a directory for temporary files."""
        home = str(workspace.root)
        chdir = launch.inner_directory(home, execution)
        others = await launch.counted_with(workspace.owner)
        # Nothing may be awaited, and nothing fail, between these and their end in `run_to_end`.
        leash = SupervisorLeash()
        group = self.groups.make(execution.limits) if self.groups else None
        inner = launch.command(
            self.interpreter,
            execution,
            chdir=chdir,
            scratch=scratch,
            others=others,
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
