"""The type checker for Slack payloads and Slack's own types, from npm, for the tests in tests/types."""

from scripts.machine import ROOT, program, run, say
from scripts.packages import digest

TYPES = ROOT / "tests" / "types"
STAMP = TYPES / "node_modules" / ".installed"


def install_types() -> None:
    """Install what the lock file pins, once; without npm or network say so, and the tests that need it say it again."""
    lock = TYPES / "package-lock.json"
    wanted = digest(lock.read_bytes())
    if STAMP.exists() and STAMP.read_text(encoding="utf-8") == wanted:
        return
    npm = program("npm")
    if npm is None:
        say("no npm here: Slack payloads are not checked against Slack's own types")
        return
    say("installing Slack's types for the tests")
    done = run([npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", TYPES])
    if done.returncode == 0:
        STAMP.write_text(wanted, encoding="utf-8")
    else:
        say("npm could not install Slack's types; payloads are not checked against them")
