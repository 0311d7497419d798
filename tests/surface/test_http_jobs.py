"""What happens by itself happens over HTTP as well: schedules of one workspace, and of each that installed the app."""

from datetime import timedelta
from pathlib import Path

from bot import texts_schedule
from runtime.schedule.presence import present
from runtime.schedule.records import Schedule
from runtime.schedule.store import Schedules
from runtime.store.redis_store import SessionStore
from tests.support.model import say
from tests.support.redis import MoveClock
from tests.support.slack import LocalSlack
from tests.support.stage import DATA, FOOTER
from tests.surface.http_stage import http_stage
from tests.surface.test_http import single, two_workspaces
from tests.waiting import wait_until

ANA_SAYS = "Scheduled for <@U0ANA>: look"


async def test_a_schedule_made_over_http_runs(slack: LocalSlack, redis_url: str, move_clock: MoveClock) -> None:
    """The command's form, the owner's time zone, the run and its answer."""
    async with http_stage(single(slack), redis_url, [say("All is well.")]) as stage:
        await slack.control("POST", "reset", {"scene": {"events_url": stage.events}})
        ana = slack.person("U0ANA")
        await ana.slash(DATA, "/handrail", "schedule every 2 hours look")
        view = await ana.wait_view("the form")
        assert "Europe/Berlin" in view.words
        await ana.submit_view(view, {"where": "channel"})
        assert texts_schedule.DONE_TITLE in str((await ana.wait_view("what came of it")).raw)
        await move_clock(timedelta(hours=2, minutes=1))
        first = await slack.wait_message(DATA, None, lambda m: ANA_SAYS in m.words, "the first message")
        await slack.wait_message(DATA, first.ts, lambda m: FOOTER in m.words, "the answer")
        assert await present(stage.core.store) == [stage.core.worker_name]


async def test_each_workspace_gets_its_own_schedules_and_none_after_it_left(
    tmp_path: Path, redis_url: str, store: SessionStore
) -> None:
    """The message comes in the schedule's own workspace; an uninstalled one leaves no schedule behind."""
    async with two_workspaces(tmp_path, redis_url, [say("Looked.")]) as (front, stage):
        schedules = Schedules.beside(store)
        for team, due_ms in (("T0OTHER", 1), ("T0GONE", 1), ("T0LOCAL", 4_000_000_000_000)):
            schedule = Schedule(
                id=f"s-{team}",
                owner="U0ANA",
                team=team,
                channel=DATA,
                target="channel",
                prompt="look",
                kind="interval",
                spec="1h",
                zone="UTC",
                created_ms=1,
            )
            await schedules.put(schedule, due_ms)
        first, second = front.slacks.values()
        await second.wait_message(DATA, None, lambda m: ANA_SAYS in m.words, "the message of the second workspace")
        assert not [m for m in await first.messages(DATA, None) if ANA_SAYS in m.words]

        async def rescheduled() -> bool:
            kept = await schedules.get("s-T0OTHER")
            return kept is not None and kept.fired_ms == 1

        await wait_until("it has begun", rescheduled)
        await first.deliver({"type": "app_uninstalled", "event_ts": "1.2"})

        async def deleted() -> bool:
            return await schedules.get("s-T0LOCAL") is None

        await wait_until("the schedules of the workspace that left are deleted", deleted)
        assert len(await schedules.all()) == 2
        await stage.model.wait_for_requests(1)
        stage.model.turns.clear()
