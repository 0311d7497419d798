"""Steps, time, tokens and money are bounded by the system, and a person can stop at any time."""

from tests.fundamentals.conftest import StageMaker
from tests.support.model import call, calls, hang, say
from tests.support.stage import BOT, DATA


async def test_a_limit_ends_the_run_with_what_it_has(on_stage: StageMaker) -> None:
    """A model that never finishes is stopped by its third step; a person adds more, or ends it in plain words."""
    endless = [calls(call("bash", command=f"echo {number}")) for number in range(3)]
    async with on_stage(*endless, settings="[budget.run]\nsteps = 3\n") as stage:
        sent = await stage.ana.send(DATA, f"{BOT} count")
        await stage.ana.click(await stage.button(sent, "End here"), "End here")
        assert "3 steps" in (await stage.answer(sent)).words


async def test_the_word_stop_ends_it_at_once(on_stage: StageMaker) -> None:
    """Even while the model has not answered yet; the sentence "if it fails, stop" would not."""
    async with on_stage(hang()) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} think hard, and if it fails, stop and tell me")
        await stage.button(sent, "Stop")
        await stage.model.wait_for_requests(1)
        await stage.ana.send(DATA, "stop", sent.ts)
        assert "Stopped by <@U0ANA>" in (await stage.answer(sent)).words


async def test_after_a_stop_the_thread_goes_on(on_stage: StageMaker) -> None:
    """The next message starts a new run that knows what was said."""
    async with on_stage(hang(), say("Here I am.")) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} think")
        stop = await stage.button(sent, "Stop")
        await stage.model.wait_for_requests(1)
        await stage.ana.click(stop, "Stop")
        await stage.answer(sent)
        await stage.ana.send(DATA, "are you there?", sent.ts)
        await stage.slack.wait_message(DATA, sent.ts, lambda m: "Here I am." in m.words, "the second answer")
