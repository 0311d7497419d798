"""What a message, a click and a deadline mean in the state they meet."""

import pytest

from runtime.session.entries import AnswerEntry, DeadlineEntry, DecisionEntry, MessageEntry, StopEntry
from runtime.session.events import (
    ApprovalDecided,
    CallFinished,
    CallStatus,
    EntryIgnored,
    MessageReceived,
    NoticeCode,
    NoticeQueued,
    QuestionAnswered,
    ReminderDue,
    RunFinished,
    RunOutcome,
)
from runtime.session.intake import take_in
from tests.session.story import NOON, asked, finished, replied, requested, said, started, told

WAITING = (said("go"), started(), replied("ask_human"), asked("r1.1.0", "nightly", "hourly"))
APPROVING = (said("go"), started(), replied("publish"), requested("U0BEN"))


def typed(text: str, user: str = "U0ANA", ts: str = "1700000009.0") -> MessageEntry:
    """A message in the thread."""
    return MessageEntry(entry_id=f"m:{ts}", ts=ts, user=user, speaker=f"x ({user})", text=text, mentions_bot=False)


def decision(by: str, verdict: str = "approved", groups: tuple[str, ...] = (), about: str = "a1") -> DecisionEntry:
    """A click on a card."""
    return DecisionEntry.model_validate(
        {"entry_id": "click:1", "approval_id": about, "verdict": verdict, "by": by, "groups": groups}
    )


def test_a_message_starts_something_or_joins_it() -> None:
    """Without a question it is simply a message."""
    (event,) = take_in(told(), typed("hello"), now_ms=NOON)
    assert isinstance(event, MessageReceived)


def test_a_choice_is_answered_in_the_words_of_the_question() -> None:
    """A click carries a number; its words come from the question, and its call gets the answer as result."""
    click = AnswerEntry(entry_id="c", question_id="q1", choice=1, by="U0BEN", how="button")
    answered, result = take_in(told(*WAITING), click, now_ms=NOON)
    assert isinstance(answered, QuestionAnswered)
    assert answered.answer == "hourly"
    assert isinstance(result, CallFinished)
    assert result.status is CallStatus.OK
    assert "hourly" in result.output


def test_the_second_answer_is_told_who_was_first() -> None:
    """The first valid answer wins; a late one changes nothing."""
    answer = QuestionAnswered(run_id="r1", question_id="q1", answer="nightly", by="U0BEN", how="button")
    click = AnswerEntry(entry_id="c", question_id="q1", choice=1, by="U0ANA", how="button")
    (notice,) = take_in(told(*WAITING, answer), click, now_ms=NOON)
    assert isinstance(notice, NoticeQueued)
    assert (notice.code, notice.about["by"]) == (NoticeCode.QUESTION_GONE, "U0BEN")


@pytest.mark.parametrize(("text", "user"), [("Nightly", "U0BEN"), ("the one of 2 am", "U0ANA")])
def test_a_typed_reply_answers_when_it_is_a_choice_or_comes_from_the_person_asked(text: str, user: str) -> None:
    """An exact choice of anybody, or any reply of the person asked."""
    answered = take_in(told(*WAITING), typed(text, user), now_ms=NOON)[0]
    assert isinstance(answered, QuestionAnswered)
    assert (answered.answer, answered.how) == (text, "typed")


def test_other_talk_during_a_question_is_kept_as_a_message() -> None:
    """Somebody else's remark does not answer for the person asked."""
    (event,) = take_in(told(*WAITING), typed("I'll be late", "U0BEN"), now_ms=NOON)
    assert isinstance(event, MessageReceived)


def test_the_approver_approves_once() -> None:
    """The verdict of who may decide counts; the next one is told that it was decided."""
    state = told(*APPROVING)
    (event,) = take_in(state, decision("U0BEN"), now_ms=NOON)
    assert isinstance(event, ApprovalDecided)
    assert event.verdict == "approved"
    (late,) = take_in(told(*APPROVING, event), decision("U0BEN", "denied"), now_ms=NOON)
    assert isinstance(late, NoticeQueued)
    assert late.code is NoticeCode.ALREADY_DECIDED


@pytest.mark.parametrize("by", ["U0ANA", "U0CLEO", "@oncall"])
def test_somebody_who_may_not_decide_is_told_privately(by: str) -> None:
    """Nothing happens to the card, not even when the requester clicks."""
    (notice,) = take_in(told(*APPROVING), decision(by), now_ms=NOON)
    assert isinstance(notice, NoticeQueued)
    assert (notice.code, notice.to) == (NoticeCode.NOT_APPROVER, by)


