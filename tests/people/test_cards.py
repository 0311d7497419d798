"""What stands on a card: several calls, a retry, a call that is long or too large, and an end to floods of cards."""

from bot import texts, texts_people
from tests.people.conftest import StageMaker, asked, bash_asks, done, once, seen
from tests.support.model import call, calls, say


async def test_several_risky_calls_of_one_step_stand_on_one_card(on_stage: StageMaker) -> None:
    """One decision; each call keeps its own exact text, and its own outcome afterwards."""
    turn = calls(call("bash", command="echo one > one.txt"), call("bash", command="exit 3"))
    async with on_stage(turn, say("The second failed with exit code 3."), settings=bash_asks()) as stage:
        sent = await asked(stage)
        card = await stage.button(sent, "Approve")
        assert texts_people.several(2) in card.words
        assert "echo one &gt; one.txt" in card.words
        assert "exit 3" in card.words
        await stage.ana.click(card, "Approve")
        await stage.answer(sent)
        closed = await seen(stage, sent, "2. Ran with an error.")
        assert "1. Ran." in closed.words
        assert "Exit 3." in closed.words
        assert len([m for m in await stage.thread(sent) if "Approved by" in m.words]) == 1


async def test_a_denied_card_of_several_calls_runs_none(on_stage: StageMaker) -> None:
    """Each call gets the denial as its observation."""
    turn = calls(call("bash", command="echo 1 > 1.txt"), call("bash", command="echo 2 > 2.txt"))
    async with on_stage(turn, say("They were not approved and failed."), settings=bash_asks()) as stage:
        sent = await asked(stage)
        card = await stage.button(sent, "Deny")
        await stage.ana.click(card, "Deny")
        await stage.ana.submit_view(await stage.ana.wait_view("the form"), {})
        await stage.answer(sent)
        assert [m.text.startswith("[denied]") for m in stage.model.requests[-1].messages[-2:]] == [True, True]
        assert not await done(stage, sent, "1.txt")
        assert not await done(stage, sent, "2.txt")


async def test_a_retry_names_the_attempt_and_the_error_before(on_stage: StageMaker) -> None:
    """Whoever decides sees that it is the second try, and what became of the first."""
    turns = (calls(call("bash", command="echo boom >&2; exit 7")), calls(call("bash", command="exit 0")), say("Ok."))
    async with on_stage(*turns, settings=bash_asks()) as stage:
        sent = await asked(stage)
        await stage.ana.click(await stage.button(sent, "Approve"), "Approve")
        second = await seen(stage, sent, "Attempt 2. The one before said:")
        assert "boom" in second.words
        await stage.ana.click(second, "Approve")
        await stage.answer(sent)


async def test_too_many_cards_in_a_short_time_stop_the_run(on_stage: StageMaker) -> None:
    """The thread says why, and nothing more is asked."""
    settings = bash_asks() + "\n[policy.cards]\ncount = 2"
    turns = [calls(call("bash", command=f"echo {number}")) for number in range(3)]
    async with on_stage(*turns, settings=settings) as stage:
        sent = await asked(stage)
        for number in range(2):
            card = await stage.slack.wait_message(
                sent.channel,
                sent.ts,
                lambda m, text=f"echo {number}": m.has_button("Approve") and text in m.words,
                "the next card",
            )
            await stage.ana.click(card, "Approve")
        assert texts_people.TOO_MANY_CARDS in (await stage.answer(sent)).words


async def test_a_call_too_long_for_the_card_is_there_in_full_and_can_be_decided(on_stage: StageMaker) -> None:
    """Row 45 of the reports: ten thousand characters make a valid card, the whole of it in a modal and as a file."""
    command = "\n".join(f"echo line {number:05d}" for number in range(700))
    async with on_stage(*once(command), settings=bash_asks()) as stage:
        sent = await asked(stage)
        card = await stage.button(sent, "Approve")
        assert "line 00699" not in card.words
        await stage.ana.click(card, texts.SHOW_CALL)
        assert "line 00699" in (await stage.ana.wait_view("the whole call")).words
        file = (await stage.slack.wait_message(sent.channel, sent.ts, lambda m: bool(m.files), "the file")).files[0]
        assert b"line 00699" in await stage.ana.download(file)
        await stage.ana.click(card, "Approve")
        await stage.answer(sent)


async def test_a_call_too_large_to_be_shown_cannot_be_approved(on_stage: StageMaker) -> None:
    """Nobody is asked; the model is told to split it."""
    turn = calls(call("str_replace_editor", command="create", path="a", file_text="x" * 450_000))
    settings = '[[policy.rules]]\ntool = "str_replace_editor"\nverdict = "ask"'
    async with on_stage(turn, say("Split."), settings=settings) as stage:
        sent = await asked(stage)
        await stage.answer(sent)
        assert "too large to be shown to a person in full" in stage.model.requests[-1].messages[-1].text
        assert [m for m in await stage.thread(sent) if m.has_button("Approve")] == []
