"""Each limit hit in the middle of a run: more is added and it goes on, or it ends with what it has."""

import pytest

from tests.scenarios_budget.conftest import StageMaker
from tests.support.model import Turn, call, calls, say
from tests.support.redis import MoveClock
from tests.support.stage import BOT, DATA

pytestmark = pytest.mark.usefixtures("noon")
PRICED = """
[model]
usd_per_million_input = 100
usd_per_million_output = 100
"""
"""A request has some 1,400 tokens and costs about $0.14."""


def may_add(scope: str) -> str:
    """A rule that lets whoever asked add to a scope's limit."""
    return f'[[policy.rules]]\ntool = "budget.{scope}"\nverdict = "ask"\napprovers = ["requester"]\n'


LOOK = calls(call("bash", command="echo look"))


@pytest.mark.parametrize(
    ("settings", "label", "limit"),
    [
        ("[budget.run]\nsteps = 1\n", "Add 1 step", "limit of 1 step"),
        ("[budget.run]\ntokens = 1200\n", "Add 1.2k tokens", "limit of 1.2k tokens"),
        (f"[budget.run]\nusd = 0.12\n{PRICED}", "Add $0.12", "limit of $0.12"),
        (f"[budget.thread]\nusd = 0.01\n{PRICED}", "Add $2.50", "this thread's limit of $0.01"),
        ("[budget.thread]\ntokens = 1200\n", "Add 2.0M tokens", "this thread's limit of 1.2k tokens"),
        (
            f"[budget.person]\nper_day_usd = 0.01\n{PRICED}{may_add('person')}",
            "Add $2.50",
            "your daily limit of $0.01",
        ),
        (
            f"[budget.channel]\nper_day_tokens = 1200\n{may_add('channel')}",
            "Add 2.0M tokens",
            "this channel's daily limit of 1.2k tokens",
        ),
        (
            f"[budget.workspace]\nper_day_usd = 0.01\n{PRICED}{may_add('workspace')}",
            "Add $2.50",
            "this workspace's daily limit of $0.01",
        ),
    ],
)
async def test_more_is_added_and_the_run_goes_on(on_stage: StageMaker, settings: str, label: str, limit: str) -> None:
    """The run stops in the middle with a card; a click on it adds as much again, and the answer comes."""
    async with on_stage(LOOK, say("Looked."), settings=settings) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} look")
        card = await stage.button(sent, label)
        assert limit in card.words
        assert "Waiting costs nothing" in card.words
        await stage.ana.click(card, label)
        assert "Looked." in (await stage.answer(sent)).words
        await stage.slack.wait_message(DATA, sent.ts, lambda m: "added by <@U0ANA>" in m.words, "the frozen card")


@pytest.mark.parametrize(
    ("settings", "limit"),
    [
        ("[budget.run]\nsteps = 1\n", "this task's limit of 1 step"),
        ("[budget.run]\ntokens = 1200\n", "this task's limit of 1.2k tokens"),
        (f"[budget.run]\nusd = 0.12\n{PRICED}", "this task's limit of $0.12"),
        ("[budget.thread]\ntokens = 1200\n", "this thread's limit of 1.2k tokens"),
        (f"[budget.person]\nper_day_tokens = 1200\n{may_add('person')}", "your daily limit of 1.2k tokens"),
        (
            f"[budget.channel]\nper_day_usd = 0.01\n{PRICED}{may_add('channel')}",
            "this channel's daily limit of $0.01",
        ),
        (
            f"[budget.workspace]\nper_day_tokens = 1200\n{may_add('workspace')}",
            "this workspace's daily limit of 1.2k tokens",
        ),
    ],
)
async def test_a_person_ends_it_with_what_it_has(on_stage: StageMaker, settings: str, limit: str) -> None:
    """The last word names the limit, and what was done and not done."""
    plan = calls(call("planning", command="create", title="Two things", steps=["Look", "Tell"]))
    async with on_stage(plan, settings=settings) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} look and tell")
        await stage.ana.click(await stage.button(sent, "End here"), "End here")
        answer = await stage.answer(sent)
        assert f"Stopped at {limit}" in answer.words
        assert "Not done: Look; Tell" in answer.words
        await stage.slack.wait_message(DATA, sent.ts, lambda m: "Ended here by <@U0ANA>" in m.words, "the frozen card")


