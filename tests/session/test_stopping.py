"""Which stop ends what, in whatever order Slack delivers: only the moments count."""

import itertools

import pytest

from runtime.session.entries import AnswerEntry, AnyEntry, DecisionEntry, MessageEntry, ResumeEntry, StopEntry
from runtime.session.events import Attachment, RunFinished, RunOutcome
from runtime.session.fold import fold
from runtime.session.intake import take_in
from runtime.session.resuming import RESUME
from runtime.session.state import SessionState
from runtime.session.stopping import FAR, begun, is_vain, unread
from tests.session.story import NOON, SESSION, asked, replied, said, started, told

FILE = Attachment(file_id="F1", name="orders.csv", url="https://files.slack.com/orders.csv")


def message(ts: str, **more: object) -> MessageEntry:
    """Ana says something."""
    terms = {"entry_id": f"m:{ts}", "ts": ts, "user": "U0ANA", "text": ts, "mentions_bot": True, **more}
    return MessageEntry.model_validate(terms)


def stop(before_ts: str, **more: object) -> StopEntry:
    """Ben stops what was asked for before."""
    terms = {"entry_id": f"s:{before_ts}", "by": "U0BEN", "before_ts": before_ts, "how": "word", **more}
    return StopEntry.model_validate(terms)


def lived(*entries: AnyEntry) -> SessionState:
    """The session after its runner took these in, one after the other."""
    state = SessionState(session_id=SESSION)
    for entry in entries:
        for event in take_in(state, entry, now_ms=NOON):
            state = fold(state, event, at_ms=NOON)
        if state.untaken and state.active_run is None:
            start = started(len(state.runs) + 1, ts=state.untaken[-1].ts)
            for event in begun(state, start):
                state = fold(state, event, at_ms=NOON)
    return state


@pytest.mark.parametrize("how", ["word", "native", "reaction"])
@pytest.mark.parametrize("order", list(itertools.permutations((1, 2, 3, 4))), ids=str)
def test_only_what_was_said_after_the_stop_is_worked_on(order: tuple[int, ...], how: str) -> None:
    """Two messages before a stop and one after it, delivered in any order: one run is left, the newest message's."""
    entries = {1: message("1.5"), 2: message("2.5"), 3: stop("3.5", how=how), 4: message("4.5")}
    state = lived(*(entries[number] for number in order))
    assert state.active_run is not None
    assert state.active_run.request_ts == "4.5"
    assert all(run.outcome is RunOutcome.STOPPED for run in state.runs[:-1])
    assert state.untaken == ()


def test_a_request_that_comes_after_its_stop_has_its_last_word() -> None:
    """Its run begins and ends at once, with who stopped it; the next stop finds nothing."""
    state = lived(stop("3.5"), message("2.5"))
    (run,) = state.runs
    assert (run.outcome, run.ended_by, run.request_ts) == (RunOutcome.STOPPED, "U0BEN", "2.5")
    assert "2.5" in state.memory[0]


def test_what_was_said_before_a_stop_does_not_reach_a_newer_run() -> None:
    """A message that was on its way while a newer request began is left out, and the journal says why."""
    state = lived(message("1.5"), stop("3.5"), message("4.5"))
    (event,) = take_in(state, message("2.5"), now_ms=NOON)
    assert (event.kind, getattr(event, "reason", "")) == ("entry_ignored", "said before a stop")


def test_what_waits_for_a_tool_and_was_said_before_a_stop_is_never_read() -> None:
    """It came late, after a newer request had begun its work; the stop came later still."""
    state = told(said("newer", ts="4.5"), started(ts="4.5"), replied("bash"))
    for entry in (message("2.5"), message("5.5"), stop("3.5")):
        for event in take_in(state, entry, now_ms=NOON):
            state = fold(state, event, at_ms=NOON)
    assert [held.text for held in state.held] == ["5.5"]
    assert state.active_run is not None


def test_a_button_counts_for_its_own_run_only() -> None:
    """A late click on an old run's Stop says nothing of other messages; one that ended its run does."""
    late = lived(message("1.5"), stop("2.5"), stop("9.5", run_id="r1", how="button"), message("8.5"))
    assert late.active_run is not None
    own = lived(message("1.5"), stop("9.5", run_id="r1", how="button"), message("8.5"))
    assert own.active_run is None


