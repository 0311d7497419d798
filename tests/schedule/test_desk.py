"""What a person changes about their schedules, and what they are told where nothing was changed."""

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.listeners.access import Access
from bot.listeners.commands import Typed
from bot.listeners.scheduling import Scheduling
from runtime.schedule.desk import Desk, NoSuchSchedule, shown
from runtime.schedule.records import Schedule
from runtime.schedule.store import Schedules
from runtime.settings import AccessSettings
from runtime.store.redis_store import SessionStore
from tools.errors import ToolInputError

OVER = Schedule(
    id="s1",
    owner="U1",
    team="T",
    channel="C1",
    target="channel",
    prompt="Look.",
    kind="date",
    spec="2020-01-31T09:00",
    zone="UTC",
    paused=True,
    created_ms=1,
)


async def test_a_dated_schedule_that_is_over_is_not_resumed_and_the_person_is_told_so(store: SessionStore) -> None:
    """It stays as it was, and the words are about its time, not that there is none."""
    desk = Desk(sessions=store, schedules=Schedules.beside(store), zone="UTC")
    await desk.schedules.put(OVER, 0)
    with pytest.raises(ToolInputError, match="already over"):
        await desk.change_of("U1", "s1", "resume")
    with pytest.raises(NoSuchSchedule):
        await desk.change_of("U2", "s1", "resume")
    client = AsyncWebClient()
    access = Access(client=client, settings=AccessSettings(), teams=frozenset({"T"}))
    scheduling = Scheduling(client=client, desk=desk, access=access, team="T")
    typed = Typed(user="U1", team="T", channel="C1", word="schedule", rest="resume s1", trigger_id="1")
    assert "already over" in (await scheduling.command(typed)).text
    assert await desk.schedules.get("s1") == OVER
    assert "already over" in shown(OVER, desk.now_ms())
