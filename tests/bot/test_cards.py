"""Each card in each of its states: what it says, and what can be clicked."""

from collections.abc import Sequence

import pytest

from bot import texts, texts_plan
from bot.delivery.outbox import Post, wanted
from bot.render import approval, plan, question, step
from bot.render.limits import CODE_ON_CARD, LINES_AT_FIRST
from runtime.session.events import (
    AnyEvent,
    ApprovalDecided,
    CallFinished,
    CallStarted,
    CallStatus,
    QuestionAnswered,
    RunOutcome,
)
from runtime.session.ids import SessionKey
from tests.session.story import NOON, SESSION, asked, finished, ran, replied, requested, said, started, told
from tests.support.slack_people import SlackMessage
from tools.plan import Plan, PlanStep, StepStatus

KEY = SessionKey.parse(SESSION)
TWO = Plan(title="Find out", steps=(PlanStep(title="Read the log"), PlanStep(title="Fix it")))


def shown(op: str, *events: AnyEvent) -> SlackMessage:
    """The message with this operation id as a person would see it."""
    items = wanted(KEY, told(*events), "steps")
    item = next(item for item in items if item.op == op)
    assert isinstance(item, Post)
    return SlackMessage(channel="C1", raw={"ts": "1", "text": item.content.text, "blocks": list(item.content.blocks)})


def labels(message: SlackMessage) -> list[str]:
    """What can be clicked."""
    return [str(element.get("text", {}).get("text", "menu")) for element in message.elements]


def asking(*choices: str) -> Sequence[AnyEvent]:
    """A run that waits for an answer."""
    return said("hi"), started(), replied("ask_human"), asked("r1.1.0", *choices)


def answer(how: str, words: str = "hourly") -> QuestionAnswered:
    """Ben answers."""
    given = {"run_id": "r1", "question_id": "q1", "answer": words, "by": "U0BEN", "how": how}
    return QuestionAnswered.model_validate(given)


def proposing(body: str = "- a\n+ b") -> Sequence[AnyEvent]:
    """A run that waits for Ben's verdict."""
    return said("hi"), started(), replied("publish"), requested("U0BEN").model_copy(update={"body": body})


def verdict(word: str, reason: str = "") -> ApprovalDecided:
    """Ben decides."""
    decided = {"run_id": "r1", "approval_id": "a1", "verdict": word, "by": "U0BEN", "reason": reason}
    return ApprovalDecided.model_validate(decided)


def test_an_open_question_has_a_button_for_each_choice_and_one_for_other_answers() -> None:
    """It names who is asked, and says that waiting is free."""
    card = shown("q:q1", *asking("hourly", "nightly"))
    assert labels(card) == ["hourly", "nightly", texts.OTHER]
    assert "<@U0ANA> Which?" in card.words
    assert "waiting costs nothing" in card.words


def test_more_choices_than_five_are_a_menu() -> None:
    """Up to ten choices stay choosable."""
    card = shown("q:q1", *asking(*"abcdefg"))
    assert labels(card) == ["menu", texts.OTHER]
    assert len(card.elements[0]["options"]) == 7


@pytest.mark.parametrize("how", ["button", "modal", "typed"])
def test_an_answered_question_is_frozen_with_who_said_what(how: str) -> None:
    """Nothing is left to click."""
    card = shown("q:q1", *asking("hourly", "nightly"), answer(how))
    assert labels(card) == []
    assert "*hourly* · answered by <@U0BEN>" in card.words


def test_an_expired_question_says_that_nobody_answered() -> None:
    """Nobody is named, and a late answer is still one click away: it starts a new turn."""
    card = shown("q:q1", *asking("hourly"), answer("expired", ""))
    assert labels(card) == ["hourly", texts.OTHER]
    assert "Nobody answered in time" in card.words


