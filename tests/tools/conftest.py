"""A workspace of its own for each test, and the context of a call in it."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import Iterator
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Protocol, cast

import pytest

from bot.environment import prepared_home
from tests.parts import contains, requires
from tools.context import ToolContext
from tools.mounts import Mount, prepare_workspace
from tools.sandbox.port import Sandbox
from tools.sandbox.probe import choose, owner_for
from tools.sandbox.settings import SandboxSettings
from tools.sandbox.unavailable import Unavailable
from tools.workspace import Workspace

NO_SANDBOX = Unavailable(reasons=("the test needs none",), fix="")

SAMPLE = {
    "import.py": "def load(row):\n    return row\n",
    "data/rows.csv": "a,b\r\n1,2\r\n",
    "run.sh": "#!/bin/sh\n",
    ".git/config": "internal",
    "__pycache__/import.pyc": "cache",
}


class Call(Protocol):
    """Makes the context of a call."""

    def __call__(
        self, call_id: str = "", *, workspace: Workspace | None = None, sandbox: Sandbox = ..., seconds: float = 60
    ) -> ToolContext:
        """A context with a new call id, or this one."""
        ...


@pytest.fixture
def data() -> Iterator[Path]:
    """A directory that other users may pass through, as the data directory of a bot is."""
    path = Path(tempfile.mkdtemp(prefix="handrail-tools-"))
    path.chmod(0o711)
    yield path
    shutil.rmtree(path)


@pytest.fixture
def mount(data: Path) -> Mount:
    """A directory of the host with a few files, and some that are never copied."""
    path = data / "srv-etl"
    for name, text in SAMPLE.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(text.encode())
    (path / "run.sh").chmod(0o750)
    return Mount(name="etl", path=path)


@pytest.fixture
def session(data: Path, mount: Mount) -> Workspace:
    """A workspace with a copy of the mount."""
    return prepare_workspace(data / "session", [mount], owner_for(str(data)))


@pytest.fixture
def workspace(data: Path) -> Workspace:
    """An empty workspace, owned by an unprivileged user where the tests run as root."""
    root = data / "session"
    root.mkdir(mode=0o700)
    owner = owner_for(str(data))
    if owner is not None:
        os.chown(root, *owner)
    return Workspace(root=root, owner=owner)


@pytest.fixture
def call(request: pytest.FixtureRequest) -> Call:
    """Makes the context of the next call, in the empty workspace unless told otherwise."""
    numbers = count(1)

    def make(
        call_id: str = "", *, workspace: Workspace | None = None, sandbox: Sandbox = NO_SANDBOX, seconds: float = 60
    ) -> ToolContext:
        return ToolContext(
            session_id="s",
            run_id="r",
            call_id=call_id or f"call-{next(numbers)}",
            workspace=workspace or cast("Workspace", request.getfixturevalue("workspace")),
            sandbox=sandbox,
            timeout=timedelta(seconds=seconds),
        )

    return make


@pytest.fixture(scope="session")
def prepared_sandbox() -> Sandbox:
    """The best back-end with the packages that the set-up prepares; the test is skipped without them."""
    requires("python-for-code")
    chosen = asyncio.run(choose(SandboxSettings(), data=prepared_home(os.environ)))
    return contains(chosen)


@pytest.fixture(scope="session")
def sandbox() -> Sandbox:
    """The best back-end of this machine; the test is skipped where nothing contains code."""
    path = Path(tempfile.mkdtemp(prefix="handrail-tools-"))
    path.chmod(0o711)
    chosen = asyncio.run(choose(SandboxSettings(), data=path))
    shutil.rmtree(path)
    return contains(chosen)
