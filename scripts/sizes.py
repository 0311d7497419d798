"""No Python file outgrows 300 lines; exceptions are listed with their reason and may not be stale."""

import subprocess
import sys

from scripts.machine import ROOT

LIMIT = 300
EXCEPTIONS: dict[str, str] = {}


def tracked() -> list[str]:
    """Return the Python files that git knows or would add."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", "*.py"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return sorted({name for name in listed.splitlines() if (ROOT / name).exists()})


def findings(lengths: dict[str, int]) -> list[str]:
    """Return one sentence for each file over the limit and each exception that is no longer needed."""
    over = {name: count for name, count in lengths.items() if count > LIMIT}
    found = [f"{name}: {over[name]} lines, limit {LIMIT}" for name in sorted(over) if name not in EXCEPTIONS]
    return found + [f"{name}: listed as an exception without need" for name in sorted(EXCEPTIONS) if name not in over]


def main() -> int:
    """Check every file; return 1 when there is a finding."""
    lengths = {name: len((ROOT / name).read_text(encoding="utf-8").splitlines()) for name in tracked()}
    found = findings(lengths)
    print("\n".join(found) if found else f"{len(lengths)} files, longest {max(lengths.values(), default=0)} lines")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
