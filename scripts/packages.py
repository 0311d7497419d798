"""Python packages from the lock files: with uv for speed, with pip where uv cannot do it."""

import hashlib
import sys
from pathlib import Path

from scripts.machine import ROOT, VENV, VENV_PYTHON, SetupError, must_run, program, run, say
from scripts.system_parts import apt_install

BOOTSTRAP_LOCK = ROOT / "requirements-bootstrap.lock"
RUNTIME_LOCK = ROOT / "requirements.lock"
DEV_LOCK = ROOT / "requirements-dev.lock"
SANDBOX_LOCK = ROOT / "requirements-sandbox.lock"
VENV_UV = VENV / "bin" / "uv"


def count(lock: Path) -> int:
    """Return how many packages a lock file pins."""
    return sum(1 for line in lock.read_text(encoding="utf-8").splitlines() if "==" in line and not line.startswith(" "))


def digest(*parts: str | bytes) -> str:
    """Return a short name for a combination of inputs."""
    whole = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        whole.update(len(data).to_bytes(8, "big") + data)
    return whole.hexdigest()[:16]


def create_venv() -> None:
    """Create `.venv` with pip in it.

    Debian ships Python without `ensurepip`; then a pip or uv found elsewhere fills the environment.

    Raises:
        SetupError: Neither way works here; the message names the package to install.
    """
    # One without pip that nothing was ever installed into is the remains of a set-up that failed.
    filled = any(VENV.glob(".installed-*"))
    works = "import sys; sys.exit(sys.version_info < (3, 11))" if filled else "import pip"
    if VENV_PYTHON.exists() and run([VENV_PYTHON, "-c", works]).returncode == 0:
        return
    say(f"creating .venv with Python {sys.version.split()[0]}")
    whole = [sys.executable, "-m", "venv", "--clear", VENV]
    if run(whole).returncode == 0:
        return
    has_pip = run([sys.executable, "-m", "pip", "--version"]).returncode == 0
    can_fill = has_pip or program("uv") is not None
    if not can_fill and apt_install(["python3-venv"]) and run(whole).returncode == 0:
        return
    must_run([sys.executable, "-m", "venv", "--clear", "--without-pip", VENV], "Creating .venv")


def bootstrap_uv() -> Path | None:
    """Return a uv to install with: the environment's own pinned one, else one on the PATH, else None."""
    if VENV_UV.exists():
        return VENV_UV
    lock = ["install", "--quiet", "--require-hashes", "--no-deps", "-r", str(BOOTSTRAP_LOCK)]
    ways: list[list[str | Path]] = [[VENV_PYTHON, "-m", "pip", *lock]]
    ways.append([sys.executable, "-m", "pip", "--python", VENV_PYTHON, *lock])
    if any(run(way).returncode == 0 for way in ways) and VENV_UV.exists():
        return VENV_UV
    return program("uv")


def install_with_uv(uv: Path, python: Path, what: list[str | Path]) -> bool:
    """Install with uv and say whether that worked; behind a proxy with its own certificate the system's are tried."""
    # Copies, since a hard link into the private cache of root would share that file's mode.
    settings = {"UV_LINK_MODE": "copy"} if "--target" in what else {}
    for certificates in ({}, {"UV_SYSTEM_CERTS": "1"}):
        done = run([uv, "pip", "install", "--quiet", "--python", python, *what], extra=settings | certificates)
        if done.returncode == 0:
            return True
    last = [line.strip() for line in done.stdout.splitlines() if line.strip()][-1:]
    say(f"uv could not do it ({' '.join(last)}); trying pip")
    return False


def install(lock: Path, *, python: Path = VENV_PYTHON, target: Path | None = None) -> None:
    """Install exactly what a lock file pins, hashes checked, into an interpreter or a directory of packages.

    Raises:
        SetupError: Both uv and pip failed, or neither is there.
    """
    where: list[str | Path] = ["--target", target] if target else []
    what: list[str | Path] = ["--require-hashes", "-r", lock, *where]
    uv = bootstrap_uv()
    if uv is not None and install_with_uv(uv, python, what):
        return
    pip: list[str | Path] = [VENV_PYTHON, "-m", "pip"]
    if run([*pip, "--version"]).returncode != 0:
        pip = [sys.executable, "-m", "pip"]
        if run([*pip, "--version"]).returncode != 0:
            msg = "This Python has neither venv, pip nor uv. Debian, Ubuntu: apt-get install python3-venv"
            raise SetupError(msg)
    must_run([*pip, "--python", python, "install", "--quiet", *what], f"Installing {lock.name}")


def install_once(lock: Path, name: str) -> None:
    """Install a lock file into `.venv` unless the same file was installed before, and make the checkout importable.

    Raises:
        SetupError: The packages could not be installed.
    """
    stamp = VENV / f".installed-{name}"
    wanted = digest(lock.read_bytes())
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        say(f"{name} packages are up to date")
        return
    say(f"installing {count(lock)} {name} packages")
    install(lock)
    for packages in VENV.glob("lib/python3*/site-packages"):
        (packages / "handrail.pth").write_text(f"{ROOT}\n", encoding="utf-8")
    stamp.write_text(wanted, encoding="utf-8")
