"""Applies one difference again and again, striking at the first change of the file system, at the second, and so on.

Run as `python -m tests.tools.dying die|fail BINDING FOLDER`. For each strike the mount and the workspace in FOLDER are
copied to FOLDER/case-N, and a forked process applies the difference there: it dies, or finds the disk full, at its N-th
change. Prints the exit code of each: 9 died, 3 refused, 0 came through; ends with the first that was never struck.
"""

import errno
import os
import shutil
import sys
from itertools import count
from pathlib import Path

from tools.difference import Binding
from tools.errors import ToolRefused
from tools.mounts import Mount
from tools.publishing import apply
from tools.workspace import Workspace

CHANGES = frozenset({"os.link", "os.rename", "os.remove", "os.mkdir"})
UNTOUCHED = 7


def attempt(ending: str, place: int, binding: Binding, case: Path) -> int:
    """Apply with a hook of the interpreter that strikes once."""
    numbers = count()
    struck: list[str] = []

    def strike(event: str, _: object) -> None:
        if event not in CHANGES or next(numbers) != place:
            return
        struck.append(event)
        if ending == "die":
            os._exit(9)
        raise OSError(errno.ENOSPC, "No space left on device")

    sys.addaudithook(strike)
    try:
        apply(binding, Mount(name="etl", path=case / "srv-etl"), Workspace(root=case / "session"))
    except ToolRefused as refusal:
        return 3 if "No space left on device" in str(refusal) else 1
    return 0 if struck else UNTOUCHED


def main(ending: str, binding: str, folder: Path) -> None:
    """One fork for each place to strike at."""
    approved = Binding.model_validate_json(binding)
    for place in count():
        case = folder / f"case-{place}"
        for name in ("srv-etl", "session", "session.base"):
            shutil.copytree(folder / name, case / name)
        child = os.fork()
        if not child:
            os._exit(attempt(ending, place, approved, case))
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if code == UNTOUCHED:
            return
        sys.stdout.write(f"{code}\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
