"""A place for journeys: local Slack, Redis, model, and a zygote for the bots."""

import subprocess
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from runtime.store.redis_store import SessionStore
from tests.durability.bots import Zygote, attached, put_down, spawned
from tests.durability.journey import REPLIES, Journey
from tests.durability.playing import steady_model
from tests.support.slack import LocalSlack

MakeJourney = Callable[..., Journey]


@pytest.fixture(scope="session")
def zygote_process() -> Iterator[subprocess.Popen[bytes]]:
    """Forks the bots of all tests: what it imports, it imports once."""
    process = spawned()
    yield process
    put_down(process)


@pytest.fixture
async def bots(zygote_process: subprocess.Popen[bytes]) -> AsyncIterator[Zygote]:
    """Forks bots; all are dead afterwards."""
    async with attached(zygote_process) as running:
        yield running


@pytest.fixture
async def new_journey(
    slack: LocalSlack, store: SessionStore, redis_url: str, bots: Zygote, tmp_path: Path
) -> AsyncIterator[MakeJourney]:
    """Makes journeys, each with a folder and a thread of its own."""
    async with steady_model(REPLIES) as model_url:

        def make(name: str, lease: timedelta = timedelta(seconds=30)) -> Journey:
            journey = Journey(
                slack=slack,
                store=store,
                zygote=bots,
                folder=tmp_path / name,
                redis_url=redis_url,
                model_url=model_url,
                lease=lease,
            )
            journey.prepare()
            return journey

        yield make
        await bots.kill_all()
