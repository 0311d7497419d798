"""Getting nowhere is told from facts, and what is done about it goes further each time."""

from dataclasses import replace

import pytest

from runtime.agent.progress import doubt_of
from runtime.session.events import RunLimits, RunOutcome
from runtime.session.mind_events import DoubtKind, ProgressDoubted
from runtime.session.state import AgentState, RunState, StepState
from tests.agent.desk import Desk
from tests.agent.sample_tools import Echo
from tests.support.model import Invocation, Turn, call, calls, say


class Polls(Echo):
    """Asking again is what it is for."""

    name = "polls"
    polls = True


def again() -> Turn:
    """The same call."""
    return calls(call("echo", text="again"))


async def doubts(desk: Desk) -> list[ProgressDoubted]:
    """What was doubted, in order."""
    return [event for event in await desk.journal() if isinstance(event, ProgressDoubted)]


async def test_a_run_that_repeats_itself_is_helped_then_asked_about_then_ended(desk: Desk) -> None:
    """Hint, demand for a plan, question, end: each with its evidence in the journal, and each after new repeats."""
    desk.script(*[again() for _ in range(12)])
    await desk.hear("go")
    run = await desk.work()
    assert run.state is AgentState.WAITING
    assert len(desk.model.bodies) == 9
    asked = run.questions[run.open_question].asked
    assert asked.purpose == "no_progress"
    assert "echo" in asked.about["evidence"]
    await desk.answer("Go on")
    run = await desk.work()
    assert (run.outcome, run.detail) == (RunOutcome.LIMIT, "stuck")
    assert [event.rung for event in await doubts(desk)] == ["hint", "replan", "ask", "stop"]
    assert {event.doubt for event in await doubts(desk)} == {DoubtKind.SAME_CALL}
    assert all("3 times in a row: echo" in event.evidence for event in await doubts(desk))
    texts = [message.text for message in desk.model.requests[-1].messages if message.role == "user"]
    assert sum("try something different" in text for text in texts) == 1
    assert sum("Write a new plan" in text for text in texts) == 1


async def test_a_person_may_end_a_run_that_gets_nowhere(desk: Desk) -> None:
    """The question's other answer stops it."""
    desk.script(*[again() for _ in range(9)])
    await desk.hear("go")
    await desk.work()
    await desk.answer("Stop here")
    assert desk.run.outcome is RunOutcome.STOPPED


async def test_a_hint_that_helps_is_the_end_of_it(desk: Desk) -> None:
    """One repeated call costs one note, and the run goes on as if nothing had been."""
    desk.script(again(), again(), again(), calls(call("echo", text="else")), say("Done."))
    await desk.hear("go")
    assert (await desk.work()).answer == "Done."
    assert [event.rung for event in await doubts(desk)] == ["hint"]


@pytest.mark.parametrize(
    ("turns", "kind"),
    [
        ([calls(call("breaks", text=f"no row {n}")) for n in range(4)], DoubtKind.SAME_ERROR),
        ([calls(Invocation("echo", {"txet": f"{n}"})) for n in range(4)], DoubtKind.SAME_ERROR),
        ([calls(call("echo", text="ab"[n % 2])) for n in range(4)], DoubtKind.CYCLE),
        ([calls(call("echo", text="abc"[n % 3])) for n in range(9)], DoubtKind.NOTHING_NEW),
    ],
)
async def test_each_way_of_getting_nowhere_is_seen(desk: Desk, turns: list[Turn], kind: DoubtKind) -> None:
    """The same error under other arguments, to and fro, and a longer circle, each at its last scripted turn."""
    desk.script(*turns, say("I give up."))
    await desk.hear("go")
    await desk.work()
    assert [event.doubt for event in await doubts(desk)] == [kind]


@pytest.mark.parametrize(
    "turns",
    [
        [calls(call("polls", text="ready?")) for _ in range(8)],
        [calls(call("echo", text=f"{n}")) for n in range(20)],
        [
            turn
            for n in range(5)
            for turn in (calls(call("echo", text="run the tests")), calls(call("echo", text=f"edit {n}")))
        ],
    ],
)
async def test_work_that_only_looks_alike_raises_no_doubt(desk: Desk, turns: list[Turn]) -> None:
    """Polling that says so, many different calls, and tests between edits are progress."""
    desk.use(desk.context.tools.with_tools([Polls()]))
    desk.script(*turns, say("Done."))
    await desk.hear("go")
    assert (await desk.work()).answer == "Done."
    assert await doubts(desk) == []


APOLOGIES = (
    "I am sorry, I could not save the report.",
    "Unfortunately the report could not be saved.",
    "Apologies: saving the report failed again, sorry.",
    "Sorry, the report still is not saved.",
)
DIFFERENT = (
    "The orders of March are complete.",
    "In April two invoices carry a wrong date.",
    "Nobody has answered the mail from Lyon yet.",
    "The chart needs another axis for the costs.",
)


def said(*texts: str) -> RunState:
    """A run that did nothing but speak."""
    steps = tuple(StepState(number=n, seq=n, text=text, call_ids=()) for n, text in enumerate(texts, start=1))
    limits = RunLimits(steps=50, wall_ms=1, tokens=1, micros=1)
    run = RunState(
        run_id="r1",
        requester="U1",
        request_ts="1.0",
        agent="m",
        model="m",
        scripted=False,
        limits=limits,
        started_at_ms=0,
    )
    return replace(run, steps=steps)


def test_the_same_said_in_other_words_is_seen() -> None:
    """Apologies in varying words are one text said four times; four different findings are not, nor are three."""
    doubt = doubt_of(said(*APOLOGIES))
    assert doubt is not None
    assert doubt.kind is DoubtKind.SAME_WORDS
    assert APOLOGIES[-1] in doubt.evidence
    assert doubt_of(said(*DIFFERENT)) is None
    assert doubt_of(said(*APOLOGIES[:3])) is None


async def test_a_plan_that_nobody_touches_is_doubted(desk: Desk) -> None:
    """Many different calls without a step of the plan moving lead to a hint that names the open step."""
    plan = call("planning", command="create", title="P", steps=["count", "tell"])
    desk.script(calls(plan), *[calls(call("echo", text=f"{n}")) for n in range(25)], say("Done."), say("Done."))
    await desk.hear("go")
    await desk.work()
    (doubt,) = await doubts(desk)
    assert doubt.doubt is DoubtKind.PLAN_STANDS
    assert "count" in doubt.evidence
