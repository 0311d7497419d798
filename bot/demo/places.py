"""Where the demo keeps its files, and how it makes sure that it is alone there."""

import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent.parent
SYSTEM_DATA = Path("/var/lib/handrail")
"""As root, data lives where the sandbox's unprivileged user can pass."""


class DemoError(Exception):
    """The demo cannot go on. The person who started it reads the sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """The demo's directories and files."""

    data: Path

    @property
    def world(self) -> Path:
        """The sample files, mounted into the bot's workspaces."""
        return self.data / "world"

    @property
    def slack(self) -> Path:
        """What the local Slack remembers."""
        return self.data / "slack"

    @property
    def store(self) -> Path:
        """The private server's files."""
        return self.data / "store"

    @property
    def scene(self) -> Path:
        """The scene file."""
        return self.data / "scene.json"

    @property
    def settings(self) -> Path:
        """The bot's settings file."""
        return self.data / "handrail.toml"

    @property
    def logs(self) -> Path:
        """What the processes print."""
        return self.data / "logs"

    @property
    def port(self) -> Path:
        """The port of the page, so that an open tab works again after a restart."""
        return self.data / "port"

    def prepare(self) -> None:
        """Make the directories.

        Raises:
            DemoError: the data directory cannot be written.
        """
        try:
            for folder in (self.data, self.slack, self.logs):
                folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            reason = error.strerror or str(error)
            raise DemoError(f"{self.data} cannot be used: {reason}. Set HANDRAIL_DATA to another directory.") from error

    def forget(self) -> None:
        """Remove everything, to start afresh."""
        for path in self.data.iterdir() if self.data.is_dir() else ():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            elif path.name != "lock":
                path.unlink()


def data_directory(environ: Mapping[str, str]) -> Path:
    """`HANDRAIL_DATA`, else a directory of this checkout; as root one below `/var/lib/handrail`."""
    if named := environ.get("HANDRAIL_DATA", "").strip():
        return Path(named).expanduser().absolute()
    if os.geteuid() == 0:
        return SYSTEM_DATA / f"demo-{hashlib.sha256(os.fsencode(CHECKOUT)).hexdigest()[:8]}"
    return (CHECKOUT if os.access(CHECKOUT, os.W_OK) else Path.cwd()) / ".handrail"


@contextmanager
def temporary_places() -> Generator[Places, None, None]:
    """A data directory for one check, removed afterwards."""
    base = SYSTEM_DATA if os.geteuid() == 0 else None
    if base is not None:
        base.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="check-", dir=base, ignore_cleanup_errors=True) as name:
        data = Path(name)
        data.chmod(0o755)
        yield Places(data=data)


@contextmanager
def alone(places: Places) -> Generator[int, None, None]:
    """Hold the data directory's lock; yields its descriptor, which children inherit so that orphans hold it too.

    Raises:
        DemoError: somebody else holds it.
    """
    lock = os.open(places.data / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        raise DemoError(
            f"A demo already runs on {places.data}. End it (was it killed? kill $(cat {places.logs}/*.pid)), "
            "or start this one with HANDRAIL_DATA=/another/directory."
        ) from None
    try:
        yield lock
    finally:
        os.close(lock)
