"""What this machine is and has: places, programs, and the only reads of the environment in the set-up."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
VENV_PYTHON = VENV / "bin" / "python"
STARTED = time.monotonic()


class SetupError(Exception):
    """Set-up cannot go on; the message tells the person what to do."""


def say(text: str) -> None:
    """Print one progress line with the seconds since the set-up began."""
    print(f"[{time.monotonic() - STARTED:5.1f} s] {text}", flush=True)


def is_root() -> bool:
    """Say whether this process may write the system's own places."""
    return os.geteuid() == 0


def in_ci() -> bool:
    """Say whether this is an unattended run (`CI=true`), where nothing may be missing."""
    return os.environ.get("CI", "").lower() in {"1", "true", "yes"}


def data_dir() -> Path:
    """Return where prepared environments live: a place an unprivileged user can reach when this process is root."""
    if is_root():
        return Path("/var/lib/handrail")
    base = Path(os.environ.get("XDG_DATA_HOME", ""))
    return (base if base.is_absolute() else Path.home() / ".local" / "share") / "handrail"


def program(name: str) -> Path | None:
    """Return the program's path, also from the system directories that a user's PATH may leave out."""
    path = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/local/sbin", "/usr/sbin", "/sbin"])
    found = shutil.which(name, path=path)
    return Path(found) if found else None


def run(command: Sequence[str | Path], *, extra: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, without input, and return what it printed; it may have failed."""
    return subprocess.run(
        [str(part) for part in command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        env={**os.environ, **(extra or {})},
    )


def must_run(command: Sequence[str | Path], doing: str, *, extra: Mapping[str, str] | None = None) -> str:
    """Run a command and return what it printed.

    Raises:
        SetupError: It failed; the message holds its last lines.
    """
    done = run(command, extra=extra)
    if done.returncode != 0:
        tail = "\n".join(done.stdout.strip().splitlines()[-12:])
        msg = f"{doing} failed (exit {done.returncode}):\n{tail}"
        raise SetupError(msg)
    return done.stdout


def become(command: Sequence[str | Path]) -> None:
    """Replace this process with the command, so that signals and the exit code are its own."""
    sys.stdout.flush()
    parts = [str(part) for part in command]
    os.execv(parts[0], parts)
