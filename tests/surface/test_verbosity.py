"""How much is said in a thread: a reply per call, per finished step, or only plan and answer."""

import asyncio
from collections.abc import Sequence

import pytest

from bot.delivery.outbox import Post, wanted
from bot.listeners.messages import heard
from bot.listeners.reading import output_of
from runtime.session.entries import MessageEntry
from runtime.session.events import AnyEvent, CallFinished, CallStatus
from runtime.session.ids import SessionKey
from runtime.session.intake import take_in
from runtime.session.verbosity import Verbosity, VerbosityChosen
from tests.session.story import NOON, SESSION, asked, finished, ran, replied, said, started, told
from tests.support.model import call, calls, held, say
from tests.support.slack import LocalSlack, SlackMessage
from tests.support.stage import BOT, DATA
from tests.surface.conftest import StageMaker
from tools.plan import Plan, PlanStep, StepStatus

KEY = SessionKey.parse(SESSION)


def is_step_closed(events: Sequence[AnyEvent]) -> bool:
    """Whether a reply of the whole first step stands in the thread after these."""
    return len([item for item in wanted(KEY, told(*events), "steps") if item.op.startswith("step:")]) == 1


def calls_told(item: Post) -> int:
    """How many calls a reply tells of."""
    return str(item.content.blocks).count("✓ `")


def options(message: SlackMessage) -> list[str]:
    """What the plan's menu offers."""
    menus = [element for element in message.elements if element.get("type") == "overflow"]
    return [str(option["text"]["text"]) for menu in menus for option in menu["options"]]


async def confirmed(slack: LocalSlack, sent: SlackMessage, user: str, words: str) -> None:
    """Wait until somebody was told privately in the thread."""
    await slack.wait_message(DATA, sent.ts, lambda m: m.is_ephemeral and words in m.text, words, user=user)


def planned(call_id: str, done: int) -> CallFinished:
    """The plan with so many of its two steps done."""
    steps = tuple(
        PlanStep(title=title, status=StepStatus.COMPLETED if number < done else StepStatus.PENDING)
        for number, title in enumerate(("Read the log", "Fix the import"))
    )
    plan = Plan(title="Repair", steps=steps)
    return CallFinished(run_id="r1", call_id=call_id, status=CallStatus.OK, output="ok", plan=plan)


STORY: tuple[AnyEvent, ...] = (
    said("go"),
    started(),
    replied("planning"),
    planned("r1.1.0", 0),
    replied("bash", step=2),
    *ran("r1.2.0", "line 1"),
    replied("bash", "planning", step=3),
    *ran("r1.3.0", "line 2"),
    planned("r1.3.1", 1),
    replied("bash", step=4),
    *ran("r1.4.0", "fixed"),
    replied("planning", step=5),
    planned("r1.5.0", 2),
    finished(),
)


@pytest.mark.parametrize(
    ("verbosity", "replies"),
    [
        ("all", ["Read the log", "Read the log", "Fix the import"]),
        ("steps", ["Read the log", "Fix the import"]),
        ("quiet", []),
    ],
)
def test_each_verbosity_says_as_much_as_it_promises(verbosity: str, replies: list[str]) -> None:
    """Three calls in two steps; plan and answer stand in the thread in every case, and nothing is said twice."""
    posts = [item for item in wanted(KEY, told(*STORY), verbosity) if isinstance(item, Post)]
    steps = [item.content.text for item in posts if item.op.startswith("step:")]
    assert steps == replies
    assert [item.op for item in posts if not item.op.startswith("step:")] == ["plan:r1", "answer:r1:0"]


def choosing(verbosity: Verbosity) -> VerbosityChosen:
    """Ana chooses."""
    return VerbosityChosen(verbosity=verbosity, by="U0ANA")


@pytest.mark.parametrize(
    ("first", "then", "replies"),
    [
        ("quiet", "steps", [("Fix the import", 1)]),
        ("quiet", "all", [("Fix the import", 1)]),
        ("all", "steps", [("Read the log", 1), ("Read the log", 1), ("Fix the import", 1)]),
        ("steps", "quiet", [("Read the log", 2)]),
        ("steps", "steps", [("Read the log", 2), ("Fix the import", 1)]),
    ],
)
def test_a_choice_holds_from_its_moment_on(first: Verbosity, then: Verbosity, replies: list[tuple[str, int]]) -> None:
    """What was shown before it stays as it is, what was not shown is not told afterwards; the setting is overruled."""
    before, after = STORY[:11], STORY[11:]
    assert is_step_closed(before)
    state = told(choosing(first), *before, choosing(then), *after)
    for default in ("all", "steps", "quiet"):
        posts = [item for item in wanted(KEY, state, default) if isinstance(item, Post)]
        shown = [item for item in posts if item.op.startswith("step:")]
        assert [(item.content.text, calls_told(item)) for item in shown] == replies


