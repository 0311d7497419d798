"""Parts of the machine that some tests need, and how a test says so.

`@pytest.mark.needs("chromium")` on a test, or `requires("chromium")` inside a fixture: where the part is missing the
test is skipped and named at the end; under `CI=true` it fails, since nothing installable may be missing there.
"""

import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

import pytest

from scripts.machine import data_dir, in_ci, is_root, program
from scripts.mcp_servers import NODE_HOME, PYTHON_SITE
from scripts.node_packages import STAMP
from scripts.system_parts import PARTS
from tools.sandbox.port import Sandbox

NOBODY = 65534
PREPARED: Final[Mapping[str, Path]] = MappingProxyType(
    {
        "python-for-code": data_dir() / "sandbox-python.json",
        "mcp-servers": PYTHON_SITE / ".installed",
        "mcp-servers-for-node": NODE_HOME / ".installed",
        "slack-types": STAMP,
        "axe-core": STAMP.parent / "axe-core" / "axe.min.js",
    }
)
"""What `make test` prepares beside the system's programs, and the file that says it is there."""


@cache
def has_user_namespaces() -> bool:
    """Say whether an unprivileged process of this machine may open a user namespace."""
    unshare = program("unshare")
    if unshare is None:
        return False
    who = NOBODY if is_root() else None
    command = [str(unshare), "--user", "--map-root-user", "true"]
    return subprocess.run(command, user=who, group=who, cwd="/", capture_output=True, check=False).returncode == 0


@cache
def missing(part: str) -> str:
    """Return why a part is not here, or an empty string when it is.

    Raises:
        KeyError: No part has that name; a misspelt need must not skip a test for ever.
    """
    if part == "userns":
        return "" if has_user_namespaces() else "this kernel or container forbids user namespaces"
    if part in PREPARED:
        return "" if PREPARED[part].is_file() else f"no {part}; make test prepares it"
    known = PARTS[part]
    return "" if any(program(name) for name in known.programs) else f"no {part}; package {known.package}"


def requires(*parts: str) -> None:
    """Skip the running test when a part is missing; fail it instead under CI, except for what a kernel forbids."""
    reasons = [reason for part in parts if (reason := missing(part))]
    if not reasons:
        return
    if in_ci() and any(missing(part) for part in parts if part != "userns"):
        pytest.fail(f"missing under CI: {'; '.join(reasons)}", pytrace=False)
    pytest.skip(f"needs {'; '.join(reasons)}")


def contains(sandbox: Sandbox) -> Sandbox:
    """Return the sandbox if it contains code; skip the running test else, or fail it under CI."""
    if not sandbox.level.contains:
        (pytest.fail if in_ci() else pytest.skip)(sandbox.describe())
    return sandbox
