"""A call that asks a person while it waits: journalled, answered once, on a clock that stands still, closed with it."""

import asyncio
import time
from datetime import timedelta
from typing import ClassVar

import pytest

from runtime.session.ahead import RunOver
from runtime.session.entries import AnswerEntry, DeadlineEntry, MessageEntry, StopEntry
from runtime.session.events import QuestionAnswered, QuestionAsked
from runtime.session.state import AgentState
from tests.agent.desk import Desk
from tests.agent.sample_tools import Echo, Words
from tests.support.model import call, calls, say
from tests.waiting import wait_until
from tools.base import Effect, ToolResult
from tools.collection import ToolCollection
from tools.context import ToolContext
from tools.question import PersonAsked


class Asks(Echo):
    """Cannot end before a person answered."""

    name: ClassVar[str] = "asks"
    effect: ClassVar[Effect] = Effect.AT_MOST_ONCE

    async def run(self, params: Words, context: ToolContext) -> ToolResult:
        """Ask, within a bound of its own that is shorter than a person."""
        assert context.ask
        async with context.patience.bound(timedelta(milliseconds=int(params.text or 10_000))):
            answer = await context.ask(PersonAsked(question="Really?", choices=("Yes", "Decline")))
        return ToolResult(output=f"heard {answer}")


class AsksOften(Asks):
    """Asks as often as it is told to."""

    name: ClassVar[str] = "asks"

    async def run(self, params: Words, context: ToolContext) -> ToolResult:
        """Ask one question after the other."""
        assert context.ask
        heard = [await context.ask(PersonAsked(question=f"{n}?", choices=("Yes",))) for n in range(int(params.text))]
        return ToolResult(output=" ".join(map(str, heard)))


async def asking(desk: Desk, text: str = "", *, ends: bool = True) -> asyncio.Task[object]:
    """The agent at work in a call that has just asked."""
    desk.use(ToolCollection([Asks()]))
    desk.script(calls(call("asks", text=text)), *([say("Done.")] if ends else []))
    await desk.hear("go")
    work = asyncio.create_task(desk.work())
    await wait_until("the question stands", lambda: desk.run.open_question)
    return work


async def test_the_answer_goes_to_the_call_and_the_clock_stood_still(desk: Desk) -> None:
    """The run shows as waiting and its call goes on with the answer, however little time it had left."""
    began = time.monotonic()
    work = await asking(desk, text="1")
    assert desk.run.state is AgentState.WAITING
    await wait_until("the clock on the wall went on", lambda: time.monotonic() > began + 0.2)
    await desk.answer("Yes")
    await work
    passed = timedelta(seconds=time.monotonic() - began)
    result = desk.run.calls["r1.1.0"].result
    assert result
    assert (result.output, desk.run.answer) == ("heard Yes", "Done.")
    waited = desk.context.patience.waited
    assert waited
    assert result.elapsed_ms <= (passed - waited) / timedelta(milliseconds=1) + 1
    asked, answered = [e for e in await desk.journal() if isinstance(e, QuestionAsked | QuestionAnswered)]
    assert isinstance(asked, QuestionAsked)
    assert (asked.purpose, asked.call_id, answered.question_id) == ("server_asks", "r1.1.0", "r1.1.0.s1.1")


async def test_nobody_answers_in_time(desk: Desk) -> None:
    """After five minutes the call hears that, and goes on without an answer."""
    work = await asking(desk)
    asked = desk.run.questions[desk.run.open_question]
    assert 290_000 < asked.asked.expires_at_ms - asked.at_ms <= 300_000
    await desk.take_in(DeadlineEntry(entry_id="d", name="question", about=desk.run.open_question))
    await work
    result = desk.run.calls["r1.1.0"].result
    assert result
    assert result.output == "heard None"


@pytest.mark.parametrize(("typed", "open_after"), [("yes", ""), ("I am back from lunch", "r1.1.0.s1.1")])
async def test_only_the_words_of_a_choice_are_a_typed_answer(typed: str, open_after: str, desk: Desk) -> None:
    """Anything else that is said meanwhile is a message for the model."""
    work = await asking(desk)
    await desk.take_in(MessageEntry(entry_id="m", ts="3.0", user="U1", text=typed, mentions_bot=False))
    assert desk.run.open_question == open_after
    if open_after:
        await desk.answer("Decline")
    await work


async def test_a_stop_ends_the_wait(desk: Desk) -> None:
    """The run ends, and so does the call; nothing is left that waits."""
    work = await asking(desk, ends=False)
    await desk.take_in(StopEntry(entry_id="s", by="U1", before_ts="9.0", how="word"))
    with pytest.raises(RunOver):
        await work


async def test_a_call_that_is_given_up_takes_its_question_along(desk: Desk) -> None:
    """A worker that has to let go closes the question, so that nobody answers into the void."""
    work = await asking(desk, ends=False)
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert (desk.run.open_question, desk.run.state) == ("", AgentState.RUNNING)
    assert (await desk.kinds())[-1] == "question_answered"


async def test_the_questions_of_one_attempt_have_one_allowance(desk: Desk) -> None:
    """Ten in all, and the later ones have only the time that the earlier ones left; then nobody is asked."""
    desk.use(ToolCollection([AsksOften()]))
    desk.script(calls(call("asks", text="12")), say("Done."))
    await desk.hear("go")
    work = asyncio.create_task(desk.work())
    for number in range(1, 11):
        await wait_until("the next question stands", lambda n=number: desk.run.open_question == f"r1.1.0.s1.{n}")
        entry = {"entry_id": f"a{number}", "question_id": desk.run.open_question, "answer": "Yes"}
        await desk.take_in(AnswerEntry.model_validate(entry | {"by": "U1", "how": "button"}))
    await work
    result = desk.run.calls["r1.1.0"].result
    assert result
    assert result.output == " ".join(["Yes"] * 10 + ["None"] * 2)
    asked = [one for one in await desk.journal() if isinstance(one, QuestionAsked)]
    waits = [desk.run.questions[one.question_id] for one in asked]
    times = [one.asked.expires_at_ms - one.at_ms for one in waits]
    assert len(times) == 10
    assert times[-1] < 300_000
