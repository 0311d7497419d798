"""A plan in people's hands: what an edit makes of it, in whatever moment it comes. Pure."""

from hypothesis import given
from hypothesis import strategies as st

from runtime.session.entries import AnswerEntry, PlanEditEntry
from runtime.session.events import (
    AnyEvent,
    CallFinished,
    CallStarted,
    CallStatus,
    EntryIgnored,
    FlowPlanned,
    FlowStepEnded,
    FlowStepStarted,
    NoticeCode,
    NoticeQueued,
    RunOutcome,
)
from runtime.session.fold import fold
from runtime.session.intake import take_in
from runtime.session.interrupted import PLAN_WAYS, START_WORK, STOP_HERE
from runtime.session.mind_events import FlowStep
from runtime.session.plan_intake import open_titles, out_of_turn, plan_edited, waits_for_plan
from runtime.session.question_intake import answered
from runtime.session.state import AgentState, SessionState
from tests.session.story import NOON, asked, finished, ran, replied, said, started, told
from tools.plan import Plan, PlanStep, StepStatus

STEPS = (
    PlanStep(title="Read the log", status=StepStatus.COMPLETED),
    PlanStep(title="Fix it", status=StepStatus.IN_PROGRESS),
    PlanStep(title="Test it"),
    PlanStep(title="Tell Ben", note="by mail"),
)
PLAN = Plan(title="Repair", steps=STEPS)


def planned(plan: Plan = PLAN, call_id: str = "r1.1.0") -> CallFinished:
    """The planning tool's result."""
    return CallFinished(run_id="r1", call_id=call_id, status=CallStatus.OK, output="ok", plan=plan)


def edit(*titles: str, seq: int = 0) -> PlanEditEntry:
    """What Ben sends."""
    return PlanEditEntry(entry_id="form:V1", run_id="r1", plan_seq=seq, titles=titles, by="U0BEN")


def working(*more: AnyEvent) -> SessionState:
    """A run by the plan."""
    begun = CallStarted(run_id="r1", call_id="r1.1.0", effect="pure")
    return told(said("go"), started(), replied("planning"), begun, planned(), *more)


def after(state: SessionState, entry: PlanEditEntry) -> SessionState:
    """The state with what the edit came to."""
    for event in take_in(state, entry, now_ms=NOON):
        state = fold(state, event, at_ms=NOON)
    return state


def shown(state: SessionState) -> list[tuple[str, str]]:
    """The plan as it stands."""
    assert state.run is not None
    assert state.run.plan is not None
    return [(step.title, step.status.value) for step in state.run.plan.steps]


def test_open_steps_can_be_moved_renamed_removed_and_added() -> None:
    """What is done stays first; a renamed step keeps what was known of it, a moved one its status."""
    state = after(working(), edit("Tell Cleo", "Fix it", "Test it"))
    assert shown(state) == [
        ("Read the log", "completed"),
        ("Tell Cleo", "pending"),
        ("Fix it", "in_progress"),
        ("Test it", "pending"),
    ]
    assert state.run is not None
    assert state.run.plan is not None
    assert state.run.plan.steps[1].note == "by mail"
    assert shown(after(working(), edit("Fix it", "Have a coffee"))) == [
        ("Read the log", "completed"),
        ("Fix it", "in_progress"),
        ("Have a coffee", "pending"),
    ]


@given(st.lists(st.sampled_from(("Fix it", "Test it", "Tell Ben", "New", "Other", "Third")), max_size=8))
def test_an_edited_plan_holds_what_was_done_and_the_lines_as_they_were_sent(titles: list[str]) -> None:
    """In that order, whatever was sent."""
    plan = plan_edited(PLAN, titles) if titles else PLAN
    assert [step.title for step in plan.steps if not step.status.is_open] == ["Read the log"]
    if titles:
        assert [step.title for step in plan.steps if step.status.is_open] == titles


def test_the_model_is_told_of_an_edit_after_the_results_it_waits_for() -> None:
    """So that its memory stays well paired."""
    begun = CallStarted(run_id="r1", call_id="r1.2.0", effect="pure")
    state = after(working(replied("bash", step=2), begun), edit("Fix it"))
    assert "changed the plan" not in state.memory[-1]
    (_, done) = ran("r1.2.0")
    state = fold(state, done, at_ms=NOON)
    assert "changed the plan" in state.memory[-1]
    assert "1. [>] Fix it" in state.memory[-1]


def test_a_call_about_an_older_plan_does_not_undo_an_edit() -> None:
    """Neither one that was written before, nor one that was under way."""
    written = working(replied("planning", step=2))
    edited = after(written, edit("Fix it"))
    assert edited.run is not None
    assert out_of_turn(edited.run, edited.run.calls["r1.2.0"])
    begun = fold(written, CallStarted(run_id="r1", call_id="r1.2.0", effect="pure"), at_ms=NOON)
    late = fold(after(begun, edit("Fix it")), planned(call_id="r1.2.0"), at_ms=NOON)
    assert shown(late) == [("Read the log", "completed"), ("Fix it", "in_progress")]


def test_a_step_that_was_finished_while_the_form_was_open_stays_finished() -> None:
    """Its line is not added once more."""
    state = working()
    assert state.run is not None
    ticked = tuple(s.model_copy(update={"status": StepStatus.COMPLETED}) if n == 1 else s for n, s in enumerate(STEPS))
    begun = CallStarted(run_id="r1", call_id="r1.2.0", effect="pure")
    now = PLAN.model_copy(update={"steps": ticked})
    later = working(replied("planning", step=2), begun, planned(now, "r1.2.0"))
    edited = after(later, edit("Fix it", "Tell Ben", seq=state.run.plan_seq))
    assert [title for title, _ in shown(edited)] == ["Read the log", "Fix it", "Tell Ben"]


