"""A private server in a data directory, for those who have not set `REDIS_URL`.

Three locks in the directory, all released by the kernel however their holder ends:
`starting` is held while someone starts or stops the server; `running` is inherited by the server itself, so it tells
whether one lives even when it does not answer; `users` is shared by every process that uses it, and whoever can take
it alone on leaving was the last. A server whose users were killed lives on, and the next one adopts it.
"""

import fcntl
import hashlib
import json
import os
import socket
import subprocess
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, cast

from runtime.store.binaries import Binary, find_binary, find_binary_for
from runtime.store.errors import EmbeddedUnavailable

ANSWER_WITHIN: Final = 30.0
"""Seconds a server may take to load its data, or to stop."""
LONGEST_SOCKET_PATH: Final = 100
"""Bytes; the kernels' limits are 104 and 108 with a terminating zero."""
PAUSE: Final = 0.02


@dataclass(slots=True, kw_only=True)
class EmbeddedServer:
    """One process's use of the directory's server."""

    folder: Path
    url: str
    adopted: bool
    """Whether it was already running."""
    users_lock: int = field(repr=False)
    closed: bool = False

    def close(self) -> None:
        """Leave; the last one to leave stops the server. Blocks until it has stopped."""
        if self.closed:
            return
        self.closed = True
        with starting(self.folder):
            os.close(self.users_lock)
            if is_free(self.folder / "users"):
                stop(self.folder, Path(self.url.removeprefix("unix://")))


@contextmanager
def starting(folder: Path) -> Generator[None]:
    """Only one process starts or stops the server at a time."""
    lock = open_lock(folder / "starting")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def start_embedded(folder: Path) -> EmbeddedServer:
    """Start the directory's server, or adopt the one that runs. Blocks until it answers.

    Raises:
        EmbeddedUnavailable: No server program is installed, none may open this directory, or it does not answer.
    """
    folder = folder.absolute()
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with starting(folder):
            users = open_lock(folder / "users")
            fcntl.flock(users, fcntl.LOCK_SH)
            try:
                adopted = not is_free(folder / "running")
                path = recorded_socket(folder) if adopted else launch(folder)
                wait_for_answer(folder, path)
            except BaseException:
                os.close(users)
                raise
    except OSError as error:
        raise EmbeddedUnavailable(
            f"the data directory {folder} cannot be used: {error.strerror or error}. "
            "Choose another one or set REDIS_URL."
        ) from error
    return EmbeddedServer(folder=folder, url=f"unix://{path}", adopted=adopted, users_lock=users)


