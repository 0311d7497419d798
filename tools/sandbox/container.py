"""One container per execution, of an image that the operator chose, by an engine that speaks Docker's API.

Inside it the launcher sets limits and the system call filter as everywhere. The engine must run on this machine, since
the workspace is mounted by its path. Speaking to an engine is as good as being root: only the bot does, never the code.
"""

import asyncio
import contextlib
import os
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from pydantic import JsonValue

from tools.sandbox import launch, seccomp, watch
from tools.sandbox.engine import Ends, Engine, EngineGone, labels, sorted_out
from tools.sandbox.groups import ROOM_BYTES, ROOM_PROCESSES
from tools.sandbox.interpreter import Interpreter
from tools.sandbox.launcher import BY_INPUT
from tools.sandbox.port import (
    ENGINE_GONE,
    MIB,
    Completed,
    Execution,
    HasRoot,
    Level,
    Limits,
    SandboxUnavailable,
)
from tools.sandbox.process import Ending, completed, overrun
from tools.sandbox.streams import CappedStream

INSIDE = "/workspace"
SCRATCH = "/tmp"  # noqa: S108 - a fresh tmpfs inside, not the host's
SCRATCH_BYTES = 64 * MIB
EOF_PATIENCE = 10.0
LOOK_SECONDS = 0.5
NOBODY = -1
ULIMITS = {"core": 0, "nofile": 4_096, "nproc": 4_096}
"""At the container's door; inside it the launcher sets the call's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Container:
    """The back-end for who has an engine and wants its images."""

    engine: Engine
    image: str
    interpreter: Interpreter
    """Of the image."""

    @property
    def level(self) -> Level:
        """As well contained as the engine does it."""
        return Level.CONTAINER

    @property
    def python(self) -> tuple[str, ...]:
        """The path in the image."""
        return (self.interpreter.python,)

    def inside(self, workspace: HasRoot) -> str:
        """Always the same."""
        return INSIDE

    def mount_path(self, name: str, source: Path) -> str:
        """Where a read-only directory appears.

        Raises:
            ValueError: the name is no single part of a path.
        """
        return launch.mounted(name)

    def describe(self) -> str:
        """One line for people."""
        return f"container of {self.image} by {self.engine.socket}, no network"

    async def run(
        self, workspace: HasRoot, execution: Execution, *, read_only: Mapping[str, Path] | None = None
    ) -> Completed:
        """See `Sandbox.run`."""
        launch.check_owner(workspace.owner)
        stop = asyncio.Event()
        life = asyncio.create_task(self.live(workspace, execution, read_only or {}, stop), name="container")
        try:
            # Removing it must not be interrupted, so it happens in a task that nobody cancels.
            return await asyncio.shield(life)
        except asyncio.CancelledError:
            stop.set()
            await asyncio.wait({life})
            if not life.cancelled():
                life.exception()
            raise

    async def live(
        self, workspace: HasRoot, execution: Execution, read_only: Mapping[str, Path], stop: asyncio.Event
    ) -> Completed:
        """Make, start, watch, remove, report."""
        limits = execution.limits
        loop = asyncio.get_running_loop()
        before = await asyncio.to_thread(watch.usage, workspace.root)
        out, err = CappedStream(limits.output_bytes), CappedStream(limits.output_bytes)
        container = await self.engine.create(self.body(workspace, execution, read_only))
        began = loop.time()
        try:
            async with self.engine.attached(container) as ends, reading(ends, execution, out, err):
                code, ending = await self.from_start(container, workspace.root, before, execution, stop)
            ran_out = await self.engine.ran_out(container)
        finally:
            await self.engine.remove(container)
        duration = timedelta(seconds=loop.time() - began)
        after = await asyncio.to_thread(watch.usage, workspace.root)
        reason = ending.reason or (watch.too_much(limits) if ran_out else overrun(code, limits))
        killed = reason or watch.excess(after, before, limits)
        return completed(None if reason else code, ending, killed, out, err, duration)

    async def from_start(
        self, container: str, root: Path, before: watch.Usage, execution: Execution, stop: asyncio.Event
    ) -> tuple[int | None, Ending]:
        """Start it and wait. An engine that is lost meanwhile is an ending and no refusal: something may have run.

        Raises:
            SandboxUnavailable: the engine refuses to start it.
        """
        with contextlib.suppress(EngineGone):
            await self.engine.start(container)
            with contextlib.suppress(SandboxUnavailable):
                return await self.until_end(container, root, before, execution, stop)
        return None, Ending(reason=ENGINE_GONE)

    async def until_end(
        self, container: str, root: Path, before: watch.Usage, execution: Execution, stop: asyncio.Event
    ) -> tuple[int | None, Ending]:
        """Wait for the first of: its end, too much time, too much of something, a stop; then it is no more."""
        limits = execution.limits
        ended = asyncio.create_task(self.engine.wait(container))
        exceeded = asyncio.create_task(watch.until_exceeded(NOBODY, (root,), before, limits))
        crowded = asyncio.create_task(self.until_crowded(container, limits))
        stopped = asyncio.create_task(stop.wait())
        tasks = (ended, exceeded, crowded, stopped)
        done, _ = await asyncio.wait(tasks, timeout=limits.wall.total_seconds(), return_when=asyncio.FIRST_COMPLETED)
        ending = Ending()
        if ended not in done:
            reason = next((task.result() for task in (exceeded, crowded) if task in done), "")
            reason = reason or ("stopped" if stopped in done else "")
            late = f"ran longer than {limits.wall.total_seconds():g} s"
            ending = Ending(timed_out=not reason, reason=reason or late)
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        if ended in done:
            return ended.result(), ending
        await self.engine.kill(container)
        return None, ending

    async def until_crowded(self, container: str, limits: Limits) -> str:
        """Wait until all processes together use too much memory and say so; runs until cancelled otherwise."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            if await self.engine.memory(container) > limits.memory_bytes:
                return watch.too_much(limits)

    def body(self, workspace: HasRoot, execution: Execution, read_only: Mapping[str, Path]) -> dict[str, JsonValue]:
        """What the engine is told."""
        limits = execution.limits
        uid, gid = workspace.owner or (os.getuid(), os.getgid())
        env = launch.environment(self.interpreter, home=INSIDE, scratch=SCRATCH, extra=execution.env)
        command = launch.command(
            self.interpreter,
            execution,
            chdir=launch.inner_directory(INSIDE, execution),
            scratch=SCRATCH,
            calls=seccomp.build(launch.machine(), shared_host=False).hex(),
            inherited=launch.Inherited(control=BY_INPUT),
        )
        mounts = {self.mount_path(name, source): source for name, source in read_only.items()}
        memory = limits.memory_bytes + ROOM_BYTES
        return {
            "Image": self.image,
            "Entrypoint": list(command[:1]),
            "Cmd": list(command[1:]),
            "Env": [f"{name}={value}" for name, value in env.items()],
            "User": f"{uid}:{gid}",
            "WorkingDir": INSIDE,
            "Hostname": "sandbox",
            "NetworkDisabled": True,
            "AttachStdin": True,
            "AttachStdout": True,
            "AttachStderr": True,
            "OpenStdin": True,
            "StdinOnce": True,
            "Labels": labels(),
            "HostConfig": {
                "NetworkMode": "none",
                "IpcMode": "private",
                "ReadonlyRootfs": True,
                "CapDrop": ["ALL"],
                "SecurityOpt": ["no-new-privileges"],
                "PidsLimit": limits.processes + ROOM_PROCESSES,
                "Memory": memory,
                "MemorySwap": memory,
                # Of those that are not named Podman takes its own, which an engine of few rights may not set.
                "Ulimits": [{"Name": name, "Soft": most, "Hard": most} for name, most in ULIMITS.items()],
                "LogConfig": {"Type": "none"},
                "Tmpfs": {SCRATCH: f"rw,exec,nosuid,nodev,mode=1777,size={SCRATCH_BYTES}"},
                "Mounts": [
                    {"Type": "bind", "Source": str(workspace.root), "Target": INSIDE},
                    *(
                        {"Type": "bind", "Source": str(source), "Target": inside, "ReadOnly": True}
                        for inside, source in mounts.items()
                    ),
                ],
            },
        }


@contextlib.asynccontextmanager
async def reading(ends: Ends, execution: Execution, out: CappedStream, err: CappedStream) -> AsyncGenerator[None]:
    """Feed and read beside the block, and to the end of the streams after it."""
    flows = (
        asyncio.create_task(sorted_out(ends.reader, out, err)),
        asyncio.create_task(fed(ends.writer, execution.stdin)),
    )
    try:
        yield
        await asyncio.wait(flows, timeout=EOF_PATIENCE)
    finally:
        for flow in flows:
            flow.cancel()
        await asyncio.wait(flows)


async def fed(target: asyncio.StreamWriter, data: bytes) -> None:
    """Give the program its input. The end of the stream would end the container, as the end of this process does."""
    with contextlib.suppress(OSError):
        target.write(data)
        await target.drain()
