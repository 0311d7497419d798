"""Nobody takes everything: places at work and requests an hour, per person and channel."""

from datetime import timedelta

from runtime.schedule.records import Schedule
from runtime.schedule.store import Schedules
from tests.scenarios_budget.conftest import StageMaker
from tests.support.model import hang, say
from tests.support.redis import MoveClock
from tests.support.stage import BOT, DATA
from tests.waiting import wait_until


async def test_a_person_with_all_places_taken_waits_and_is_told_once(on_stage: StageMaker) -> None:
    """The second task begins when the first one ends; other people are not held up."""
    settings = "[fair]\nruns_per_person = 1\n"
    async with on_stage(hang(), settings=settings) as stage:
        first = await stage.ana.send(DATA, f"{BOT} one")
        stop = await stage.button(first, "Stop")
        await stage.model.wait_for_requests(1)
        second = await stage.ana.send(DATA, f"{BOT} two")
        await stage.slack.wait_message(DATA, second.ts, lambda m: "1 task under way" in m.words, "the note")
        stage.model.add(say("For Ben."))
        other = await stage.ben.send(DATA, f"{BOT} three")
        assert "For Ben." in (await stage.answer(other)).words
        stage.model.add(say("At last."))
        await stage.ana.click(stop, "Stop")
        assert "At last." in (await stage.answer(second)).words
        assert len([m for m in await stage.thread(second) if "under way" in m.words]) == 1


async def test_too_many_requests_within_an_hour_are_refused_privately(
    on_stage: StageMaker, move_clock: MoveClock
) -> None:
    """The person learns the limit and when there is room again; then it works."""
    settings = '[fair]\nrequests_per_person = 1\n[engine]\npark_after = "30d"\n'
    async with on_stage(say("One."), settings=settings) as stage:
        first = await stage.ana.send(DATA, f"{BOT} one")
        await stage.answer(first)
        second = await stage.ana.send(DATA, f"{BOT} two", first.ts)
        notice = await stage.slack.wait_message(
            DATA, first.ts, lambda m: "which is the limit" in m.words, "the private notice", user="U0ANA"
        )
        assert "Try again in" in notice.words
        await move_clock(stage.core.start.settings.timeouts.step * 4)
        stage.model.add(say("Two."))
        third = await stage.ana.send(DATA, f"{BOT} three")
        assert "Two." in (await stage.answer(third)).words
        assert second.ts < third.ts


async def test_nobody_waits_behind_scheduled_work(on_stage: StageMaker, move_clock: MoveClock) -> None:
    """Three schedules are due at once and hang: one is at work, and Ana, whose schedules they are, is answered."""
    settings = '[engine]\nconcurrency = 2\npark_after = "30d"\n[fair]\nruns_per_person = 1\n'
    async with on_stage(hang(), settings=settings) as stage:
        schedules = Schedules.beside(stage.core.store)
        for name in ("s1", "s2", "s3"):
            schedule = Schedule(
                id=name,
                owner="U0ANA",
                team="T0LOCAL",
                channel=DATA,
                target="channel",
                prompt="look",
                kind="interval",
                spec="1h",
                zone="UTC",
                created_ms=stage.core.desk.now_ms(),
            )
            await schedules.put(schedule, schedule.next_ms(schedule.created_ms))
        await move_clock(timedelta(hours=1, minutes=1))
        await stage.model.wait_for_requests(1)
        stage.model.add(say("At once."))
        sent = await stage.ana.send(DATA, f"{BOT} hello")
        assert "At once." in (await stage.answer(sent)).words
        begun = [one for one in await schedules.of("U0ANA") if one.fired_ms]
        assert len(begun) == 1
        for one in await schedules.of("U0ANA"):
            await schedules.drop(one.id)
        await stage.ana.slash(DATA, "/handrail", "stop")

        async def stopped() -> bool:
            rows = await stage.core.store.list_sessions()
            return all(row.status == "finished" for row in rows)

        await wait_until("the scheduled run has stopped", stopped)
