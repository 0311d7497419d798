"""The interpreter and packages for generated code, prepared where an unprivileged user can reach them.

The bot's own `.venv` will not do: its Python often points into a private home, and generated code has no business
with the bot's packages. The result is `sandbox-python.json` in the data directory:
`{"python": interpreter, "site": directory of packages, "mplconfig": directory with matplotlib's font list}`.
"""

import json
import os
import platform
import shutil
import stat
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from scripts.machine import SetupError, data_dir, is_root, must_run, program, run, say
from scripts.packages import SANDBOX_LOCK, count, digest, install

PROBE = (
    "import json, sys, sysconfig;"
    "print(json.dumps([list(sys.version_info[:3]), sys.executable, sysconfig.get_path('stdlib')]))"
)
WARM_UP = "import docx, matplotlib.font_manager, numpy, openpyxl, pandas, pypdf"


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpreter:
    """A Python that generated code can run with."""

    path: Path
    version: str


def reachable(path: Path) -> bool:
    """Say whether every user may read this path and pass through all directories that lead to it."""
    real = path.resolve()
    last = real.stat().st_mode
    wanted = stat.S_IROTH | (stat.S_IXOTH if real.is_dir() else 0)
    return last & wanted == wanted and all(parent.stat().st_mode & stat.S_IXOTH for parent in real.parents)


def inspect(path: Path) -> Interpreter | None:
    """Return the interpreter when it is new enough and, with root as the caller, usable by everybody."""
    done = run([path, "-I", "-S", "-c", PROBE])
    if done.returncode != 0:
        return None
    version, executable, stdlib = json.loads(done.stdout)
    if tuple(version) < (3, 11):
        return None
    real = Path(executable).resolve()
    if is_root() and not (reachable(real) and reachable(Path(stdlib))):
        return None
    return Interpreter(path=real, version=".".join(str(part) for part in version))


def choose() -> Interpreter:
    """Return the Python the sandbox will use: the bot's own where possible, else one of the system.

    Raises:
        SetupError: As root, when every Python 3.11 or newer lies where only root can reach it.
    """
    base = Path(sys.base_prefix) / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}"
    named = [program(name) for name in ("python3", "python3.13", "python3.12", "python3.11")]
    for path in (base, Path("/usr/bin/python3"), Path("/usr/local/bin/python3"), *named):
        found = inspect(path) if path is not None and path.exists() else None
        if found is not None:
            return found
    msg = (
        "The sandbox needs a Python 3.11 or newer that an unprivileged user can run, outside of root's home. "
        "Debian, Ubuntu: apt-get install python3"
    )
    raise SetupError(msg)


def open_to_all(root: Path) -> None:
    """Let every user read a tree, whatever the umask of its maker was."""
    for folder, _, files in os.walk(root):
        Path(folder).chmod(0o755)
        for name in files:
            path = Path(folder) / name
            if not path.is_symlink():
                path.chmod(path.stat().st_mode | stat.S_IRUSR | stat.S_IRGRP | stat.S_IROTH)


def build(interpreter: Interpreter, home: Path) -> None:
    """Install the packages beside their final place and move them in at once, so that no half-built one is seen.

    Raises:
        SetupError: The packages could not be installed or do not import.
    """
    home.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix="building-", dir=home.parent))
    try:
        site = scratch / "site"
        say(f"installing {count(SANDBOX_LOCK)} packages for generated code (Python {interpreter.version})")
        install(SANDBOX_LOCK, python=interpreter.path, target=site)
        say("compiling them and listing fonts")
        moved = ["-s", scratch, "-p", home]
        run([interpreter.path, "-I", "-m", "compileall", "-q", "-j", "0", *moved, site])
        settings = {"PYTHONPATH": str(site), "MPLCONFIGDIR": str(scratch / "mplconfig"), "MPLBACKEND": "Agg"}
        must_run([interpreter.path, "-c", WARM_UP], "Importing the sandbox's packages", extra=settings)
        open_to_all(scratch)
        if not home.exists():
            scratch.rename(home)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def prepare(where: Path | None = None) -> Path:
    """Make the sandbox's Python ready and return the path of `sandbox-python.json`.

    Raises:
        SetupError: There is no usable Python, or the packages could not be installed.
    """
    base = where or data_dir()
    interpreter = choose()
    name = digest(SANDBOX_LOCK.read_bytes(), str(interpreter.path), interpreter.version, platform.machine())
    home = base / "sandbox-env" / name
    if not home.exists():
        build(interpreter, home)
    for folder in (home, home.parent, base):
        folder.chmod(0o755)
    found = {"python": str(interpreter.path), "site": str(home / "site"), "mplconfig": str(home / "mplconfig")}
    pointer = base / "sandbox-python.json"
    fresh = pointer.with_suffix(f".{os.getpid()}")
    fresh.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    fresh.chmod(0o644)
    fresh.replace(pointer)
    say(f"Python for generated code: {interpreter.path} with {home}")
    return pointer


if __name__ == "__main__":
    prepare()