def test_a_member_of_the_named_group_may_decide() -> None:
    """Groups are looked up by the server side, never read from the click."""
    state = told(said("go"), started(), replied("publish"), requested("@oncall"))
    (event,) = take_in(state, decision("U0CLEO", groups=("@oncall",)), now_ms=NOON)
    assert isinstance(event, ApprovalDecided)


def test_an_empty_list_of_approvers_means_nobody() -> None:
    """Not even the requester."""
    state = told(said("go"), started(), replied("publish"), requested())
    (notice,) = take_in(state, decision("U0ANA"), now_ms=NOON)
    assert isinstance(notice, NoticeQueued)


def test_a_no_reaches_the_model_with_its_reason() -> None:
    """A denied call did not run and says why."""
    entry = decision("U0BEN", "denied").model_copy(update={"reason": "not before the audit"})
    verdict, result = take_in(told(*APPROVING), entry, now_ms=NOON)
    assert isinstance(verdict, ApprovalDecided)
    assert isinstance(result, CallFinished)
    assert result.status is CallStatus.DENIED
    assert "not before the audit" in result.output


def test_a_click_after_the_expiry_does_nothing_even_before_the_sweep() -> None:
    """The card's own time counts, not when the deadline was delivered."""
    (notice,) = take_in(told(*APPROVING), decision("U0BEN"), now_ms=NOON + 3_600_000)
    assert isinstance(notice, NoticeQueued)
    assert notice.code is NoticeCode.APPROVAL_GONE


def test_a_click_with_an_id_of_another_session_does_nothing() -> None:
    """An approval is looked up in its own session."""
    (notice,) = take_in(told(*APPROVING), decision("U0BEN", about="stolen"), now_ms=NOON)
    assert isinstance(notice, NoticeQueued)
    assert notice.code is NoticeCode.APPROVAL_GONE


@pytest.mark.parametrize("text", ["yes", "OK!", "approve", "go ahead", "no"])
def test_a_typed_verdict_is_pointed_to_the_buttons(text: str) -> None:
    """Typed words never approve anything, whoever types them."""
    (notice,) = take_in(told(*APPROVING), typed(text, "U0BEN"), now_ms=NOON)
    assert isinstance(notice, NoticeQueued)
    assert notice.code is NoticeCode.USE_BUTTONS


def test_a_stop_ends_what_was_asked_for_before_it_and_nothing_newer() -> None:
    """An old button or word never hits a newer request."""
    state = told(*WAITING)
    stop = StopEntry(entry_id="s", by="U0BEN", before_ts="1700000005.0", how="word")
    (event,) = take_in(state, stop, now_ms=NOON)
    assert isinstance(event, RunFinished)
    assert (event.outcome, event.by) == (RunOutcome.STOPPED, "U0BEN")
    old = StopEntry(entry_id="s", by="U0BEN", before_ts="1600000000.0", how="word")
    (notice,) = take_in(state, old, now_ms=NOON)
    assert isinstance(notice, NoticeQueued)
    other_run = StopEntry(entry_id="s", by="U0BEN", before_ts="1700000005.0", run_id="r9", how="button")
    assert isinstance(take_in(state, other_run, now_ms=NOON)[0], NoticeQueued)


def test_deadlines_act_on_what_is_still_open_and_on_nothing_else() -> None:
    """Expiry of a question or an approval, a reminder, and the bound of a run's working time."""

    def passed(state: tuple[object, ...], name: str, about: str) -> object:
        entry = DeadlineEntry(entry_id="d", name=name, about=about)
        return take_in(told(*state), entry, now_ms=NOON)[0]  # type: ignore[arg-type]

    expired = passed(WAITING, "question", "q1")
    assert isinstance(expired, QuestionAnswered)
    assert expired.how == "expired"
    silent = passed(APPROVING, "approval", "a1")
    assert isinstance(silent, ApprovalDecided)
    assert silent.verdict == "expired"
    assert isinstance(passed(WAITING, "reminder", "q1"), ReminderDue)
    over = passed((said("go"), started()), "run", "r1")
    assert isinstance(over, RunFinished)
    assert (over.outcome, over.detail) == (RunOutcome.LIMIT, "wall")
    assert isinstance(passed((said("go"), started(), finished()), "run", "r1"), EntryIgnored)
    assert isinstance(passed(WAITING, "approval", "a1"), EntryIgnored)


def test_a_message_already_brought_along_as_history_is_not_told_twice() -> None:
    """The same timestamp is the same message."""
    (event,) = take_in(told(said("go", ts="5.5"), started()), typed("go", ts="5.5"), now_ms=NOON)
    assert isinstance(event, EntryIgnored)
