"""Fixtures: one local Slack process for the whole run, emptied for each test."""

import subprocess
import sys
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from tests.support.slack import LocalSlack, emptied_slack

FAST: Mapping[str, Any] = {"settings": {"redelivery_seconds": 3.0, "file_share_seconds": 0.01}}
"""What is never acknowledged is given up after four times so long: a busy machine keeps no bot waiting until then."""
SlackMaker = Callable[[Mapping[str, Any]], AbstractAsyncContextManager[LocalSlack]]


@pytest.fixture(scope="session")
def slack_process(tmp_path_factory: pytest.TempPathFactory) -> Generator[str]:
    """The address of a local Slack that lives as long as the run."""
    directory = tmp_path_factory.mktemp("slack")
    command = [sys.executable, "-m", "bot.localslack", "--port", "0", "--state", str(directory)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("localslack http"), line
        yield line.split()[1]
        process.terminate()


@pytest.fixture
def slack_with(slack_process: str, tmp_path: Path) -> SlackMaker:
    """Make a context in which the local Slack plays a scene of the test's own."""

    def make(scene: Mapping[str, Any]) -> AbstractAsyncContextManager[LocalSlack]:
        return emptied_slack(slack_process, tmp_path, scene)

    return make


@pytest.fixture
async def slack(slack_process: str, tmp_path: Path) -> AsyncGenerator[LocalSlack]:
    """An empty local Slack with the built-in scene that redelivers soon."""
    async with emptied_slack(slack_process, tmp_path, FAST) as running:
        yield running
