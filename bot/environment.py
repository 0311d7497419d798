"""Where the commands read the process's environment: here and nowhere else."""

import os
from collections.abc import Mapping
from pathlib import Path

from dotenv import dotenv_values


def variables(directory: Path) -> dict[str, str]:
    """The environment, with `.env` of a directory where the environment itself is silent."""
    from_file = {key: value for key, value in dotenv_values(directory / ".env").items() if value is not None}
    return {**from_file, **os.environ}


def prepared_home(environ: Mapping[str, str]) -> Path:
    """Where the set-up script leaves what is prepared once per machine, such as the sandbox's Python.

    A user's own place first; the system's where that user has none, as in the container image.
    """
    system = Path("/var/lib/handrail")
    if os.geteuid() == 0:
        return system
    share = environ.get("XDG_DATA_HOME", "")
    own = (Path(share) if share else Path.home() / ".local" / "share") / "handrail"
    return own if own.is_dir() or not system.is_dir() else system
