"""Waiting for a person is a state in the journal, not a process that sleeps."""

from tests.fundamentals.conftest import StageMaker
from tests.support.model import call, calls, say
from tests.support.slack import LocalSlack
from tests.support.stage import BOT, DATA, passable_folder, staged

ASK = calls(call("ask_human", question="Which import?", choices=["Nightly", "Hourly"]))


async def test_a_button_answers_and_the_card_freezes(on_stage: StageMaker) -> None:
    """The choice reaches the model in the words of the question, and the card says who answered what."""
    async with on_stage(ASK, say("Nightly it is.")) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} why did the import drop rows")
        card = await stage.button(sent, "Nightly")
        await stage.ana.click(card, "Nightly")
        await stage.answer(sent)
        assert "answered: Nightly" in str(stage.model.bodies[1]["messages"])
        frozen = next(message for message in await stage.thread(sent) if message.ts == card.ts)
        assert not frozen.elements
        assert "<@U0ANA>" in frozen.words


async def test_a_typed_reply_of_the_person_asked_answers_too(on_stage: StageMaker) -> None:
    """Nobody has to find the button again."""
    async with on_stage(ASK, say("The one of 2 am.")) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} why did the import drop rows")
        await stage.button(sent, "Nightly")
        await stage.ana.send(DATA, "the one of 2 am", sent.ts)
        await stage.answer(sent)
        assert "the one of 2 am" in str(stage.model.bodies[1]["messages"])


async def test_no_process_has_to_be_there_while_it_waits(slack: LocalSlack, redis_url: str) -> None:
    """The bot goes away with the question open; another one takes the click and goes on."""
    async with passable_folder() as folder:
        async with staged(slack, redis_url, [ASK], folder=folder) as before:
            sent = await before.ana.send(DATA, f"{BOT} why did the import drop rows")
            card = await before.button(sent, "Hourly")
        async with staged(slack, redis_url, [say("Hourly it is.")], folder=folder) as after:
            await after.ana.click(card, "Hourly")
            assert "Hourly it is." in (await after.answer(sent)).words
