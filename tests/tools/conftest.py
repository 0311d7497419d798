"""A workspace of its own for each test, and the context of a call in it."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import count
from pathlib import Path

import pytest

from tools.context import ToolContext
from tools.sandbox.port import Sandbox
from tools.sandbox.probe import owner_for
from tools.sandbox.unavailable import Unavailable
from tools.workspace import Workspace

NO_SANDBOX = Unavailable(reasons=("the test needs none",), fix="")

Call = Callable[..., ToolContext]


@pytest.fixture
def data() -> Iterator[Path]:
    """A directory that other users may pass through, as the data directory of a bot is."""
    path = Path(tempfile.mkdtemp(prefix="handrail-tools-"))
    path.chmod(0o711)
    yield path
    shutil.rmtree(path)


@pytest.fixture
def workspace(data: Path) -> Workspace:
    """An empty workspace, owned by an unprivileged user where the tests run as root."""
    root = data / "session"
    root.mkdir(mode=0o700)
    owner = owner_for("session")
    if owner is not None:
        os.chown(root, *owner)
    return Workspace(root=root, owner=owner)


@pytest.fixture
def call(workspace: Workspace) -> Call:
    """Makes the context of the next call, of a named one, or of one with another sandbox."""
    numbers = count(1)

    def make(call_id: str = "", sandbox: Sandbox = NO_SANDBOX, seconds: int = 60) -> ToolContext:
        return ToolContext(
            session_id="s",
            run_id="r",
            call_id=call_id or f"call-{next(numbers)}",
            workspace=workspace,
            sandbox=sandbox,
            timeout=timedelta(seconds=seconds),
        )

    return make
