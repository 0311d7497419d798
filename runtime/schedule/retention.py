"""Files of threads outlive their journals by nothing: what was not used for the retention time is removed."""

import shutil
import time
from datetime import timedelta
from pathlib import Path


def remove_stale(workspaces: Path, kept: timedelta) -> int:
    """Remove each workspace that nobody has opened for longer than its journal lives; how many.

    A workspace's own time of change is brought up to date whenever its session is worked on.
    """
    removed = 0
    if not workspaces.is_dir():
        return removed
    # Wall-clock time, since that is what file systems keep.
    oldest = time.time_ns() / 1e9 - kept.total_seconds()
    for folder in workspaces.iterdir():
        if folder.is_dir() and not folder.is_symlink() and folder.stat().st_mtime < oldest:
            shutil.rmtree(folder, ignore_errors=True)
            removed += 1
    return removed
