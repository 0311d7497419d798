"""Deployments: processes are replaced one after the other while people work, also by ones of another version."""

import asyncio
import signal
from datetime import timedelta
from pathlib import Path

import pytest

from runtime.session.events import READER_VERSION, CallStarted
from tests.chaos.storm import Storm, storm
from tests.durability.conftest import MakeJourney
from tests.durability.journey import Journey
from tests.support.redis import advance
from tests.waiting import wait_until

ROUNDS = 2
LEASE = timedelta(seconds=30)
"""Nobody is frozen or killed here, and a process that the machine makes wait must not look as if it were."""
COMMANDS = (("serve", "--port", "0"), ("worker",), ("serve", "--port", "0"))


async def replace_each(raging: Storm) -> None:
    """Each process gets a successor, then a SIGTERM, and ends by itself."""
    for place, command in enumerate(COMMANDS):
        old, raging.bots[place] = raging.bots[place], await raging.start_bot(*command)
        await wait_until("the successor is at work", raging.bots[place].is_serving, within=120)
        old.signal(signal.SIGTERM)
        async with asyncio.timeout(120):
            await old.ended.wait()
        assert old.code == 0, old.log[-2000:]


@pytest.mark.timeout(600)
async def test_a_rolling_restart_under_load_loses_and_repeats_nothing(tmp_path: Path) -> None:
    """Every step is finished before its process ends: no call is begun twice, and nobody is asked about a lost one."""
    async with storm(tmp_path / "rolling", lease=LEASE) as raging:
        raging.bots = [await raging.start_bot(*command) for command in COMMANDS]
        for bot in raging.bots:
            await wait_until("the process is at work", bot.is_serving, within=120)
        people = [asyncio.create_task(raging.one_person(), name=f"person {n}") for n in range(3)]
        try:
            for _ in range(ROUNDS):
                await replace_each(raging)
        finally:
            raging.over = True
            await asyncio.gather(*people)
        await raging.calm()
        assert not await raging.judge()
        for journey in raging.journeys:
            attempts = [event.attempt for event in await journey.events() if isinstance(event, CallStarted)]
            assert set(attempts) == {1}, attempts
        assert raging.counts["questions about lost calls"] == 0


async def advance_lease(journey: Journey) -> None:
    """What a dead bot held is free."""
    await advance(journey.store.keys, journey.store, journey.lease * 2)


@pytest.mark.timeout(400)
async def test_a_rolling_upgrade_and_a_way_back_are_safe(new_journey: MakeJourney) -> None:
    """What the newer version has written waits for the newer version; the older one goes on with everything else."""
    journey, other = new_journey("upgraded"), new_journey("beside")
    newer = journey.plan("commit", 20, "dies before").model_copy(update={"version": READER_VERSION + 1})
    await journey.start(journey.plan("tool", 2, "dies after"))
    await journey.begin()
    await journey.bots[0].ended.wait()
    journey.journals.append([record.event for record in await journey.store.read_log(journey.sid)])
    await advance_lease(journey)
    await journey.start(newer)

    async def is_upgraded() -> bool:
        await journey.act(await journey.slack.messages("C0DATA", journey.thread, user="U0ANA"))
        return journey.bots[1].ended.is_set()

    await wait_until("the newer bot has worked and died", is_upgraded, within=120)
    before = await journey.kinds()
    await advance_lease(journey)
    await other.start()
    await other.begin()
    await other.until_done()
    assert await journey.kinds() == before
    await other.bots[-1].kill()
    await journey.start(journey.plan().model_copy(update={"version": READER_VERSION + 1}))
    await journey.until_done()
    await journey.check()
    await other.check()
