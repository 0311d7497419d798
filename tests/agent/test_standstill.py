"""What is a standstill and what is not: waiting, errors of programs, results that carry the time, doubts long ago."""

from typing import ClassVar

import pytest

from bot.render import answer
from runtime.agent.likeness import error_class
from runtime.session.mind_events import DoubtKind
from runtime.session.state import AgentState
from tests.agent.desk import SECRET, Desk
from tests.agent.sample_tools import Echo, Words
from tests.agent.test_progress import Polls, doubts
from tests.support.model import call, calls, say
from tools.base import Risk, ToolResult
from tools.context import ToolContext


class Program(Echo):
    """A program that fails with the words it is given, worded like the tools that run programs."""

    name: ClassVar[str] = "program"

    async def run(self, params: Words, context: ToolContext) -> ToolResult:
        """Its exit code, then its own words."""
        return ToolResult(output=f"exit code 1\n{params.text}", is_error=True, exit_code=1)


class Clock(Echo):
    """What it says carries a count that grows with each call."""

    name: ClassVar[str] = "clock"

    def __init__(self) -> None:
        self.count = 0

    async def run(self, params: Words, context: ToolContext) -> ToolResult:
        """The words and how often it was called."""
        self.count += 1
        return ToolResult(output=f"{params.text} at 12:00:{self.count:02}")


class Finds(Echo):
    """Looks something up and says what its maker wants."""

    name: ClassVar[str] = "finds"
    risk: ClassVar[Risk] = Risk.READ

    def __init__(self, answer: str) -> None:
        self.answer = answer

    async def run(self, params: Words, context: ToolContext) -> ToolResult:
        """The same words each time, with what was asked for in their place."""
        return ToolResult(output=self.answer.format(asked=params.text))


@pytest.mark.parametrize("polls", [26, 70])
async def test_waiting_for_a_step_of_the_plan_is_no_standstill(desk: Desk, polls: int) -> None:
    """Polls leave the plan as it is for as long as they take, also where the first of them are not known any more."""
    desk.configure("[budget.run]\nsteps = 300\n")
    desk.use(desk.context.tools.with_tools([Polls()]))
    made = call("planning", command="create", title="P", steps=["wait for the job"])
    done = call("planning", command="mark", step_index=0, step_status="completed")
    desk.script(calls(made), *[calls(call("polls", text="ready?"))] * polls, calls(done), say("Done."))
    await desk.hear("go")
    assert (await desk.work()).answer == "Done."
    assert await doubts(desk) == []


async def test_a_plan_stands_still_although_there_are_polls_between(desk: Desk) -> None:
    """Polls do not hide that the work beside them leads nowhere."""
    desk.use(desk.context.tools.with_tools([Polls()]))
    made = call("planning", command="create", title="P", steps=["count"])
    work = [calls(call("echo", text=f"{n}")) for n in range(25)]
    turns = [*work[:12], calls(call("polls", text="ready?")), *work[12:]]
    desk.script(calls(made), *turns, say("Done."), say("Done."))
    await desk.hear("go")
    await desk.work()
    assert [doubt.doubt for doubt in await doubts(desk)] == [DoubtKind.PLAN_STANDS]


@pytest.mark.parametrize(
    ("said", "is_one"),
    [
        (
            [
                "[stderr]\nbash: foo: command not found",
                "[stderr]\nSyntaxError: invalid syntax",
                "Traceback (most recent call last):\nKeyError: 'x'",
                "[stdout]\nran\n[stderr]\nAssertionError: sums differ",
                "ModuleNotFoundError: No module named 'y'",
            ],
            False,
        ),
        ([f"[stderr]\ntried {word}\nFileNotFoundError: data/{word}.csv" for word in ("a", "b", "c", "d")], True),
    ],
)
async def test_programs_fail_in_the_same_way_where_they_say_the_same(desk: Desk, said: list[str], is_one: bool) -> None:
    """An exit code is no error of its own; the program's last line is, whatever file it names."""
    desk.use(desk.context.tools.with_tools([Program()]))
    desk.script(*[calls(call("program", text=text)) for text in said], say("It failed."))
    await desk.hear("go")
    await desk.work()
    assert [doubt.doubt for doubt in await doubts(desk)] == ([DoubtKind.SAME_ERROR] if is_one else [])


@pytest.mark.parametrize(
    ("left", "right", "is_one"),
    [
        ("No such file: alpha.csv", "No such file: out/beta.csv", True),
        ("Host 10.0.0.1 refused", "Host 10.0.0.2 refused", True),
        ("exit code 127\nfoo: command not found", "exit code 127\n[files: a.csv (3 bytes)]", False),
        ("exit code 1\n(no output)", "exit code 2\n(no output)", True),
        (
            "Traceback (most recent call last):\n  x\nKeyError: 1",
            "Traceback (most recent call last):\nTypeError",
            False,
        ),
        ("Stopped after 60 s, the time limit", "Stopped after 90 s, the time limit", True),
    ],
)
def test_errors_are_told_apart_by_what_they_say(left: str, right: str, is_one: bool) -> None:
    """Names of files, numbers and quotes make no difference; the words do."""
    assert (error_class(left) == error_class(right)) is is_one


