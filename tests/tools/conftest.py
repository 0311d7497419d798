"""A workspace of its own for each test, and the context of one call in it."""

import os
from pathlib import Path

import pytest

from tools.workspace import Workspace

NOBODY = (65534, 65534)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """An empty workspace, owned by an unprivileged user where the tests run as root."""
    root = tmp_path / "session"
    root.mkdir()
    owner = NOBODY if os.geteuid() == 0 else None
    if owner is not None:
        os.chown(root, *owner)
    return Workspace(root=root, owner=owner)
