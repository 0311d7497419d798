"""Tracked files hold no marks of unfinished work, no paths of one machine and no address of a package registry."""

import re
import subprocess
import sys

from scripts.machine import ROOT


def any_of(*halves: tuple[str, str]) -> re.Pattern[str]:
    """Return a pattern for words given in two halves, so that this file passes its own rules."""
    return re.compile("|".join(first + second for first, second in halves))


RULES = {
    "a mark of unfinished work": any_of((r"\bTO", r"DO\b"), (r"\bFIX", r"ME\b"), ("NotImplemented", "Error")),
    "a path of one machine": any_of(
        (r"(?<![\w.])/(home|Users)", r"/[a-z]\w+/"),
        (r"(?<![\w.$~])/ro", "ot/"),
        (r"\.py", "env/"),
        (r"(?<![\w.])/wo", "rk/"),
    ),
    "the host of a package registry": any_of(
        ("files.python", "hosted"), (r"registry\.(npm|yarn)", r"\w*\."), ("//py", r"pi\.org")
    ),
}
EXCEPT_FOR = ("bot/localslack/static/", "package-lock.json")


def findings(name: str, text: str) -> list[str]:
    """Return one sentence per line of a file that breaks a rule."""
    return [
        f"{name}:{number}: {what}"
        for number, line in enumerate(text.splitlines(), start=1)
        for what, pattern in RULES.items()
        if pattern.search(line)
    ]


def main() -> int:
    """Check every text file that git tracks; return 1 when there is a finding."""
    listed = subprocess.run(["git", "grep", "-Il", ""], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    names = [name for name in listed.splitlines() if not any(part in name for part in EXCEPT_FOR)]
    found: list[str] = []
    for name in names:
        path = ROOT / name
        found += findings(name, path.read_text(encoding="utf-8", errors="replace")) if path.exists() else []
    print("\n".join(found) if found else f"{len(names)} files")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