def test_a_question_of_an_ended_run_is_closed() -> None:
    """A stop while it waits disarms it."""
    card = shown("q:q1", *asking("a"), finished(RunOutcome.STOPPED, ""))
    assert labels(card) == []
    assert texts.question_closed() in card.words


def test_a_long_question_is_told_whole_before_its_card() -> None:
    """What does not fit on the card stands in messages above it."""
    long = "\n".join(f"{number}. An aspect & more" for number in range(600))
    events = [*asking("yes")[:-1], asked("r1.1.0", "yes").model_copy(update={"question": long})]
    posts = [item for item in wanted(KEY, told(*events), "steps") if item.op.startswith("q:q1")]
    assert all(isinstance(item, Post) for item in posts)
    words = [str(item.content.blocks[0]["text"]) for item in posts[:-1] if isinstance(item, Post)]
    assert "".join(words) == long
    assert texts.QUESTION_ABOVE in shown("q:q1", *events).words


def test_an_open_approval_shows_everything_needed_to_decide() -> None:
    """Who, what in words, the exact call, why, until when, and both buttons."""
    card = shown("a:a1", *proposing())
    assert labels(card) == [texts.APPROVE, texts.DENY]
    assert card.words.startswith("<@U0BEN>\nThis wants to: *Change it*")
    assert "- a\n+ b" in card.words
    assert "beyond my workspace" in card.words
    assert "<@U0BEN> can decide" in card.words
    assert f"<!date^{(NOON + 3_600_000) // 1000}^" in card.words


def test_a_long_call_is_shown_in_part_and_the_rest_is_a_click_away() -> None:
    """What is left out is counted on the card."""
    body = "\n".join(f"+ line {number}" for number in range(1000))
    card = shown("a:a1", *proposing(body))
    assert labels(card) == [texts.APPROVE, texts.DENY, texts.SHOW_CALL]
    shown_lines = card.words.count("+ line")
    assert 0 < shown_lines <= LINES_AT_FIRST
    assert f"… {1000 - shown_lines} more lines" in card.words


def test_a_call_on_one_long_line_shows_its_beginning() -> None:
    """Arguments in JSON are one line."""
    card = shown("a:a1", *proposing("x" * 50_000))
    assert card.words.count("x") > CODE_ON_CARD // 2
    assert "more characters" in card.words


def test_an_approved_call_is_running_until_it_has_a_result() -> None:
    """The card says who approved, then what came of it."""
    approved = [*proposing(), verdict("approved"), CallStarted(run_id="r1", call_id="r1.1.0", effect="idempotent")]
    running = shown("a:a1", *approved)
    assert labels(running) == []
    assert "*Approved by <@U0BEN>*\nRunning now." in running.words
    done = CallFinished(run_id="r1", call_id="r1.1.0", status=CallStatus.OK, output="x", brief="Published 1 file")
    assert "Ran. Published 1 file" in shown("a:a1", *approved, done).words


def test_an_approved_call_that_failed_says_so() -> None:
    """The outcome stands on the card it was approved on."""
    done = CallFinished(run_id="r1", call_id="r1.1.0", status=CallStatus.ERROR, output="x", brief="the file changed")
    card = shown("a:a1", *proposing(), verdict("approved"), done)
    assert "Ran with an error. the file changed" in card.words


def test_a_denied_call_shows_who_denied_it_and_why() -> None:
    """With the reason in their own words."""
    card = shown("a:a1", *proposing(), verdict("denied", "not <today>"))
    assert labels(card) == []
    assert "*Denied by <@U0BEN>*: not &lt;today&gt;" in card.words


def test_an_expired_approval_says_that_it_did_not_run() -> None:
    """No answer means no."""
    card = shown("a:a1", *proposing(), verdict("expired"))
    assert "did not run" in card.words


def test_an_approval_of_an_ended_run_is_closed() -> None:
    """The run was stopped before anybody decided."""
    card = shown("a:a1", *proposing(), finished(RunOutcome.STOPPED, ""))
    assert labels(card) == []
    assert "It did not run" in card.words


