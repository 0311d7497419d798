"""The short storm of the suite."""

from pathlib import Path

import pytest

from tests.chaos.__main__ import through
from tests.chaos.storm import storm

SECONDS = 20.0


@pytest.mark.timeout(600)
async def test_a_short_storm_breaks_no_promise(tmp_path: Path) -> None:
    """Three replicas, kills, pauses longer than the lease, a dying Redis, duplicates and double clicks."""
    async with storm(tmp_path / "storm") as raging:
        broken = await through(raging, SECONDS)
        assert not broken, broken
        assert raging.counts["answers"] == raging.counts["threads"] > 0
        assert raging.counts["bots killed"] > 0