async def test_a_hint_long_ago_counts_no_more(desk: Desk) -> None:
    """Four hints that each helped for long stay hints: nobody is asked, nothing is ended."""
    desk.configure("[budget.run]\nsteps = 300\n")
    for part in range(4):
        desk.script(*[calls(call("echo", text=f"same {part}"))] * 3)
        desk.script(*[calls(call("echo", text=f"new {part}.{n}")) for n in range(32)])
    desk.script(say("Done."))
    await desk.hear("go")
    assert (await desk.work()).answer == "Done."
    assert [doubt.rung for doubt in await doubts(desk)] == ["hint"] * 4


async def test_a_circle_is_seen_although_each_result_carries_the_time(desk: Desk) -> None:
    """Three calls in turn bring the same but for a count: nothing new."""
    desk.use(desk.context.tools.with_tools([Clock()]))
    desk.script(*[calls(call("clock", text="abc"[n % 3])) for n in range(9)], say("I give up."))
    await desk.hear("go")
    await desk.work()
    assert [doubt.doubt for doubt in await doubts(desk)] == [DoubtKind.NOTHING_NEW]


async def test_the_end_of_a_run_that_got_nowhere_is_a_report(desk: Desk) -> None:
    """The last word has the evidence without secrets, what was said and found on the way, and what to do next."""
    desk.script(calls(call("echo", text="42 rows in orders.csv"), text="I look at the rows."))
    desk.script(*[calls(call("breaks", text=f"no table {SECRET}"))] * 12)
    await desk.hear("go")
    assert (await desk.work()).state is AgentState.WAITING
    await desk.answer("Go on")
    run = await desk.work()
    assert run.detail == "stuck"
    (content,) = answer.render(run)
    assert "3 times in a row: breaks" in content.text
    assert "My last words on it: I look at the rows." in content.text
    assert "What came back: 42 rows in orders.csv." in content.text
    assert "Reply here with a hint" in content.text
    assert SECRET not in content.text + run.doubts[-1].doubted.evidence


@pytest.mark.parametrize(
    ("found", "times", "kinds"),
    [
        ("No results found.", 8, [DoubtKind.NOTHING_NEW]),
        ("0 results for '{asked}' in 12.5 ms", 8, [DoubtKind.NOTHING_NEW]),
        ("No results found.", 7, []),
        ("{asked} is free", 12, []),
        ("Order {asked}: paid", 12, []),
        ("{asked} rows", 12, []),
        ("x" * 500, 12, []),
    ],
)
async def test_looking_up_one_thing_after_the_other_in_vain_is_seen(
    desk: Desk, found: str, times: int, kinds: list[DoubtKind]
) -> None:
    """Other words each time and the same short result bring nothing; an answer about what was asked for does."""
    desk.use(desk.context.tools.with_tools([Finds(found)]))
    desk.script(*[calls(call("finds", text=f"{n}0")) for n in range(times)], say("I give up."))
    await desk.hear("go")
    await desk.work()
    assert [doubt.doubt for doubt in await doubts(desk)] == kinds


async def test_deeds_with_the_same_result_are_no_lookups(desk: Desk) -> None:
    """Twelve commands that each say only "ok" have done twelve things."""

    class Does(Finds):
        """Changes something."""

        name: ClassVar[str] = "does"
        risk: ClassVar[Risk] = Risk.WORKSPACE

    desk.use(desk.context.tools.with_tools([Does("ok")]))
    desk.script(*[calls(call("does", text=f"part {n}")) for n in range(12)], say("Done."))
    await desk.hear("go")
    await desk.work()
    assert await doubts(desk) == []


async def test_the_same_question_over_and_over_is_seen_in_a_real_run(desk: Desk) -> None:
    """After four answers to one question in other words each time, the model is told that it asks again."""
    made = call("planning", command="create", title="P", steps=["Send"])
    closed = call("planning", command="mark", step_index=0, step_status="completed")
    asked = (
        "Which format do you want?",
        "Do you want which format?",
        "What format is wanted?",
        "What format do you want?",
    )
    desk.script(calls(made), *[say(words) for words in asked], calls(closed), say("Sent as CSV."))
    await desk.hear("send it")
    for _ in asked:
        assert (await desk.work()).state is AgentState.WAITING
        await desk.answer("CSV")
    assert (await desk.work()).answer == "Sent as CSV."
    assert [(doubt.doubt, doubt.rung) for doubt in await doubts(desk)] == [(DoubtKind.SAME_WORDS, "hint")]