def test_an_approved_call_of_a_stopped_run_is_not_said_to_run() -> None:
    """It will have no result any more."""
    card = shown("a:a1", *proposing(), verdict("approved"), finished(RunOutcome.STOPPED, ""))
    assert texts.call_running() not in card.words
    assert texts.call_unfinished() in card.words


def planned(plan_now: Plan, call_id: str) -> CallFinished:
    """The plan as the planning tool left it."""
    return CallFinished(run_id="r1", call_id=call_id, status=CallStatus.OK, output="ok", plan=plan_now)


def ticked(number: int) -> Plan:
    """The plan with its first steps done."""
    steps = (s.model_copy(update={"status": StepStatus.COMPLETED}) for s in TWO.steps[:number])
    return TWO.model_copy(update={"steps": (*steps, *TWO.steps[number:])})


def test_a_running_plan_can_be_stopped_and_an_ended_one_cannot() -> None:
    """Its first sentence says how it begins, and at the end how it ended."""
    events = [said("hi"), started(), replied("planning"), planned(TWO, "r1.1.0")]
    card = shown("plan:r1", *events)
    assert labels(card) == [texts_plan.EDIT_PLAN, texts.STOP, "menu"]
    assert "On it: 2 steps, starting with “Read the log”" in card.words
    over = shown("plan:r1", *events, finished())
    assert labels(over) == []
    assert over.words.startswith("Done")


def test_calls_are_told_with_the_plan_step_they_belong_to() -> None:
    """One reply per finished plan step, whatever number of agent steps it took."""
    events: list[AnyEvent] = [
        *(said("hi"), started(), replied("planning"), planned(TWO, "r1.1.0")),
        *(replied("bash", step=2), *ran("r1.2.0", "one")),
        *(replied("bash", "planning", step=3), *ran("r1.3.0", "two"), planned(ticked(1), "r1.3.1")),
        *(replied("bash", step=4), *ran("r1.4.0", "three")),
    ]
    run = told(*events).run
    assert run is not None
    groups = list(step.groups(run, "steps"))
    assert [(group.title, len(group.calls)) for group in groups] == [("Read the log", 2)]
    ended = told(*events, finished()).run
    assert ended is not None
    assert [group.title for group in step.groups(ended, "steps")] == ["Read the log", "Fix it"]
    assert len(list(step.groups(ended, "all"))) == 3
    assert list(step.groups(ended, "quiet")) == []


def test_a_long_plan_keeps_all_its_steps_in_one_message() -> None:
    """Fifty steps of the greatest length fit, shortened."""
    steps = tuple(PlanStep(title="漢" * 256, note="n" * 1000) for _ in range(50))
    block = plan.plan_block(Plan(title="t" * 150, steps=steps), run_over=False)
    assert len(block["tasks"]) == 50


def test_a_tool_name_of_the_models_invention_is_shown_harmlessly() -> None:
    """The model may write anything where a tool's name belongs."""
    reply = shown("step:r1:1", said("hi"), started(), replied("x`<!channel>`"), *ran(), finished())
    assert "<!channel>" not in reply.words
    assert "`x'&lt;!channel&gt;'`" in reply.words


def test_a_choice_says_which_one_it_is_even_when_long() -> None:
    """Its button carries the number, since the words may not fit."""
    card = question.choices(KEY, told(*asking("x" * 150)).runs[0].questions["q1"])
    assert card["elements"][0]["text"]["text"].endswith("…")


@pytest.mark.parametrize(
    ("note", "read"),
    [("sandbox: bubblewrap", "sandbox: bubblewrap."), ("Read both forms.", "Read both forms."), ("", "")],
)
def test_a_note_on_a_card_does_not_run_into_the_next_sentence(note: str, read: str) -> None:
    """A phrase gets its full stop; a sentence has one."""
    assert approval.ended(note) == read