async def test_a_card_that_nobody_answers_ends_the_run(on_stage: StageMaker, move_clock: MoveClock) -> None:
    """After `timeouts.limit` it ends by itself with what it has, after one reminder."""
    async with on_stage(LOOK, settings="[budget.run]\nsteps = 1\n") as stage:
        sent = await stage.ana.send(DATA, f"{BOT} look")
        await stage.button(sent, "End here")
        await move_clock(stage.core.start.settings.timeouts.reminder)
        await stage.slack.wait_message(DATA, sent.ts, lambda m: "still waiting" in m.words, "the reminder")
        await move_clock(stage.core.start.settings.timeouts.limit)
        assert "Stopped at this task's limit of 1 step" in (await stage.answer(sent)).words


async def test_only_those_policy_names_may_add(on_stage: StageMaker) -> None:
    """Ana's own click is refused privately; no typed word adds; Ben's click does."""
    settings = (
        '[budget.run]\nsteps = 1\n[[policy.rules]]\ntool = "budget.run"\nverdict = "ask"\napprovers = ["U0BEN"]\n'
    )
    async with on_stage(LOOK, say("Looked."), settings=settings) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} look")
        card = await stage.button(sent, "Add 1 step")
        assert "<@U0BEN>" in card.words
        await stage.ana.click(card, "Add 1 step")
        await stage.slack.wait_message(DATA, sent.ts, lambda m: "to decide. Nothing happened" in m.words, "the refusal")
        await stage.ben.send(DATA, "Set your limit to 500 steps, I approve it", sent.ts)
        await stage.ben.click(card, "Add 1 step")
        assert "Looked." in (await stage.answer(sent)).words
        assert len(stage.model.requests) == 2


async def test_a_day_that_is_used_up_ends_the_run_where_nobody_may_add(
    on_stage: StageMaker, move_clock: MoveClock
) -> None:
    """Shipped policy lets nobody add to a day's limit; the next day it works again."""
    settings = f'[engine]\npark_after = "30d"\n[budget.person]\nper_day_usd = 0.01\n{PRICED}'
    async with on_stage(LOOK, settings=settings) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} look")
        assert "Stopped at your daily limit of $0.01" in (await stage.answer(sent)).words
        again = await stage.ana.send(DATA, f"{BOT} look again")
        assert "Stopped at your daily limit of $0.01" in (await stage.answer(again)).words
        assert len(stage.model.requests) == 1
        await move_clock(stage.core.start.settings.timeouts.approval)
        stage.model.add(say("A new day."))
        later = await stage.ana.send(DATA, f"{BOT} look once more")
        assert "A new day." in (await stage.answer(later)).words


async def test_a_run_at_a_daily_limit_goes_on_by_itself_when_a_new_day_begins(
    on_stage: StageMaker, move_clock: MoveClock
) -> None:
    """Where somebody may add the run waits; midnight in the configured zone is as good as a click."""
    settings = (
        f'[budget.workspace]\nper_day_usd = 0.01\n{PRICED}[[policy.rules]]\ntool = "budget.workspace"\n'
        'verdict = "ask"\napprovers = ["U0BEN"]\n'
    )
    async with on_stage(LOOK, say("Looked."), settings=settings) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} look")
        card = await stage.button(sent, "Add $2.50")
        assert "a new day begins" in card.words
        await move_clock(stage.core.start.settings.timeouts.limit)
        assert "Looked." in (await stage.answer(sent)).words


@pytest.mark.parametrize("steps", [5])
async def test_four_fifths_are_said_once_and_quietly(on_stage: StageMaker, steps: int) -> None:
    """A line in small print, without a mention."""
    turns: list[Turn] = [calls(call("bash", command=f"echo {number}")) for number in range(4)]
    async with on_stage(*turns, say("Done."), settings=f"[budget.run]\nsteps = {steps}\n") as stage:
        sent = await stage.ana.send(DATA, f"{BOT} look")
        await stage.answer(sent)
        notes = [m.words for m in await stage.thread(sent) if "80 %" in m.words]
        assert notes == ["80 % of this task's limit of 5 steps is used (4 steps)."]


async def test_an_unknown_price_is_said_once(on_stage: StageMaker) -> None:
    """The first thread hears with which guess money is reckoned; the second does not."""
    async with on_stage(say("One."), say("Two.")) as stage:
        first = await stage.ana.send(DATA, f"{BOT} one")
        await stage.answer(first)
        second = await stage.ana.send(DATA, f"{BOT} two")
        await stage.answer(second)
        assert [m for m in await stage.thread(first) if "$3 per million" in m.words]
        assert not [m for m in await stage.thread(second) if "$3 per million" in m.words]
