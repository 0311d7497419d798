"""Which Python runs inside: the prepared one with its packages, or a plain system one.

`scripts/sandbox_env.py` writes `sandbox-python.json` into the data directory. A virtual environment's python often
points into a private home, so every candidate must be reachable by the user that foreign code runs as.
"""

import os
import stat
import sys
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

RECORD = "sandbox-python.json"
SYSTEM_PYTHONS = ("/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3")
SYSTEM_ROOTS = ("/usr", "/bin", "/lib")


class Record(BaseModel):
    """What the set-up script wrote; keys it may add later are no concern of this reader."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    python: str
    site: str = ""
    """A directory of packages for `PYTHONPATH`."""
    mplconfig: str = ""
    """Matplotlib's font list, which takes seconds to build."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpreter:
    """A python that foreign code can run."""

    python: str
    site: str = ""
    mplconfig: str = ""
    note: str = ""
    """What is missing, in words; empty when the prepared environment is in place."""

    @property
    def readable(self) -> tuple[str, ...]:
        """Places outside the system's that must be readable inside."""
        # Never the whole prefix: that of ~/bin/python3 is the home directory.
        binaries = Path(self.python).resolve().parent
        parts = [*around(binaries), *(around(Path(self.python).parent) if Path(self.python).is_symlink() else ())]
        wanted = (*(str(part) for part in parts if part.exists()), self.site, self.mplconfig)
        return tuple(path for path in wanted if path and not is_system(path))

    def seeds(self, target: str) -> list[tuple[str, str]]:
        """The files matplotlib finds in `target` when each is copied there, as (file, copy)."""
        if not self.mplconfig:
            return []
        return [(str(path), f"{target}/{path.name}") for path in sorted(Path(self.mplconfig).glob("*.json"))]


def around(binaries: Path) -> tuple[Path, ...]:
    """A directory of programs and what lies beside it for them."""
    beside = ("lib", "lib64", "Python", "Resources", "pyvenv.cfg")
    return (binaries, *(binaries.parent / name for name in beside))


def is_system(path: str) -> bool:
    """True for what every back-end shows anyway."""
    return any(path == root or path.startswith(f"{root}/") for root in SYSTEM_ROOTS)


def find(data: Path, owner: tuple[int, int] | None, wanted: Path | None = None) -> Interpreter | None:
    """The interpreter for foreign code run as `owner` (None: as this process), or None when none is reachable.

    `wanted` is the operator's own choice; where the user cannot read it, there is none.
    """
    if wanted is not None:
        # Not resolved: a virtual environment's python knows its packages by its own path.
        return Interpreter(python=str(wanted)) if reachable(wanted, owner) else None
    record, note = read_record(data)
    if record:
        python = os.path.realpath(record.python)
        missing = [
            path for path in (python, record.site, record.mplconfig) if path and not reachable(Path(path), owner)
        ]
        if not missing:
            return Interpreter(python=python, site=record.site, mplconfig=record.mplconfig)
        note = f"prepared Python not readable for the sandbox user: {', '.join(missing)}"
    for candidate in (*SYSTEM_PYTHONS, sys.executable):
        python = os.path.realpath(candidate)
        if reachable(Path(python), owner):
            return Interpreter(python=python, note=note)
    return None


def read_record(data: Path) -> tuple[Record | None, str]:
    """The set-up script's record, or None and why not."""
    path = data / RECORD
    try:
        return Record.model_validate_json(path.read_bytes()), ""
    except FileNotFoundError:
        return None, "no prepared Python: numpy, pandas and matplotlib may be missing"
    except (OSError, ValidationError) as error:
        return None, f"cannot read {path}: {type(error).__name__}"


def reachable(path: Path, owner: tuple[int, int] | None) -> bool:
    """Whether the user can pass every directory up to `path` and read it."""
    if owner is None:
        return os.access(path, os.R_OK | os.X_OK)
    try:
        above = [parent.stat() for parent in path.parents]
        last = path.stat()
    except OSError:
        return False
    return all(allowed(one, owner, stat.S_IXOTH) for one in above) and allowed(last, owner, stat.S_IROTH | stat.S_IXOTH)


def allowed(entry: os.stat_result, owner: tuple[int, int], wanted: int) -> bool:
    """Whether the permission bits for `owner` hold all of `wanted`, given as bits of "others"."""
    shift = 6 if entry.st_uid == owner[0] else 3 if entry.st_gid == owner[1] else 0
    return (entry.st_mode >> shift) & wanted == wanted
