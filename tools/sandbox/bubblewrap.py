"""One bubblewrap per execution: own namespaces for everything, an almost empty file system, then the launcher.

As root, bubblewrap itself is started as the workspace's user, so that limits on processes bind and a hole in
bubblewrap is a hole into an unprivileged user.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.sandbox import interpreter as interpreters
from tools.sandbox import launch, seccomp
from tools.sandbox.egress import Egress, Gate
from tools.sandbox.groups import Groups, counted
from tools.sandbox.interpreter import Interpreter
from tools.sandbox.leash import NamespaceLeash
from tools.sandbox.port import MIB, Completed, Execution, HasRoot, Level
from tools.sandbox.process import Command, run_to_end

INSIDE = "/workspace"
SCRATCH = "/tmp"  # noqa: S108 - a fresh tmpfs inside, not the host's
SCRATCH_BYTES = 64 * MIB
LINKS = ("bin", "sbin", "lib", "lib32", "lib64")
SETTINGS = ("/etc/alternatives", "/etc/fonts", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d",
            "/etc/localtime", "/etc/mime.types")  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Bubblewrap:
    """The strongest back-end; needs user namespaces."""

    program: str
    options: frozenset[str]
    """The long options this version knows."""
    interpreter: Interpreter
    egress: Egress | None = None
    """The way out to a few hosts; None: there is none."""
    groups: Groups | None = None
    """Where control groups can be made; None: nowhere."""

    @property
    def level(self) -> Level:
        """Files, network, processes and IPC are those of a machine of its own."""
        return Level.BUBBLEWRAP

    @property
    def python(self) -> tuple[str, ...]:
        """The same path as on the host."""
        return (self.interpreter.python,)

    def inside(self, workspace: HasRoot) -> str:
        """Always the same, so that paths in answers say nothing about the host."""
        return INSIDE

    def mount_path(self, name: str, source: Path) -> str:
        """Where a read-only directory appears.

        Raises:
            ValueError: the name is no single part of a path.
        """
        return launch.mounted(name)

    def describe(self) -> str:
        """One line for people."""
        network = f"network only to {', '.join(self.egress.hosts)}" if self.egress else "no network"
        parts = (f"bubblewrap: own namespaces, {network}", counted(self.groups), self.interpreter.note)
        return "; ".join(filter(None, parts))

    async def run(
        self, workspace: HasRoot, execution: Execution, *, read_only: Mapping[str, Path] | None = None
    ) -> Completed:
        """See `Sandbox.run`. A read-only directory that the workspace's user cannot reach is left out."""
        launch.check_owner(workspace.owner)
        if self.egress is None:
            return await self.run_within(workspace, execution, read_only or {}, None)
        gate = Gate(self.egress)
        async with gate.serving():
            return await self.run_within(workspace, execution, read_only or {}, gate)

    async def run_within(
        self, workspace: HasRoot, execution: Execution, read_only: Mapping[str, Path], gate: Gate | None
    ) -> Completed:
        """Run with a way out, or none."""
        chdir = launch.inner_directory(INSIDE, execution)
        others = 0 if launch.counts_each_namespace() else await launch.counted_with(workspace.owner)
        mounts = {
            self.mount_path(name, source): source
            for name, source in read_only.items()
            if interpreters.reachable(source, workspace.owner)
        }
        walls = self.walls(workspace.root, mounts)
        calls = seccomp.build(launch.machine(), shared_host=False, own_network=gate is not None).hex()
        # Nothing may be awaited, and nothing fail, between these and their end in `run_to_end`.
        leash = NamespaceLeash(gate)
        group = self.groups.make(execution.limits) if self.groups else None
        inner = launch.command(
            self.interpreter,
            execution,
            chdir=chdir,
            scratch=SCRATCH,
            others=others,
            calls=calls,
            inherited=launch.Inherited(
                gate=gate.passed if gate else -1, groups=group.descriptors if group is not None else ()
            ),
        )
        extra = {**gate.egress.environment, **execution.env} if gate else execution.env
        command = Command(
            argv=(self.program, *walls, "--info-fd", str(leash.theirs), "--", *inner),
            env=launch.environment(self.interpreter, home=INSIDE, scratch=SCRATCH, extra=extra),
            owner=workspace.owner,
            leash=leash,
            root=workspace.root,
            group=group,
        )
        return await run_to_end(command, execution)

    def walls(self, root: Path, mounts: Mapping[str, Path]) -> list[str]:
        """The options that make the world inside, in the order bubblewrap applies them."""
        return [
            *("--unshare-all", "--unshare-user", "--die-with-parent", "--new-session", "--cap-drop", "ALL"),
            *self.known("--disable-userns"),
            *("--hostname", "sandbox"),
            *("--ro-bind", "/usr", "/usr"),
            *system_links(),
            *(part for path in SETTINGS for part in ("--ro-bind-try", path, path)),
            *("--proc", "/proc", "--dev", "/dev"),
            *self.small_tmpfs("/dev/shm"),  # noqa: S108 - inside
            *self.small_tmpfs(SCRATCH),
            *(part for path in self.interpreter.readable for part in ("--ro-bind", path, path)),
            *(part for inside, source in mounts.items() for part in ("--ro-bind", str(source), inside)),
            *("--bind", str(root), INSIDE),
            # Both are writable tmpfs of half the machine's memory otherwise.
            *("--remount-ro", "/dev", "--remount-ro", "/"),
        ]

    def known(self, option: str) -> Sequence[str]:
        """The option, where this version has it."""
        return (option,) if option in self.options else ()

    def small_tmpfs(self, path: str) -> Sequence[str]:
        """A tmpfs of limited size, where this version can limit it."""
        size = ("--size", str(SCRATCH_BYTES)) if "--size" in self.options else ()
        return (*size, "--tmpfs", path)


def system_links() -> list[str]:
    """`/bin` and its like: links into /usr on most systems, directories on some."""
    options: list[str] = []
    for name in LINKS:
        path = f"/{name}"
        if os.path.islink(path):
            options += ["--symlink", os.readlink(path), path]
        elif os.path.isdir(path):
            options += ["--ro-bind", path, path]
    return options
