"""Files of the workspace that a command or program names: an approval of it covers what they hold.

`sh deploy.sh` shows a person the name of a script. What the script says must be the same when it runs, so its digest is
part of what was approved. What is found is what stands in the text as a path or as the name of a Python module.
"""

import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence

from pydantic import JsonValue

from tools.context import ToolContext
from tools.errors import PathRefused, ToolRefused
from tools.text import visible

WORD = re.compile(r"[^\s'\"`;|&()<>=,\[\]{}$\\]{1,300}")
MODULE = re.compile(r"^\s*(?:import|from)\s+([A-Za-z_][\w.]*)|-m\s+([A-Za-z_][\w.]*)", re.MULTILINE)
MAX_WORDS = 500
MAX_NAMED = 40
MAX_FOLDERS = 5
MAX_DIGESTED = 16 * 1024 * 1024
KEY = "files"


def candidates(text: str) -> Iterator[str]:
    """What in a text could be the path of a file, each once."""
    seen: set[str] = set()
    found = [match[0] for match in WORD.finditer(text)][:MAX_WORDS]
    modules = [(match[1] or match[2]).replace(".", "/") for match in MODULE.finditer(text)][:MAX_WORDS]
    for path in (*found, *(f"{module}.py" for module in modules), *(f"{module}/__main__.py" for module in modules)):
        if path not in seen:
            seen.add(path)
            yield path


def named_files(text: str, context: ToolContext, directory: str = "") -> dict[str, str]:
    """The digest of each file named, by its path; what is no file now is left out.

    Args:
        text: the command or program.
        context: the call.
        directory: where it would begin; empty or outside: the workspace itself.
    """
    found: dict[str, str] = {}
    words = list(candidates(text))
    for place in ("", directory, *folders(words, directory, context)):
        for name in words:
            path = f"{place}/{name}" if place and not name.startswith("/") else name
            if path in found or len(found) >= MAX_NAMED:
                continue
            try:
                state = state_of(path, context)
            except (PathRefused, OSError):
                continue
            if state:
                found[path] = state
    return found


def folders(words: Sequence[str], directory: str, context: ToolContext) -> Iterator[str]:
    """Directories that the text names, where `cd` could lead."""
    left = MAX_FOLDERS
    for word in words:
        for path in (f"{directory}/{word}", word) if directory and not word.startswith("/") else (word,):
            try:
                is_one = left > 0 and context.workspace.kind(path) == "directory"
            except (PathRefused, OSError):
                continue
            if is_one:
                left -= 1
                yield path


def state_of(path: str, context: ToolContext) -> str:
    """What a file holds, as a digest; of a large one its size and when it last changed; empty for what is no file.

    The kernel sets the time of a change, so code in the sandbox cannot hold it still.

    Raises:
        PathRefused: it leads outside or is missing.
    """
    with context.workspace.spot(path) as spot:
        status = os.stat(spot.name, dir_fd=spot.parent, follow_symlinks=False)
    if not stat.S_ISREG(status.st_mode):
        return ""
    if status.st_size > MAX_DIGESTED:
        return f"{status.st_size} bytes, {status.st_ino}, {status.st_ctime_ns}"
    digest = context.workspace.file_digest(path)
    return "" if digest == "refused" else digest


def bound(files: Mapping[str, str]) -> dict[str, JsonValue]:
    """The part of a binding that stands for these files."""
    return {KEY: dict(files)} if files else {}


def notes(files: Mapping[str, str]) -> tuple[str, ...]:
    """What the person is told of them."""
    if not files:
        return ()
    names = ", ".join(visible(path) for path in list(files)[:8])
    more = f" and {len(files) - 8} more" if len(files) > 8 else ""
    return (f"runs only while these files are as they are now: {names}{more}",)


def check_unchanged(context: ToolContext) -> None:
    """Hold the files against what was judged.

    Raises:
        ToolRefused: one of them is not as it was.
    """
    recorded = context.binding.get(KEY)
    for path, digest in recorded.items() if isinstance(recorded, dict) else ():
        try:
            now = state_of(path, context)
        except (PathRefused, OSError):
            now = "gone"
        if now != digest:
            raise ToolRefused(
                f"Nothing was run: {visible(path)} changed after the call was shown. Send the call again, so that it "
                "is judged as it is now."
            )
