"""Run every static check, all of them also when one fails, and end with a table of what failed."""

import subprocess
import sys
import time
from pathlib import Path

from scripts.machine import ROOT, VENV

BIN = VENV / "bin"


def commands() -> dict[str, list[str | Path]]:
    """Return the checks by name, in the order they run."""
    return {
        "format": [BIN / "ruff", "format", "--check", "."],
        "lint": [BIN / "ruff", "check", "."],
        "imports": [BIN / "lint-imports", "--no-logo"],
        "sizes": [BIN / "python", "-m", "scripts.sizes"],
        "words": [BIN / "python", "-m", "scripts.words"],
        "page": [BIN / "python", "-m", "scripts.page_digest"],
        "audit": [BIN / "python", "-m", "scripts.audit"],
        "types": [BIN / "pyright"],
    }


def main() -> int:
    """Run the checks; return 1 when any failed."""
    todo = commands()
    failed: list[str] = []
    for name, command in todo.items():
        started = time.monotonic()
        print(f"--- {name}", flush=True)
        code = subprocess.run([str(part) for part in command], cwd=ROOT, check=False).returncode
        print(f"--- {name}: {'passed' if code == 0 else 'FAILED'} ({time.monotonic() - started:.1f} s)", flush=True)
        failed += [name] if code else []
    print(
        f"check: {len(todo) - len(failed)} of {len(todo)} passed" + (f"; failed: {', '.join(failed)}" if failed else "")
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
