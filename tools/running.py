"""Runs a program in the sandbox for a tool, and says honestly how it ended."""

import asyncio
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path, PurePosixPath

from pydantic import Field

from tools.base import Params, ProducedFile, ToolRefused, ToolResult
from tools.context import ToolContext
from tools.errors import PathRefused
from tools.mounts import Mount
from tools.redact import Redactor
from tools.sandbox.port import ENGINE_GONE, Completed, Execution, Limits, SandboxUnavailable
from tools.text import cap, from_terminal, visible

MAX_OUTPUT_CHARS = 30_000
MAX_STDERR_CHARS = 8_000
MAX_BRIEF_CHARS = 160
MAX_FILES = 10
MAX_STATE_BYTES = 250_000
MAX_TIMEOUT = 600
OFFERED = frozenset({".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".html", ".csv", ".xlsx", ".pdf", ".md", ".txt"})
"""Files of these kinds are meant for people."""
OUTPUTS = ".handrail/outputs"
GIT_READS_MOUNTS = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"}
"""The history of an original can be read inside, though it belongs to somebody else."""
ALONE = "import sys\nsys.path[:] = filter(None, sys.path)\n"
"""Before a program of ours: no file of the workspace stands in for a module."""
PLAIN_NAME = re.compile(r"[A-Za-z0-9_-]{1,100}")


class TimedParams(Params):
    """Arguments of a tool whose call may ask for more or less time than is usual."""

    timeout: float | None = Field(default=None, gt=0, le=MAX_TIMEOUT, description="Seconds.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """A program that ended, and what it left in the workspace for people."""

    completed: Completed
    stdout: str
    stderr: str
    files: tuple[ProducedFile, ...]
    wall: timedelta


async def run_inside(
    argv: Sequence[str], params: TimedParams, context: ToolContext, mounts: Sequence[Mount], *, stdin: bytes = b""
) -> Ran:
    """Run a program with the session's workspace as its working directory.

    Raises:
        ToolRefused: nothing here can contain it.
    """
    wall = min(context.timeout, timedelta(seconds=params.timeout)) if params.timeout else context.timeout
    limits = Limits(wall=wall, cpu_seconds=math.ceil(wall.total_seconds() * 4))
    read_only = {mount.name: mount.path for mount in mounts}
    before = await asyncio.to_thread(context.workspace.fingerprint)
    try:
        completed = await context.sandbox.run(
            context.workspace,
            Execution(argv=tuple(argv), stdin=stdin, limits=limits, env=GIT_READS_MOUNTS if mounts else {}),
            read_only=read_only,
        )
    except SandboxUnavailable as error:
        raise ToolRefused(f"Nothing was run: {error}") from error
    redact = Redactor()
    return Ran(
        completed=completed,
        stdout=redact(stream(completed.stdout, completed.stdout_dropped, limits)),
        stderr=redact(stream(completed.stderr, completed.stderr_dropped, limits)),
        files=await asyncio.to_thread(produced, context, before),
        wall=wall,
    )


def stream(kept: bytes, dropped: int, limits: Limits) -> str:
    """One stream as text, with a marker where the sandbox kept nothing."""
    if not dropped:
        return from_terminal(kept)
    head = limits.output_bytes - limits.output_bytes // 2
    marker = f"\n[... {dropped:,} bytes were not kept ...]\n"
    return from_terminal(kept[:head]) + marker + from_terminal(kept[head:])


def produced(context: ToolContext, before: Mapping[str, str]) -> tuple[ProducedFile, ...]:
    """The files for people that are new or changed, at most `MAX_FILES`."""
    found: list[ProducedFile] = []
    for path in context.workspace.artefacts_since(before):
        pure = PurePosixPath(path)
        hidden = any(part.startswith(".") for part in pure.parts)
        if not hidden and pure.suffix.lower() in OFFERED and path.isprintable() and len(found) < MAX_FILES:
            size = (context.workspace.root / path).lstat().st_size
            found.append(ProducedFile(path=path, title=pure.name, size=size))
    return tuple(found)


def result_of(ran: Ran, context: ToolContext, notes: Sequence[str] = ()) -> ToolResult:
    """What the model reads: how it ended, both streams, the files, and where the whole output is if it was cut."""
    completed = ran.completed
    failed = completed.exit_code != 0
    whole = joined(ran.stdout, ran.stderr)
    shown = whole
    if len(whole) > MAX_OUTPUT_CHARS:
        path = f"{OUTPUTS}/{output_name(context.call_id)}.txt"
        context.workspace.write_bytes(path, whole.encode())
        stderr = cap(ran.stderr, MAX_STDERR_CHARS)
        stdout = cap(ran.stdout, MAX_OUTPUT_CHARS - len(stderr), hint=f"; the whole output is in {path}")
        shown = joined(stdout, stderr)
    lines = [ending(ran), *notes, shown or "(no output)"]
    if ran.files:
        lines.append("[files: " + ", ".join(f"{file.path} ({file.size:,} bytes)" for file in ran.files) + "]")
    return ToolResult(
        output="\n".join(lines),
        brief=brief(ran, failed=failed),
        is_error=failed,
        exit_code=completed.exit_code,
        files=ran.files,
    )


def ending(ran: Ran) -> str:
    """How the program ended, in one line."""
    completed, seconds = ran.completed, f"{ran.wall.total_seconds():g} s"
    if completed.timed_out:
        return (
            f"Stopped after {seconds}, the time limit of this call (timeouts.tool); everything it started was ended. "
            f"Do less at once, or ask for up to {MAX_TIMEOUT} s with timeout."
        )
    if completed.killed == ENGINE_GONE:
        return f"Not known how it ended: {ENGINE_GONE}. It may have done a part: find out before you run it again."
    if completed.exit_code is None:
        return f"Killed: {completed.killed or 'by the sandbox'}. Everything it started was ended."
    killed = f" ({completed.killed})" if completed.killed else ""
    return f"exit code {completed.exit_code}{killed}"


def joined(stdout: str, stderr: str) -> str:
    """Both streams, labelled where there are two."""
    if not stderr.strip():
        return stdout.rstrip("\n")
    errors = f"[stderr]\n{stderr.rstrip(chr(10))}"
    return f"[stdout]\n{stdout.rstrip(chr(10))}\n{errors}" if stdout.strip() else errors


def brief(ran: Ran, *, failed: bool) -> str:
    """One line for people: the error, else the first line of output."""
    if ran.completed.timed_out:
        return f"stopped after {ran.wall.total_seconds():g} s"
    errors = [line for line in ran.stderr.splitlines() if line.strip()]
    lines = [line for line in ran.stdout.splitlines() if line.strip()]
    if failed:
        code = ran.completed.exit_code
        return cap(
            f"{'killed' if code is None else f'exit code {code}'}: {(errors or lines or ['no output'])[-1]}", 160
        )
    return cap((lines or errors or ["no output"])[0], MAX_BRIEF_CHARS)


def left(context: ToolContext, path: str) -> str:
    """What code in the sandbox left for us in a small file; empty where it left nothing readable."""
    try:
        raw = context.workspace.read_bytes(path, limit=MAX_STATE_BYTES)
    except PathRefused:
        return ""
    return visible(raw.decode(errors="replace").strip())


def elsewhere(directory: str, inside: str) -> tuple[str, ...]:
    """A note for the card of code that would not run in the workspace's own directory."""
    return (f"directory: {directory}",) if directory != inside else ()


def output_name(call_id: str) -> str:
    """A file name for the output of a call."""
    return call_id if PLAIN_NAME.fullmatch(call_id) else call_id.encode().hex()[:100]


def source_beside(module: str, name: str) -> str:
    """The text of a file that lies beside or below a module and runs inside."""
    return (Path(module).parent / name).read_text(encoding="utf-8")
