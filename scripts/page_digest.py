"""Does the built page in `bot/localslack/static` belong to the source beside it? Needs no Node.

The digest is the one that `bot/localslack/page/check.mjs` writes at the end of a build.
"""

import hashlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

LOCALSLACK = Path(__file__).resolve().parent.parent / "bot" / "localslack"
LEFT_OUT = frozenset({"node_modules", ".vite"})


def source_files(root: Path) -> Iterator[str]:
    """Names of the page's source files relative to `root`, with forward slashes, in no particular order."""
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in LEFT_OUT]
        for name in names:
            if name not in LEFT_OUT:
                yield (Path(folder) / name).relative_to(root).as_posix()


def source_digest(root: Path) -> str:
    """SHA-256 over name and content of every source file, as hexadecimal text."""
    total = hashlib.sha256()
    for name in sorted(source_files(root)):
        total.update(name.encode() + b"\0" + (root / name).read_bytes() + b"\0")
    return total.hexdigest()


def built_digest(static: Path) -> str | None:
    """The digest noted by the build, or None when the page was never built."""
    note = static / "SOURCE.sha256"
    return note.read_text().strip() if note.is_file() else None


def page_is_current(localslack: Path = LOCALSLACK) -> bool:
    """Whether the built assets were made from the present source."""
    return built_digest(localslack / "static") == source_digest(localslack / "page")


def main() -> int:
    """Exit status 0 when current, else 1 with the way out on stderr."""
    if page_is_current():
        return 0
    sys.stderr.write(
        "bot/localslack/static is older than its source: cd bot/localslack/page && npm ci && npm run build\n"
    )
    return 1


if __name__ == "__main__":
    raise SystemExit(main())