def test_whole_output_is_shown_of_the_calls_that_a_reply_stands_for() -> None:
    """However calls were grouped: by the choice, by the setting, or by a setting of before."""
    state = told(choosing("all"), *STORY)
    assert "line 1" not in output_of(state, "r1.3")
    assert "line 2" in output_of(state, "r1.3")
    assert "line 1" in output_of(told(*STORY), "r1.3")
    assert "line 1" not in output_of(told(*STORY), "r1.3", "all")
    assert "line 1" in output_of(told(*STORY), "r1.2")


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("<@U0HANDRAIL> quiet", "quiet"),
        ("Be quiet, please.", None),
        ("be quiet please", "quiet"),
        ("Show every step!", "steps"),
        ("every tool call", "all"),
        ("show every step of the import", None),
        ("it is quiet", None),
    ],
)
def test_only_words_that_say_nothing_else_choose(words: str, meant: str | None) -> None:
    """A task that speaks of steps or of quiet is a task."""
    event = {"type": "message", "user": "U0ANA", "channel": "C1", "ts": "1.1", "text": words}
    found = heard(event, "T1", "U0HANDRAIL")
    assert found is not None
    assert found.chooses == meant
    assert found.message().chooses == meant


def test_words_that_choose_answer_an_open_question_instead() -> None:
    """Who is asked how often to report may say "every step"."""
    entry = MessageEntry(entry_id="m:2", ts="2.0", user="U0ANA", text="every step", mentions_bot=False, chooses="steps")
    waiting = (said("go"), started(), replied("ask_human"), asked("r1.1.0"))
    kinds = [event.kind for event in take_in(told(*waiting), entry, now_ms=NOON)]
    assert "question_answered" in kinds
    assert "verbosity_chosen" not in kinds
    kinds = [event.kind for event in take_in(told(said("go"), started()), entry, now_ms=NOON)]
    assert kinds == ["verbosity_chosen", "notice_queued"]


async def test_a_thread_may_have_a_verbosity_of_its_own(on_stage: StageMaker, slack: LocalSlack) -> None:
    """Chosen in the plan's menu or in words by a person; privately confirmed, shown in the menu, kept over a restart.

    A word costs no request and no model, and a task in the next message is told of in the new way.
    """
    look, gate = calls(call("bash", command="true")), asyncio.Event()
    settings = "[fair]\nrequests_per_person = 2\n"
    async with on_stage(held(gate, look), say("Quiet."), settings=settings) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} look")
        card = await stage.button(sent, "Stop")
        assert options(card) == ["Reply after every call", "✓ Reply after every step", "Plan and answer only"]
        await stage.ben.click(card, "verbosity", selected_option={"value": "quiet"})
        await confirmed(slack, sent, "U0BEN", "only the plan and the answer")
        await slack.wait_message(DATA, sent.ts, lambda m: options(m)[2:] == ["✓ Plan and answer only"], "the tick")
        gate.set()
        await stage.answer(sent)
        assert not any(message.has_button("Show output") for message in await stage.thread(sent))
    async with on_stage(look, say("Still quiet."), look, say("Loud."), settings=settings) as stage:
        await stage.ana.send(DATA, "and again", sent.ts)
        await slack.wait_message(DATA, sent.ts, lambda m: "Still quiet." in m.words, "the second answer")
        assert not any(message.has_button("Show output") for message in await stage.thread(sent))
        await stage.ben.send(DATA, "every step", sent.ts)
        await confirmed(slack, sent, "U0BEN", "after every finished step")
        await stage.ben.send(DATA, "every call", sent.ts)
        await confirmed(slack, sent, "U0BEN", "after every call")
        assert len(stage.model.bodies) == 2
        await stage.ben.send(DATA, "and again", sent.ts)
        await slack.wait_message(DATA, sent.ts, lambda m: "Loud." in m.words, "the third answer")
        assert [message.has_button("Show output") for message in await stage.thread(sent)].count(True) == 1
        assert "every call" not in str(stage.model.bodies)


async def test_a_channel_may_have_a_verbosity_of_its_own(on_stage: StageMaker) -> None:
    """Quiet here, a reply per step elsewhere; the output is not lost, only not announced."""
    look = calls(call("bash", command="true"))
    settings = f'[slack]\nverbosity_in = {{ {DATA} = "quiet" }}'
    async with on_stage(look, say("Quiet."), look, say("Loud."), settings=settings) as stage:
        quiet = await stage.ana.send(DATA, f"{BOT} look")
        await stage.answer(quiet)
        loud = await stage.ana.send(stage.ana.direct, "look")
        await stage.answer(loud)
        assert not any(message.has_button("Show output") for message in await stage.thread(quiet))
        assert any(message.has_button("Show output") for message in await stage.thread(loud))
