"""Runs inside the sandbox: looks for a pattern in the files below a directory, or for files by name.

ripgrep does it where it is present; otherwise, or for a pattern only Python understands, a walk with `re`. Both print
the same lines: `path:number:text`. Ends with 3 and a sentence on standard error for a pattern that cannot be read.
"""

import fnmatch
import io
import json
import os
import re
import shutil
import subprocess
import sys

SKIPPED = (".git", ".handrail", "__pycache__", "node_modules", ".mypy_cache", ".pytest_cache", ".ruff_cache")
MAX_LINE = 300
MAX_FILE_BYTES = 20_000_000
PER_FILE = 50


def by_ripgrep(asked: "dict[str, str]", program: str) -> "list[str] | None":
    """The lines it finds; None where it cannot read the pattern."""
    argv = [program, "--no-config", "--no-ignore", "--hidden", "--sort", "path", "--color", "never", "--null"]
    argv += [part for name in SKIPPED for part in ("--glob", "!" + name)]
    argv += ["--glob", asked["glob"]] if asked["glob"] else []
    if not asked["pattern"]:
        done = subprocess.run([*argv, "--files", "--", asked["path"]], capture_output=True, check=False)
        return [plain(name) for name in done.stdout.decode("utf-8", "replace").split("\0") if name]
    argv += ["--line-number", "--no-heading", "--with-filename", "--max-count", str(PER_FILE)]
    argv += ["--max-filesize", str(MAX_FILE_BYTES), "--case-sensitive"]
    done = subprocess.run([*argv, "--regexp", asked["pattern"], "--", asked["path"]], capture_output=True, check=False)
    if done.returncode == 2 and b"regex parse error" in done.stderr:
        return None
    lines: list[str] = []
    for line in done.stdout.decode("utf-8", "backslashreplace").splitlines():
        name, null, rest = line.partition("\0")
        if null:
            number, _, text = rest.partition(":")
            lines.append(shown(plain(name), int(number), text))
    return lines


def by_walk(asked: "dict[str, str]") -> "list[str]":
    """The same without ripgrep."""
    try:
        pattern = re.compile(asked["pattern"].encode())
    except re.error as error:
        print(f"the pattern cannot be read: {error}", file=sys.stderr)
        sys.exit(3)
    lines: list[str] = []
    for name in files(asked["path"], asked["glob"]):
        if asked["pattern"]:
            lines += matches(name, pattern)
        else:
            lines.append(plain(name))
    return lines


def files(top: str, glob: str) -> "list[str]":
    """Regular files below a directory, or the file itself, whose path or name fits; links are not followed."""
    if os.path.isfile(top):
        return [top]
    found: list[str] = []
    for folder, folders, names in os.walk(top):
        folders[:] = [name for name in folders if name not in SKIPPED]
        for name in names:
            path = os.path.join(folder, name)
            wanted = plain(path) if "/" in glob else name
            fits = not glob or fnmatch.fnmatch(wanted, glob.replace("**/", "*"))
            if fits and os.path.isfile(path) and not os.path.islink(path):
                found.append(path)
    return sorted(found)


def matches(name: str, pattern: "re.Pattern[bytes]") -> "list[str]":
    """The lines of a text file that match."""
    try:
        if os.path.getsize(name) > MAX_FILE_BYTES:
            return []
        with open(name, "rb") as file:
            data = file.read()
    except OSError:
        return []
    if b"\0" in data:
        return []
    found: list[str] = []
    for number, line in enumerate(data.splitlines(), start=1):
        if pattern.search(line):
            found.append(shown(plain(name), number, line.decode("utf-8", "backslashreplace")))
            if len(found) == PER_FILE:
                break
    return found


def plain(name: str) -> str:
    """A path without the dot that stands for where the search began."""
    return name.removeprefix("./")


def shown(name: str, number: int, text: str) -> str:
    """One line, cut where it is very long."""
    text = text.rstrip("\r")
    return f"{name}:{number}:{text[:MAX_LINE]}" + (" [...]" if len(text) > MAX_LINE else "")


def main() -> None:
    """Search as standard input asks."""
    asked: dict[str, str] = json.loads(sys.stdin.buffer.read().decode("utf-8"))
    most = int(asked["most"])
    sys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", errors="backslashreplace")
    program = shutil.which("rg") if asked["ripgrep"] == "yes" else None
    lines = by_ripgrep(asked, program) if program else None
    lines = by_walk(asked) if lines is None else lines
    for line in lines[:most]:
        print(line)
    if len(lines) > most:
        print(f"[{len(lines) - most} more left out; narrow it with path, glob or a longer pattern]")


main()
