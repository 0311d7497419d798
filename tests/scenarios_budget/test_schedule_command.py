"""`/handrail schedule`: work for later without a thread, confirmed with its next times, listed, paused, deleted."""

import re
from datetime import timedelta

import pytest

from bot import texts_schedule, texts_surface
from runtime.schedule.store import Schedules
from tests.scenarios_budget.conftest import StageMaker
from tests.support.model import say
from tests.support.redis import MoveClock
from tests.support.stage import DATA, FOOTER, Stage
from tests.waiting import wait_until

pytestmark = pytest.mark.usefixtures("noon")
ALWAYS = '[engine]\npark_after = "90d"\n'


async def told(stage: Stage, words: str, user: str = "U0ANA") -> str:
    """What a person was told privately that holds some words."""
    found = await stage.slack.wait_message(
        DATA, None, lambda m: m.is_ephemeral and words in m.words + m.text, words, user=user
    )
    return found.words + found.text


async def keep(stage: Stage, words: str, where: str) -> str:
    """Arrange something through the form; its id."""
    await stage.ana.slash(DATA, "/handrail", f"schedule {words}")
    view = await stage.ana.wait_view("the form")
    assert texts_schedule.TITLE in str(view.raw)
    assert len(re.findall(r"\w+day \d{4}-\d\d-\d\d \d\d:\d\d", view.words)) == 3
    assert "Europe/Berlin" in view.words
    await stage.ana.submit_view(view, {"where": where})
    done = await stage.ana.wait_view("what came of it")
    (kept,) = await Schedules.beside(stage.core.store).of("U0ANA")
    assert kept.id in done.words
    await stage.ana.close_view(done)
    return kept.id


async def test_it_is_kept_once_confirmed_and_delivers_to_the_channel(
    on_stage: StageMaker, move_clock: MoveClock
) -> None:
    """The form shows the next three times in the person's zone; the answer stands in a thread of its own."""
    async with on_stage(say("All is well."), settings=ALWAYS) as stage:
        await keep(stage, "every 2 hours look at the imports", "channel")
        await move_clock(timedelta(hours=2, minutes=1))
        first = await stage.slack.wait_message(
            DATA, None, lambda m: "Scheduled for <@U0ANA>: look at the imports" in m.words, "the first message"
        )
        answer = await stage.slack.wait_message(DATA, first.ts, lambda m: FOOTER in m.words, "the answer")
        assert "All is well." in answer.words


async def test_it_delivers_to_a_direct_message(on_stage: StageMaker, move_clock: MoveClock) -> None:
    """Nobody of the channel sees it."""
    async with on_stage(say("Told."), settings=ALWAYS) as stage:
        await keep(stage, "every 2 hours tell me", "dm")
        await move_clock(timedelta(hours=2, minutes=1))
        first = await stage.slack.wait_message(
            stage.ana.direct, None, lambda m: "Scheduled for <@U0ANA>: tell me" in m.words, "the first message"
        )
        answer = await stage.slack.wait_message(stage.ana.direct, first.ts, lambda m: FOOTER in m.words, "the answer")
        assert "Told." in answer.words
        assert not [m for m in await stage.slack.messages(DATA, None) if "Scheduled for" in m.words]


async def test_it_lists_pauses_resumes_and_deletes_only_ones_own(on_stage: StageMaker, move_clock: MoveClock) -> None:
    """What is paused does not run; somebody else's cannot be touched."""
    async with on_stage(settings=ALWAYS) as stage:
        await stage.ana.slash(DATA, "/handrail", "schedule")
        await told(stage, texts_schedule.NOTHING)
        schedule = await keep(stage, "every weekday at 9:00 look", "channel")
        await stage.ana.slash(DATA, "/handrail", "schedule list")
        assert "09:00" in await told(stage, f"{schedule}` look")
        await stage.ben.slash(DATA, "/handrail", f"schedule delete {schedule}")
        await told(stage, f"You have no schedule `{schedule}`", "U0BEN")
        await stage.ana.slash(DATA, "/handrail", f"schedule pause {schedule}")
        await told(stage, f"`{schedule}` is paused")
        await move_clock(timedelta(days=8))
        schedules = Schedules.beside(stage.core.store)
        assert not await schedules.take()
        await stage.ana.slash(DATA, "/handrail", f"schedule resume {schedule}")
        await told(stage, f"`{schedule}` goes on")
        await stage.ana.slash(DATA, "/handrail", f"schedule delete {schedule}")
        await told(stage, f"`{schedule}` is deleted")
        assert not await schedules.of("U0ANA")


async def test_what_cannot_be_arranged_is_said(on_stage: StageMaker) -> None:
    """An unreadable time with examples; a form of somebody else's draft; a channel without the bot."""
    async with on_stage(settings=ALWAYS) as stage:
        await stage.ana.slash(DATA, "/handrail", "schedule look at it sometimes")
        assert "every weekday at 9:00" in await told(stage, "I can't tell from this")
        await stage.ana.slash(DATA, "/handrail", "schedule on 2020-01-31 at 9:00 look")
        await told(stage, "is already over")
        await stage.ana.slash(DATA, "/handrail", "schedule every day at 9:00 look")
        view = await stage.ana.wait_view("the form")
        await stage.slack.set_member(DATA, "U0HANDRAIL", member=False)
        await stage.ana.submit_view(view, {})

        async def refused() -> bool:
            views = await stage.ana.views()
            return bool(views) and texts_surface.NOT_A_MEMBER in views[-1].words

        await wait_until("the form says that the bot is not there", refused)
        assert not await Schedules.beside(stage.core.store).of("U0ANA")


async def test_deleting_ones_data_deletes_ones_schedules(on_stage: StageMaker) -> None:
    """Nothing runs in the name of somebody who wanted to be forgotten."""
    async with on_stage(settings=ALWAYS) as stage:
        await keep(stage, "every day at 9:00 look", "dm")
        await stage.ana.slash(DATA, "/handrail", "forget")
        view = await stage.ana.wait_view("the question")
        await stage.ana.submit_view(view, {})
        await told(stage, "Deleted 0 threads")
        assert not await Schedules.beside(stage.core.store).of("U0ANA")