def launch(folder: Path) -> Path:
    """Start a server that belongs to nobody, so that no bot's end ends it; returns its socket's path."""
    binary = choose_binary(folder)
    path = socket_path(folder)
    path.unlink(missing_ok=True)
    record(folder, binary, path)
    options = {
        "port": "0",
        "unixsocket": str(path),
        "unixsocketperm": "700",
        "dir": str(folder),
        "pidfile": str(folder / "server.pid"),
        "logfile": str(folder / "server.log"),
        "appendonly": "yes",
        "appendfsync": "everysec",
        "save": "",
        "maxmemory-policy": "noeviction",
    }
    arguments = [part for name, value in options.items() for part in (f"--{name}", value)]
    running = open_lock(folder / "running")
    try:
        fcntl.flock(running, fcntl.LOCK_EX)
        subprocess.run(
            ["/bin/sh", "-c", '"$@" &', "sh", str(binary.path), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(running,),
            start_new_session=True,
            check=True,
        )
    finally:
        os.close(running)
    return path


def choose_binary(folder: Path) -> Binary:
    """The program that wrote the directory, or the preferred one for a fresh directory."""
    written_by = read_record(folder)
    if written_by is None:
        return find_binary()
    version = tuple(int(part) for part in written_by["version"].split("."))
    return find_binary_for(written_by["product"], version, folder)


def record(folder: Path, binary: Binary, path: Path) -> None:
    """Note who writes this directory, before it writes anything."""
    version = ".".join(map(str, binary.version))
    text = json.dumps({"product": binary.product, "version": version, "socket": str(path)})
    fresh = folder / "server.json.new"
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(folder / "server.json")


def read_record(folder: Path) -> dict[str, str] | None:
    """What `record` noted.

    Raises:
        EmbeddedUnavailable: The note cannot be read, or there is data without one.
    """
    note = folder / "server.json"
    try:
        return cast("dict[str, str]", json.loads(note.read_text(encoding="utf-8")))
    except FileNotFoundError:
        if not any((folder / name).exists() for name in ("appendonlydir", "appendonly.aof", "dump.rdb")):
            return None
        raise EmbeddedUnavailable(
            f"{folder} holds a server's data but not the note of who wrote it (server.json). "
            "Choose another data directory, set REDIS_URL, or move the folder away to start empty."
        ) from None
    except ValueError as error:
        raise EmbeddedUnavailable(f"{note} cannot be read: {error}. Move {folder} away to start empty.") from error


def recorded_socket(folder: Path) -> Path:
    """Where the running server listens; its starter may have had another temporary directory."""
    written_by = read_record(folder)
    return socket_path(folder) if written_by is None else Path(written_by["socket"])


def socket_path(folder: Path) -> Path:
    """Inside the directory, or in a private temporary one when that name would be too long for a socket."""
    path = folder / "server.sock"
    if len(os.fsencode(path)) <= LONGEST_SOCKET_PATH:
        return path
    private = Path(tempfile.gettempdir()) / f"handrail-{os.getuid()}"
    private.mkdir(mode=0o700, exist_ok=True)
    owner = private.lstat()
    if owner.st_uid != os.getuid() or owner.st_mode & 0o077:
        raise EmbeddedUnavailable(f"{private} belongs to someone else; choose a data directory with a shorter path.")
    return private / f"{hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]}.sock"


def wait_for_answer(folder: Path, path: Path) -> None:
    """Return when the server takes commands; a long loading of data is waited for."""
    end = time.monotonic() + ANSWER_WITHIN
    while not (said := ask(path, b"PING")).startswith(b"+PONG"):
        if is_free(folder / "running"):
            raise EmbeddedUnavailable(f"the embedded server stopped at once: {last_words(folder)}")
        if time.monotonic() > end and not said.startswith(b"-LOADING"):
            raise EmbeddedUnavailable(
                f"the server of {folder} runs but does not answer; end its process ({pid(folder)}) and start again."
            )
        time.sleep(PAUSE)


def stop(folder: Path, path: Path) -> None:
    """Ask the server to end, and wait for it; it flushes its file first."""
    ask(path, b"SHUTDOWN")
    end = time.monotonic() + ANSWER_WITHIN
    while not is_free(folder / "running") and time.monotonic() < end:
        time.sleep(PAUSE)


def ask(path: Path, command: bytes) -> bytes:
    """One inline command; empty when nobody listens or answers."""
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(1)
            connection.connect(str(path))
            connection.sendall(command + b"\r\n")
            return connection.recv(256)
    except OSError:
        return b""


def open_lock(path: Path) -> int:
    """A descriptor to lock; Python does not pass it on to children unless told."""
    return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)


def is_free(path: Path) -> bool:
    """Whether nobody holds this lock."""
    lock = open_lock(path)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    else:
        return True
    finally:
        os.close(lock)


def last_words(folder: Path) -> str:
    """The end of the server's log."""
    try:
        return (folder / "server.log").read_text(encoding="utf-8", errors="replace").rstrip().rpartition("\n")[2][:300]
    except OSError:
        return "it wrote no log."


def pid(folder: Path) -> str:
    """The server's process id as it noted it."""
    try:
        return (folder / "server.pid").read_text(encoding="utf-8").strip()
    except OSError:
        return "see server.log"
