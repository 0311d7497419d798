"""Where the commands read the process's environment: here and nowhere else."""

import contextlib
import os
import re
from collections.abc import Generator, Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

from dotenv import dotenv_values

SECRET_NAME = re.compile(r"PASSWORD|PASSWD|PASSPHRASE|SECRET|TOKEN|CREDENTIAL|(?:API|ACCESS|PRIVATE|SIGNING)_?KEY")
PLACE_NAME = re.compile(r"_(?:FILE|PATH|DIR|SOCK)$")
"""Says where a secret lies and is none."""
SHORTEST = 8
"""A shorter value would be found in ordinary text."""


def variables(directory: Path) -> dict[str, str]:
    """The environment, with `.env` of a directory where the environment itself is silent."""
    from_file = {key: value for key, value in dotenv_values(directory / ".env").items() if value is not None}
    return {**from_file, **os.environ}


@contextlib.contextmanager
def unseen_by_bolt() -> Generator[None]:
    """Hide Slack's variables while an app of Bolt is made: it reads them by itself, beside what it is given.

    With a client id it would look for installations in files of its own, find none, and refuse every event.
    """
    hidden = {name: os.environ.pop(name) for name in tuple(os.environ) if name.startswith("SLACK_")}
    try:
        yield
    finally:
        os.environ.update(hidden)


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


def secret_values(environ: Mapping[str, str]) -> tuple[str, ...]:
    """What must never be shown: values of variables that are named like secrets, and passwords inside of addresses."""
    named = (
        value
        for name, value in environ.items()
        if SECRET_NAME.search(name.upper()) and not PLACE_NAME.search(name.upper()) and not value.isdecimal()
    )
    inside = (password_in(value) for value in environ.values() if "://" in value and "@" in value)
    return tuple({value for value in (*named, *inside) if len(value) >= SHORTEST})


def password_in(address: str) -> str:
    """The password of an address; empty where it has none or is none."""
    try:
        return unquote(urlsplit(address).password or "")
    except ValueError:
        return ""
