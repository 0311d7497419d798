"""What a check works with: a sandbox, two workspaces, and things of the host that must stay out of reach."""

import os
import secrets
import shutil
import socket
import tempfile
from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tools.sandbox.port import Completed, Execution, Limits, Sandbox
from tools.sandbox.probe import ProbeSpace, probe_space

DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, slots=True, kw_only=True)
class HostThings:
    """Of the host, readable or reachable for every user, so that only the sandbox stands in the way."""

    directory: Path
    secret: str
    """The content of `file`."""
    tcp: socket.socket
    tcp6: socket.socket | None
    udp: socket.socket
    stream: socket.socket
    """A UNIX socket at `directory/"stream.sock"`."""
    datagram: socket.socket
    """A UNIX socket at `directory/"datagram.sock"`."""
    abstract: socket.socket | None

    @property
    def file(self) -> Path:
        """A file that everybody may read and write."""
        return self.directory / "secret.txt"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """One set-up for all checks of one back-end."""

    sandbox: Sandbox
    workspace: ProbeSpace
    other: ProbeSpace
    host: HostThings

    async def run(
        self,
        *argv: str,
        stdin: bytes = b"",
        cwd: str = ".",
        env: Mapping[str, str] | None = None,
        limits: Limits = DEFAULT_LIMITS,
        read_only: Mapping[str, Path] | None = None,
    ) -> Completed:
        """Run a program in the workspace."""
        execution = Execution(argv=argv, stdin=stdin, cwd=cwd, env=env or {}, limits=limits)
        return await self.sandbox.run(self.workspace, execution, read_only=read_only)

    async def python(
        self,
        code: str,
        *arguments: object,
        limits: Limits = DEFAULT_LIMITS,
        read_only: Mapping[str, Path] | None = None,
    ) -> Completed:
        """Run Python code; `sys.argv[1:]` holds the arguments."""
        words = (str(argument) for argument in arguments)
        return await self.run(*self.sandbox.python, "-c", code, *words, limits=limits, read_only=read_only)

    async def refuses(self, code: str, *arguments: object) -> str:
        """Run code that must fail with an OSError; the finding when it does not."""
        body = "\n".join(f"    {line}" for line in code.strip().splitlines())
        guarded = f"import sys\ntry:\n{body}\n    print('done')\nexcept OSError as error:\n    print('refused')\n"
        completed = await self.python(guarded, *arguments)
        said = completed.stdout.decode(errors="replace").strip()
        return "" if said == "refused" else f"not refused: {said} {complaint(completed)}".strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One promise. `run` returns nothing when it is kept, else what was found."""

    name: str
    promise: str
    run: Callable[[Bench], Awaitable[str]]
    contained_only: bool = False
    """A promise that the uncontained back-end does not make."""
    alone: bool = False
    """It counts processes, and other checks of the same user would be counted too."""


def expect(what: str, wanted: object, found: object) -> str:
    """Nothing when equal, else a finding."""
    return "" if wanted == found else f"{what}: wanted {wanted!r}, found {found!r}"


def complaint(completed: Completed) -> str:
    """The last line of standard error and how it ended, for findings."""
    lines = completed.stderr.decode(errors="replace").strip().splitlines()
    return f"(exit {completed.exit_code}, {completed.killed or 'not killed'}, {lines[-1] if lines else 'no stderr'})"


@contextmanager
def bench_for(sandbox: Sandbox, data: Path) -> Generator[Bench]:
    """Set up and take down."""
    with probe_space(data) as workspace, probe_space(data) as other, host_things() as host:
        yield Bench(sandbox=sandbox, workspace=workspace, other=other, host=host)


@contextmanager
def host_things() -> Generator[HostThings]:
    """Files and sockets of the host, open to every user."""
    directory = Path(tempfile.mkdtemp(prefix="handrail-host-"))
    opened: list[socket.socket] = []
    try:
        yield furnish(directory, opened)
    finally:
        for one in opened:
            one.close()
        shutil.rmtree(directory, ignore_errors=True)


def furnish(directory: Path, opened: list[socket.socket]) -> HostThings:
    """Make them; every socket is also put into `opened`."""
    secret = secrets.token_hex(16)
    (directory / "secret.txt").write_text(secret, encoding="ascii")
    directory.chmod(0o777)
    (directory / "secret.txt").chmod(0o666)

    def bound(family: int, kind: int, address: str | tuple[str, int]) -> socket.socket:
        one = socket.socket(family, kind)
        opened.append(one)
        one.bind(address)
        one.setblocking(False)
        if kind == socket.SOCK_STREAM:
            one.listen()
        return one

    stream = bound(socket.AF_UNIX, socket.SOCK_STREAM, str(directory / "stream.sock"))
    datagram = bound(socket.AF_UNIX, socket.SOCK_DGRAM, str(directory / "datagram.sock"))
    for name in ("stream.sock", "datagram.sock"):
        (directory / name).chmod(0o777)
    tcp6 = abstract = None
    with suppress(OSError):
        tcp6 = bound(socket.AF_INET6, socket.SOCK_STREAM, ("::1", 0))
    with suppress(OSError):
        abstract = bound(socket.AF_UNIX, socket.SOCK_STREAM, f"\0handrail-{secret}")
    return HostThings(
        directory=directory,
        secret=secret,
        tcp=bound(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
        tcp6=tcp6,
        udp=bound(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
        stream=stream,
        datagram=datagram,
        abstract=abstract,
    )


def has_writer(fifo: Path) -> bool:
    """Whether some process still holds the writing end of a named pipe."""
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    try:
        while os.read(reader, 4096):
            pass
    except BlockingIOError:
        return True
    finally:
        os.close(reader)
    return False
