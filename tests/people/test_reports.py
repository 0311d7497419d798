"""What people reported of other bots about approvals, questions, stops, queues and rights, row by row of the list of
reports, and the test that shows it does not happen here.
"""

import ast
from dataclasses import dataclass

import pytest

from scripts.machine import ROOT


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """One row of the list."""

    number: int
    kind: str
    symptom: str
    tests: tuple[str, ...]
    """File below `tests/` and function."""


def row(number: int, kind: str, symptom: str, *tests: str) -> Report:
    """A row of the list."""
    return Report(number=number, kind=kind, symptom=symptom, tests=tests)


ROWS = (
    row(
        23, "queue", "two follow-ups at the same instant run at once and interleave",
        "scenarios/test_hearing.py::test_two_follow_ups_at_once_are_answered_in_one_run_each_heard",
        "people/test_steering.py::test_what_is_said_during_a_run_is_read_before_the_next_request_in_order",
    ),
    row(
        25, "queue", "a person waits behind scheduled work",
        "schedule/test_firing.py::test_what_is_due_together_begins_one_by_one_so_that_a_person_is_next",
        "people/test_replicas.py::test_a_click_is_taken_before_what_only_waits",
    ),
    row(
        27, "stop", "an old stop ends a newer request",
        "people/test_steering.py::test_an_older_stop_never_hits_a_newer_request",
        "people/test_stops.py::test_a_stop_that_waited_with_a_newer_request_ends_only_what_was_before_it",
    ),
    row(
        29, "stop", "a sentence with the word stop stops",
        "scenarios/test_stopping.py::test_a_sentence_about_stopping_stops_nothing",
        "people/test_stops.py::test_only_the_word_alone_is_a_stop",
    ),
    row(
        31, "stop", "a stop ends the job and leaves the tool loop running",
        "scenarios/test_stopping.py::test_the_stop_button_ends_a_running_tool",
        "people/test_steering.py::test_every_way_to_stop_ends_a_waiting_model_request",
    ),
    row(
        33, "approval", "the card says allowed and the run is never told",
        "people/test_replicas.py::test_a_click_taken_by_another_replica_moves_the_run_on_at_once",
    ),
    row(
        35, "approval", "two updates of a card lose the approver's name",
        "people/test_replicas.py::test_the_card_names_who_decided_whatever_comes_between",
        "people/test_replicas.py::test_two_people_at_once_on_two_replicas_decide_once",
    ),
    row(
        37, "approval", "approved and never continued",
        "scenarios/test_restarts.py::test_killed_at_the_question_and_at_the_approval_it_goes_on",
        "durability/test_crash_points.py::test_a_death_at_any_point_loses_and_repeats_nothing",
    ),
    row(
        39, "approval", "a resumed reply is lost with its address",
        "scenarios/test_restarts.py::test_killed_at_the_question_and_at_the_approval_it_goes_on",
    ),
    row(
        41, "authz", "membership of the channel is the only right",
        "people/test_approvals.py::test_nobody_is_an_approver_by_being_in_the_channel",
        "people/test_approvals.py::test_under_four_eyes_who_asked_cannot_approve_but_can_deny",
        "scenarios/test_hearing.py::test_a_guest_can_decide_nothing",
    ),
    row(
        43, "authz", "the prompt goes to whoever spoke last, twice; fetching a URL is allowed by itself",
        "people/test_questions.py::test_other_talk_is_no_answer_and_is_kept_as_a_follow_up",
        "policy/test_engine.py::test_without_rules_the_shipped_defaults_decide",
        "security/test_web_in_a_thread.py::test_one_approval_covers_one_host_of_one_thread",
    ),
    row(
        45, "approval", "a long command makes an invalid card without buttons",
        "people/test_cards.py::test_a_call_too_long_for_the_card_is_there_in_full_and_can_be_decided",
        "people/test_cards.py::test_a_call_too_large_to_be_shown_cannot_be_approved",
        "people/test_edits.py::test_an_argument_longer_than_a_field_is_edited_in_several",
    ),
    row(
        51, "question", "a typed answer does not bind",
        "people/test_questions.py::test_free_words_of_the_person_asked_answer_a_question_with_choices",
    ),
    row(
        53, "question", "answering after the timeout does nothing",
        "people/test_questions.py::test_a_late_answer_starts_a_new_turn_with_it",
    ),
    row(
        55, "question", "a typed answer leaves no trace",
        "people/test_questions.py::test_free_words_of_the_person_asked_answer_a_question_with_choices",
    ),
    row(
        73, "queue", "a cancelled job is acknowledged and never taken up again",
        "scenarios/test_restarts.py::test_a_term_signal_drains",
    ),
)  # fmt: skip
KINDS = {"approval", "question", "stop", "queue", "authz"}
LISTED = {23, 25, 27, 29, 31, 33, 35, 37, 39, 41, 43, 45, 51, 53, 55, 73}
"""The rows of these kinds in the list."""


def functions(file: str) -> frozenset[str]:
    """The names of the functions of a file below `tests/`."""
    tree = ast.parse((ROOT / "tests" / file).read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def test_every_row_of_these_kinds_is_here_once() -> None:
    """None is left out, and none is of a kind that belongs elsewhere."""
    assert [report.number for report in ROWS] == sorted(LISTED)
    assert {report.kind for report in ROWS} == KINDS


@pytest.mark.parametrize("report", ROWS, ids=lambda report: f"row {report.number}")
def test_every_report_has_a_test_that_exists(report: Report) -> None:
    """A renamed or deleted test is missed here."""
    assert report.tests
    for named in report.tests:
        file, _, name = named.partition("::")
        assert name in functions(file), named
