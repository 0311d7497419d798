"""A thread is a session: somebody mentions the bot, and the thread gets an answer."""

from tests.fundamentals.conftest import StageMaker
from tests.support.model import call, calls, say
from tests.support.stage import BOT, DATA


async def test_a_greeting_costs_one_model_request(on_stage: StageMaker) -> None:
    """A reply without a tool call ends the run with that text; nobody nudges the model to go on."""
    async with on_stage(say("Hello Ana.")) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} hello")
        answer = await stage.answer(sent)
        assert "Hello Ana." in answer.words
        assert "1 step" in answer.words
        assert len(stage.model.bodies) == 1


async def test_the_person_sees_a_sign_at_once(on_stage: StageMaker) -> None:
    """The reaction says that the message is recorded; it comes before any answer of the model."""
    async with on_stage(say("Hello.")) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} hello")
        await stage.slack.wait_message(DATA, sent.ts, lambda m: m.ts == sent.ts and "eyes" in m.reactions, "the eyes")
        await stage.answer(sent)


async def test_a_tool_runs_in_the_sandbox_and_the_model_reads_what_came_out(on_stage: StageMaker) -> None:
    """Python runs for real: the second request holds the result as a tool message."""
    async with on_stage(calls(call("python_execute", code="print(6 * 7)")), say("It is 42.")) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} what is six times seven")
        assert "It is 42." in (await stage.answer(sent)).words
        assert "42" in str(stage.model.bodies[1]["messages"])


async def test_a_follow_up_needs_no_mention_and_remembers(on_stage: StageMaker) -> None:
    """Replies in a thread the bot was called into continue the session, with everything said before."""
    async with on_stage(say("Hello Ana."), say("You said hello.")) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} hello")
        await stage.answer(sent)
        await stage.ana.send(DATA, "what did I say?", sent.ts)
        await stage.slack.wait_message(DATA, sent.ts, lambda m: "You said hello." in m.words, "the second answer")
        assert "hello" in str(stage.model.bodies[1]["messages"])
