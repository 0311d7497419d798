"""Deadlines follow from how a session's state moves."""

from datetime import timedelta

from runtime.session.deadlines import Deadline, between
from runtime.session.events import QuestionAnswered
from runtime.session.fold import fold
from tests.session.story import NOON, asked, finished, ran, replied, said, started, told


def names(deadlines: tuple[Deadline, ...]) -> dict[str, timedelta | None]:
    """Each deadline by name."""
    return {deadline.name: deadline.due_in for deadline in deadlines}


def test_a_run_is_bounded_from_its_start_and_free_while_it_waits() -> None:
    """Working time counts; waiting for a person does not, and what was used stays used."""
    idle = told(said("go"))
    working = fold(idle, started(), at_ms=NOON)
    assert names(between(idle, working, NOON)) == {"run": timedelta(seconds=60)}
    before = told(said("go"), started(), replied("bash"), *ran(), replied("ask_human", step=2))
    waiting = fold(before, asked("r1.2.0"), at_ms=NOON)
    due = names(between(before, waiting, NOON))
    assert due["run"] is None
    assert due["question"] == timedelta(hours=1)
    assert due["reminder"] == timedelta(minutes=1)
    answer = QuestionAnswered(run_id="r1", question_id="q1", answer="a", by="U0ANA", how="button")
    again = names(between(waiting, fold(waiting, answer, at_ms=NOON), NOON))
    assert again == {"run": timedelta(milliseconds=60_000 - 700), "question": None, "reminder": None}


def test_the_end_of_a_run_clears_everything() -> None:
    """Nothing fires for a run that is over."""
    waiting = told(said("go"), started(), replied("ask_human"), asked())
    assert names(between(waiting, fold(waiting, finished(), at_ms=NOON), NOON)) == {"question": None, "reminder": None}
    working = told(said("go"), started())
    assert names(between(working, fold(working, finished(), at_ms=NOON), NOON)) == {"run": None}
