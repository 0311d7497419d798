"""Real MCP servers for the tests, in a place of their own: their packages must not mix with the bot's."""

import shutil
from pathlib import Path

from scripts.machine import ROOT, VENV, program, run, say
from scripts.packages import digest, install

LOCK = ROOT / "requirements-mcp-servers.lock"
NODE_FILES = (ROOT / "tests/mcp/servers/package.json", ROOT / "tests/mcp/servers/package-lock.json")
HOME = VENV / "mcp-servers"
PYTHON_SITE = HOME / "python"
NODE_HOME = HOME / "node"


def prepare() -> None:
    """Install what the lock files name, unless the same was installed before."""
    python_part()
    node_part()


def python_part() -> None:
    """Servers written in Python, as a directory for `PYTHONPATH`.

    Raises:
        SetupError: they could not be installed.
    """
    wanted = digest(LOCK.read_bytes())
    if is_done(PYTHON_SITE, wanted):
        return
    shutil.rmtree(PYTHON_SITE, ignore_errors=True)
    say("installing MCP servers for the tests")
    install(LOCK, target=PYTHON_SITE)
    done(PYTHON_SITE, wanted)


def node_part() -> None:
    """Servers written for Node, where there is npm; their tests are skipped elsewhere."""
    wanted = digest(*(file.read_bytes() for file in NODE_FILES))
    npm = program("npm")
    if is_done(NODE_HOME, wanted):
        return
    if npm is None:
        say("not here: npm (the tests of MCP servers written for Node; package npm); going on without it")
        return
    shutil.rmtree(NODE_HOME, ignore_errors=True)
    NODE_HOME.mkdir(parents=True)
    for file in NODE_FILES:
        shutil.copy(file, NODE_HOME)
    installed = run([npm, "ci", "--prefix", NODE_HOME, "--ignore-scripts", "--no-audit", "--no-fund"])
    if installed.returncode != 0:
        say("npm ci did not succeed: " + " ".join(installed.stdout.strip().splitlines()[-1:]))
        return
    done(NODE_HOME, wanted)


def is_done(home: Path, wanted: str) -> bool:
    """Whether exactly this was installed there."""
    stamp = home / ".installed"
    return stamp.exists() and stamp.read_text(encoding="utf-8") == wanted


def done(home: Path, wanted: str) -> None:
    """Note what was installed."""
    (home / ".installed").write_text(wanted, encoding="utf-8")
