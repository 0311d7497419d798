"""One contained program from start to end: streams capped, limits watched, and nothing left when it returns.

Above: the back-ends, which build the command. Below: the operating system. How a whole tree of processes is ended
differs by back-end and is behind `Leash`.
"""

import asyncio
import os
import signal
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Protocol

from tools.sandbox import watch
from tools.sandbox.groups import Group
from tools.sandbox.launcher import signalled
from tools.sandbox.port import Completed, Execution, Limits, SandboxUnavailable
from tools.sandbox.streams import CappedStream, drain, feed

KILL_PATIENCE = 15.0
"""Seconds for a killed tree to be gone before its process group is killed as well."""
SWEEP_SECONDS = 15.0
"""For what is left of a user when the outermost process was killed; a busy machine takes its time."""
EOF_PATIENCE = 1.0
"""Seconds for streams to end after the program did; a process that escaped could hold them open."""
SIGNALLED = 128


class Leash(Protocol):
    """How a whole tree of processes is ended; one per execution."""

    @property
    def passed(self) -> tuple[int, ...]:
        """Descriptors the child inherits."""
        ...

    def started(self) -> None:
        """The child has its copy of the descriptors."""
        ...

    def kill(self, pid: int) -> None:
        """Begin to end the tree whose outermost process is `pid`; does not wait."""
        ...

    def close(self) -> None:
        """Release what this process holds."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """What a back-end wants started."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    owner: tuple[int, int] | None
    leash: Leash
    root: Path
    """The workspace on the host."""
    scratch: Path | None = None
    """Temporary files on the host's disk, where they count as part of the workspace."""
    group: Group | None = None
    """Its control group, where there is one; closed at the end."""

    @property
    def passed(self) -> tuple[int, ...]:
        """Descriptors the child inherits."""
        return (*self.leash.passed, *(self.group.descriptors if self.group else ()))

    def started(self) -> None:
        """The child has its copies."""
        self.leash.started()
        if self.group is not None:
            self.group.started()

    def ran_out(self) -> bool:
        """Whether the kernel ended something for the memory of all together."""
        return self.group is not None and self.group.ran_out()

    def close(self) -> None:
        """Release what this process holds."""
        self.leash.close()
        if self.group is not None:
            self.group.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """Why the wait for a program ended; all false when it ended by itself."""

    timed_out: bool = False
    reason: str = ""


async def run_to_end(command: Command, execution: Execution) -> Completed:
    """Run it. Cancellation kills the tree first and then propagates.

    Raises:
        SandboxUnavailable: the command could not be started as the wanted user.
    """
    stop = asyncio.Event()
    life = asyncio.create_task(live(command, execution, stop), name="sandboxed program")
    try:
        # The killing must not be interrupted, so it happens in a task that nobody cancels.
        return await asyncio.shield(life)
    except asyncio.CancelledError:
        stop.set()
        await asyncio.wait({life})
        if not life.cancelled():
            life.exception()
        raise


async def live(command: Command, execution: Execution, stop: asyncio.Event) -> Completed:
    """Start, watch, end, report."""
    limits = execution.limits
    loop = asyncio.get_running_loop()
    roots = (command.root, command.scratch) if command.scratch else (command.root,)
    try:
        before = await asyncio.to_thread(watch.usage, command.root)
        began = loop.time()
        process = await start(command, execution)
        stdout, stderr = CappedStream(limits.output_bytes), CappedStream(limits.output_bytes)
        flows = (
            asyncio.create_task(drain(process.stdout, stdout)),
            asyncio.create_task(drain(process.stderr, stderr)),
            asyncio.create_task(feed(process.stdin, execution.stdin)),
        )
        ending = await until_end(process, roots, before, limits, stop)
        await finish(process, command)
        await settle(flows)
        ran_out = command.ran_out()
    finally:
        await asyncio.to_thread(command.close)
    duration = timedelta(seconds=loop.time() - began)
    after = await asyncio.to_thread(watch.usage, command.root)
    code = process.returncode
    reason = ending.reason or (watch.too_much(limits) if ran_out else overrun(code, limits))
    killed = reason or watch.excess(after, before, limits)
    return completed(None if reason else code, ending, killed, stdout, stderr, duration)