@pytest.mark.parametrize("moment", [FAR, "9999999999.9"])
def test_a_stop_without_a_moment_does_not_silence_the_thread(moment: str) -> None:
    """A stop typed as a command names its run and no time: what is said next starts a run as ever."""
    state = lived(message("1.5"), stop(moment, how="command"), message("2.5"))
    assert state.active_run is not None
    assert state.active_run.request_ts == "2.5"


def test_what_has_no_moment_of_its_own_is_older_than_no_stop() -> None:
    """A form sent after a stop but opened before it, a schedule's request, and going on by a click."""
    form = lived(message("1.5"), stop("3.5"), message("2.5", is_timed=False))
    schedule = lived(message("1.5"), stop("3.5"), message("2.6", schedule_id="s1"))
    again = lived(message("1.5"), stop(f"{NOON / 1000 + 60:.6f}"), ResumeEntry(entry_id="e", run_id="r1", by="U0ANA"))
    for state in (form, schedule, again):
        assert state.active_run is not None
    assert RESUME in again.memory[-1]


def test_the_newest_stop_counts() -> None:
    """A stop that comes late does not take back a newer one."""
    state = lived(stop("5.5"), stop("3.5"))
    assert (state.stopped_ts, state.stopped_by) == ("5.5", "U0BEN")


def answer() -> AnswerEntry:
    """A file as the answer to a question."""
    return AnswerEntry(entry_id="a", question_id="q1", by="U0ANA", how="modal", attachments=(FILE,))


@pytest.mark.parametrize(
    ("entry", "waiting", "vain"),
    [
        (message("2.5"), stop("3.5"), True),
        (message("4.5"), stop("3.5"), False),
        (message("2.5"), stop("3.5", run_id="r1", how="button"), True),
        (message("2.5"), stop("3.5", run_id="r9", how="button"), False),
        (message("2.5"), message("3.5"), False),
        (answer(), stop("3.5"), True),
        (answer(), stop("1.0"), False),
        (DecisionEntry(entry_id="d", approval_id="a1", verdict="approved", by="U0BEN"), stop("3.5"), False),
    ],
)
def test_files_are_not_read_for_what_a_waiting_stop_ends(entry: AnyEntry, waiting: AnyEntry, vain: bool) -> None:
    """By the same moments; whoever decides is always looked up, since what they may depends on it."""
    state = told(said("go", ts="1.5"), started(ts="1.5"), replied("ask_human"), asked())
    assert is_vain(entry, ["unreadable", None, waiting], state) is vain


def test_files_are_not_read_for_what_a_stop_ended_that_overtook_it() -> None:
    """A stop is heard before what waits; of what was said before it nothing has to be fetched any more."""
    state = lived(message("1.5"), stop("3.5", run_id="r1", how="button"))
    assert is_vain(message("2.5"), (), state)
    assert not is_vain(message("4.5"), (), state)
    assert not is_vain(message("2.5", schedule_id="s1"), (), state)


def test_an_entry_whose_files_nobody_read_says_so() -> None:
    """To the model, where the thread goes on later; nothing else of the entry changes."""
    cut = unread(message("2.5", attachments=(FILE,)))
    assert isinstance(cut, MessageEntry)
    assert (cut.text, cut.attachments[0].problem) == ("2.5", "it was stopped while its files were read")
    decision = DecisionEntry(entry_id="d", approval_id="a1", verdict="approved", by="U0BEN")
    assert unread(decision) is decision


def test_a_run_for_something_newer_as_well_goes_on() -> None:
    """Only where everything it is for was stopped does it end at once."""
    state = told(said("old", ts="2.5").model_copy(update={"is_stopped": True}), said("new", ts="4.5"))
    assert [event.kind for event in begun(state, started(ts="4.5"))] == ["run_started"]
    only = told(said("old", ts="2.5").model_copy(update={"is_stopped": True}))
    assert isinstance(begun(only, started(ts="2.5"))[-1], RunFinished)
