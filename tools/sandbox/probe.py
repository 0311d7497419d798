"""Choosing a back-end by running something in it, because what a machine has and what it permits differ."""

import asyncio
import hashlib
import os
import secrets
import shutil
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from tools.sandbox import interpreter as interpreters
from tools.sandbox.bubblewrap import Bubblewrap
from tools.sandbox.container import Container
from tools.sandbox.egress import Egress
from tools.sandbox.groups import Groups, find_groups
from tools.sandbox.interpreter import Interpreter
from tools.sandbox.landlock import LandlockSandbox, kernel_abi
from tools.sandbox.port import Execution, Limits, Sandbox, SandboxUnavailable
from tools.sandbox.seatbelt import PROGRAM as SANDBOX_EXEC
from tools.sandbox.seatbelt import Seatbelt
from tools.sandbox.settings import SandboxSettings
from tools.sandbox.unavailable import Unavailable
from tools.sandbox.unsafe_local import UnsafeLocal

FIRST_UID = 200_000
UIDS = 100_000
FIX_LINUX = (
    "Install bubblewrap and permit user namespaces, or use Linux 5.13 or newer with Landlock switched on "
    "(in a container: a seccomp profile that permits it, as Docker's does); "
    "or set unsafe_local = true in [sandbox], and every call will be asked for."
)
FIX_OTHER = "Run the bot on Linux or macOS, or set unsafe_local = true in [sandbox], and every call will be asked for."
QUESTION = """
import json, os, socket, sys
found = {"uid": os.getuid(), "wrote": False, "connected": False}
with open("probe.txt", "w") as probe:
    found["wrote"] = probe.write("here") == 4
try:
    socket.create_connection(("127.0.0.1", int(sys.argv[1])), 2)
    found["connected"] = True
except OSError:
    pass
print(json.dumps(found))
"""


class Answer(BaseModel):
    """What the probe found inside."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    uid: int
    wrote: bool
    connected: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeSpace:
    """A workspace that exists only to try something out."""

    root: Path
    owner: tuple[int, int] | None


def owner_for(name: str) -> tuple[int, int] | None:
    """The unprivileged (uid, gid) for a workspace of this name when this process is root, else None."""
    if os.geteuid() != 0:
        return None
    number = FIRST_UID + int.from_bytes(hashlib.sha256(name.encode()).digest()[:4]) % UIDS
    return number, number


@contextmanager
def probe_space(data: Path) -> Generator[ProbeSpace]:
    """A workspace below the data directory, where real ones lie too; removed afterwards."""
    name = f"probe-{secrets.token_hex(8)}"
    root = data / name
    owner = owner_for(name)
    root.mkdir(mode=0o700, parents=True)
    try:
        if owner:
            os.chown(root, *owner)
        yield ProbeSpace(root=root, owner=owner)
    finally:
        shutil.rmtree(root, ignore_errors=True)


async def choose(settings: SandboxSettings, *, data: Path) -> Sandbox:
    """The strongest back-end that works, the uncontained one where the operator permits it, or one that refuses."""
    owner = owner_for("probe")
    interpreter = await asyncio.to_thread(interpreters.find, data, owner, settings.python)
    if interpreter is None:
        return Unavailable(reasons=("no python3 that the sandbox user can read",), fix="Install python3 in /usr.")
    groups = await asyncio.to_thread(find_groups)
    reasons: list[str] = []
    async for name, candidate in candidates(settings, interpreter, groups):
        reason = candidate if isinstance(candidate, str) else await why_not(candidate, data)
        if not isinstance(candidate, str) and not reason:
            return candidate
        reasons.append(f"{name}: {reason}")
    if settings.unsafe_local:
        return UnsafeLocal(interpreter=interpreter, groups=groups)
    return Unavailable(reasons=tuple(reasons), fix=FIX_LINUX if sys.platform.startswith("linux") else FIX_OTHER)


async def candidates(
    settings: SandboxSettings, interpreter: Interpreter, groups: Groups | None
) -> AsyncIterator[tuple[str, Sandbox | str]]:
    """Each wanted back-end by name, strongest first: ready to be tried, or why it cannot be."""
    wanted = ("bubblewrap", "landlock", "seatbelt") if settings.backend == "auto" else (settings.backend,)
    for name in wanted:
        if name == "container":
            yield name, await swept(settings.container)
        elif name == "bubblewrap":
            found = await asyncio.to_thread(find_bubblewrap, interpreter, groups, settings.egress)
            yield name, found or "not installed"
        elif settings.network:
            yield name, "it has no way out to single hosts; [sandbox] network needs bubblewrap"
        elif name == "landlock":
            yield name, landlock(interpreter, groups)
        else:
            present = sys.platform == "darwin" and os.access(SANDBOX_EXEC, os.X_OK)
            yield name, Seatbelt(interpreter=interpreter) if present else "not macOS"


async def swept(container: Container | None) -> Container | str:
    """The container back-end with nothing left of an earlier bot, or why it cannot be used."""
    if container is None:
        return "container_image is not set, or network is, which needs bubblewrap"
    try:
        await container.engine.sweep()
    except SandboxUnavailable as error:
        return str(error)
    return container


def landlock(interpreter: Interpreter, groups: Groups | None) -> LandlockSandbox | str:
    """Landlock as the kernel has it."""
    abi = kernel_abi()
    return LandlockSandbox(interpreter=interpreter, abi=abi, groups=groups) if abi else "the kernel has it not or off"


def find_bubblewrap(
    interpreter: Interpreter, groups: Groups | None = None, egress: Egress | None = None
) -> Bubblewrap | None:
    """The installed bubblewrap with the options it knows; asks it, so it blocks for milliseconds."""
    program = shutil.which("bwrap")
    if program is None:
        return None
    said = subprocess.run([program, "--help"], capture_output=True, text=True, check=False)
    options = frozenset(word for word in (said.stdout + said.stderr).split() if word.startswith("--"))
    return Bubblewrap(program=program, options=options, interpreter=interpreter, groups=groups, egress=egress)


async def why_not(sandbox: Sandbox, data: Path) -> str:
    """Try it: nothing when it contains as promised, else why it cannot be used."""
    try:
        with listening() as port, probe_space(data) as space:
            argv = (*sandbox.python, "-c", QUESTION, str(port))
            completed = await sandbox.run(space, Execution(argv=argv, limits=Limits(wall=timedelta(seconds=60))))
    except SandboxUnavailable as error:
        return str(error)
    except OSError as error:
        return f"cannot make a workspace in {data}: {error.strerror}"
    try:
        answer = Answer.model_validate_json(completed.stdout)
    except ValidationError:
        said = completed.stderr.decode(errors="replace").strip().splitlines()
        return said[-1] if said else completed.killed or f"exit code {completed.exit_code}"
    if answer.connected:
        return "the network can be reached from inside"
    if answer.uid == 0:
        return "code would run as root"
    return ""


@contextmanager
def listening() -> Generator[int]:
    """A TCP port of this host that must not be reachable from inside."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield int(server.getsockname()[1])