async def start(command: Command, execution: Execution) -> asyncio.subprocess.Process:
    """The outermost process: a session of its own, no inherited environment, no supplementary groups."""
    uid, gid = command.owner or (None, None)
    try:
        process = await asyncio.create_subprocess_exec(
            *command.argv,
            stdin=asyncio.subprocess.PIPE if execution.stdin else asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=dict(command.env),
            cwd="/",
            start_new_session=True,
            pass_fds=command.passed,
            user=uid,
            group=gid,
            extra_groups=None if uid is None else [],
            umask=0o022,
        )
    except OSError as error:
        msg = f"cannot start {command.argv[0]} as user {uid or os.getuid()}: {error.strerror or error}"
        raise SandboxUnavailable(msg) from error
    command.started()
    return process


async def until_end(
    process: asyncio.subprocess.Process,
    roots: tuple[Path, ...],
    before: watch.Usage,
    limits: Limits,
    stop: asyncio.Event,
) -> Ending:
    """Wait for the first of: its end, too much time, too much of something, a stop."""
    ended = asyncio.create_task(process.wait())
    exceeded = asyncio.create_task(watch.until_exceeded(process.pid, roots, before, limits))
    stopped = asyncio.create_task(stop.wait())
    tasks = (ended, exceeded, stopped)
    done, _ = await asyncio.wait(tasks, timeout=limits.wall.total_seconds(), return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    if ended in done:
        return Ending()
    if exceeded in done:
        return Ending(reason=exceeded.result())
    if stopped in done:
        return Ending(reason="stopped")
    return Ending(timed_out=True, reason=f"ran longer than {limits.wall.total_seconds():g} s")


async def finish(process: asyncio.subprocess.Process, command: Command) -> None:
    """Make sure that nothing of the tree is left."""
    if process.returncode is None:
        command.leash.kill(process.pid)
    gone = asyncio.create_task(process.wait())
    await asyncio.wait({gone}, timeout=KILL_PATIENCE)
    if not gone.done():
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    code = await gone
    if code < 0 and command.owner:
        # The outermost process itself was killed, so it could not see to the others.
        await asyncio.to_thread(sweep, command.owner[0])


def sweep(uid: int) -> None:
    """Kill every process of a user that exists only for one workspace, and wait until none is left; blocks for it.

    All are stopped first, so that their number can only fall.
    """
    ends = time.monotonic() + SWEEP_SECONDS
    stopped: set[int] = set()
    while (fresh := processes_of(uid) - stopped) and time.monotonic() < ends:
        for pid in fresh:
            signalled(pid, signal.SIGSTOP)
        stopped |= fresh
    while (left := processes_of(uid)) and time.monotonic() < ends:
        for pid in left:
            signalled(pid, signal.SIGKILL)
        time.sleep(0.005)


def processes_of(uid: int) -> set[int]:
    """Every process of a user that has not ended; what only waits to be buried by its parent has."""
    found: set[int] = set()
    for name in os.listdir("/proc"):
        try:
            if name.isdigit() and os.stat(f"/proc/{name}").st_uid == uid:
                state = Path(f"/proc/{name}/stat").read_bytes().rpartition(b")")[2].split()[0]
                found |= set() if state in {b"Z", b"X"} else {int(name)}
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


async def settle(flows: tuple[asyncio.Task[None], ...]) -> None:
    """Let the streams end; give up on those that something still holds open."""
    _, pending = await asyncio.wait(flows, timeout=EOF_PATIENCE)
    for flow in pending:
        flow.cancel()
    if pending:
        await asyncio.wait(pending)


def completed(
    code: int | None, ending: Ending, reason: str, out: CappedStream, err: CappedStream, duration: timedelta
) -> Completed:
    """What the caller is told of a program that ended.

    Args:
        code: how it ended by itself; None where something else ended it.
        ending: why the wait for it ended.
        reason: what ended it, or what it did beyond its limits; empty for nothing.
        out: its output.
        err: its error output.
        duration: from its start to the end of everything it began.
    """
    return Completed(
        exit_code=code,
        stdout=out.content(),
        stderr=err.content(),
        stdout_dropped=out.dropped,
        stderr_dropped=err.dropped,
        timed_out=ending.timed_out,
        killed=reason,
        duration=duration,
    )


def overrun(code: int | None, limits: Limits) -> str:
    """The kernel's own limits show as signals."""
    if code == SIGNALLED + signal.SIGXCPU:
        return f"used more than {limits.cpu_seconds} s of processor time"
    if code == SIGNALLED + signal.SIGXFSZ:
        return f"wrote a file larger than {limits.file_bytes / watch.MIB:,.0f} MB"
    return ""
