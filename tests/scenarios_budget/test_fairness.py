"""Nobody takes everything: places at work and requests an hour, per person and channel."""

from tests.scenarios_budget.conftest import StageMaker
from tests.support.model import hang, say
from tests.support.redis import MoveClock
from tests.support.stage import BOT, DATA


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
