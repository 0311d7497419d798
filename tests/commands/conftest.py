"""A shell in a folder of its own, which the sandbox's unprivileged user can pass."""

from collections.abc import AsyncIterator

import pytest

from tests.support.serving import Launcher, Shell
from tests.support.stage import passable_folder


@pytest.fixture
async def shell(command_server: Launcher) -> AsyncIterator[Shell]:
    """Runs commands."""
    async with passable_folder() as folder:
        yield Shell(command_server, folder)
