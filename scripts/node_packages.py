"""What tests take from npm: the type checker for Slack payloads, Slack's own types, and axe, which judges the page."""

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
        say("no npm here: Slack payloads are not checked against Slack's own types, nor the page by axe")
        return
    say("installing Slack's types and axe for the tests")
    done = run([npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", TYPES])
    if done.returncode == 0:
        STAMP.write_text(wanted, encoding="utf-8")
    else:
        say("npm could not install Slack's types and axe; payloads and page are not checked by them")