def test_an_edit_that_changes_nothing_or_comes_too_late_has_no_effect() -> None:
    """Who is too late is told so."""
    (event,) = take_in(working(), edit("Fix it", "Test it", "Tell Ben"), now_ms=NOON)
    assert isinstance(event, EntryIgnored)
    (event,) = take_in(working(finished()), edit("Fix it"), now_ms=NOON)
    assert isinstance(event, NoticeQueued)
    (event,) = take_in(working(), edit(*(f"Step {number}" for number in range(60))), now_ms=NOON)
    assert isinstance(event, NoticeQueued)


def test_a_flow_takes_an_edit_and_goes_on_with_the_step_under_way() -> None:
    """Steps keep their executor and check; a need that now comes later is none any more; a new step is proved too."""
    steps = (
        FlowStep(id="s1", title="Read", check="exit"),
        FlowStep(id="s2", title="Fix", kind="swe", after=("s1",)),
        FlowStep(id="s3", title="Test", kind="swe", after=("s2",), check="exit"),
    )
    state = told(
        said("go"),
        started(),
        FlowPlanned(run_id="r1", revision=1, title="Repair", steps=steps),
        FlowStepStarted(run_id="r1", step_id="s1", brief='{"role":"user","content":"do"}'),
    )
    edited = after(state, edit("Test", "Fix", "Tell Ben"))
    run = edited.run
    assert run is not None
    assert run.flow is not None
    assert state.run is not None
    assert state.run.flow is not None
    assert (run.flow.current, run.flow.mark, run.flow.began_seq) == ("s1", state.run.flow.mark, 4)
    assert [(s.id, s.title, s.kind, s.after, s.check) for s in run.flow.steps] == [
        ("s1", "Read", "manus", (), "exit"),
        ("s3", "Test", "swe", (), "exit"),
        ("s2", "Fix", "swe", ("s1",), "judge"),
        ("p2", "Tell Ben", "manus", (), "judge"),
    ]
    assert [title for title, _ in shown(edited)] == ["Read", "Test", "Fix", "Tell Ben"]
    assert open_titles(run) == ("Test", "Fix", "Tell Ben")
    done = fold(
        edited,
        FlowStepEnded(run_id="r1", step_id="s1", status=StepStatus.COMPLETED, summary="read"),
        at_ms=NOON,
    )
    assert shown(done)[0] == ("Read", "completed")


QUESTION = asked("", *PLAN_WAYS).model_copy(update={"purpose": "plan"})


def proposed() -> SessionState:
    """A plan that waits for a word."""
    first = started().model_copy(update={"plan_first": True})
    begun = CallStarted(run_id="r1", call_id="r1.1.0", effect="pure")
    state = told(said("go"), first, replied("planning", "bash"), begun, planned(), QUESTION)
    assert state.run is not None
    assert waits_for_plan(state.run)
    return state


def asking(answer: str, how: str = "button") -> SessionState:
    """The same, and the word."""
    state = proposed()
    for event in answered(QUESTION, answer, "U0BEN", how):
        state = fold(state, event, at_ms=NOON)
    return state


def test_work_begins_with_a_yes_to_the_plan_and_with_nothing_else() -> None:
    """Other words go to the model, and what it called beside the plan stays out of turn."""
    yes = asking(START_WORK)
    assert yes.run is not None
    assert out_of_turn(yes.run, yes.run.calls["r1.1.1"]) == ""
    other = asking("first ask Ben", "typed")
    assert other.run is not None
    assert waits_for_plan(other.run)
    assert out_of_turn(other.run, other.run.calls["r1.1.1"])
    assert "first ask Ben" in other.asides[-1]


def test_a_no_to_the_plan_or_no_answer_ends_the_run() -> None:
    """With its own last word."""
    for answer, how, outcome in ((STOP_HERE, "button", RunOutcome.STOPPED), ("", "expired", RunOutcome.EXPIRED)):
        state = asking(answer, how)
        assert state.run is not None
        assert state.run.outcome is outcome


def start(question_id: str) -> AnswerEntry:
    """Ana presses Start on a card."""
    return AnswerEntry(entry_id=f"click:{question_id}", question_id=question_id, choice=0, by="U0ANA", how="button")


def test_a_yes_to_the_plan_before_an_edit_starts_nothing_and_the_edited_one_is_asked_about() -> None:
    """Ben edits while the plan waits; Ana's click on the old card is told so, hers on the new one counts."""
    edited = after(proposed(), edit("Tell Ben", "Drop the tables"))
    assert edited.run is not None
    new = edited.run.questions[edited.run.open_question].asked
    assert (edited.run.state, new.purpose, new.choices) == (AgentState.WAITING, "plan", PLAN_WAYS)
    assert new.question_id != QUESTION.question_id
    late = take_in(edited, start(QUESTION.question_id), now_ms=NOON)
    assert [event.code for event in late if isinstance(event, NoticeQueued)] == [NoticeCode.QUESTION_GONE]
    assert waits_for_plan(edited.run)
    begun = edited
    for event in take_in(edited, start(new.question_id), now_ms=NOON):
        begun = fold(begun, event, at_ms=NOON)
    assert begun.run is not None
    assert not waits_for_plan(begun.run)
    assert [title for title, _ in shown(begun)[1:]] == ["Tell Ben", "Drop the tables"]
