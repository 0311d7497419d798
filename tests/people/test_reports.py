"""What people reported of other bots, row by row, and the test here that shows it does not happen."""

import ast
from collections.abc import Mapping

import pytest

from scripts.machine import ROOT

ROWS: Mapping[str, tuple[str, ...]] = {
    "two follow-ups at the same instant interleave": (
        "scenarios/test_hearing.py::test_two_follow_ups_at_once_are_answered_in_one_run_each_heard",
        "people/test_steering.py::test_what_is_said_during_a_run_is_read_before_the_next_request_in_order",
    ),
    "a person waits behind many other things": (
        "people/test_replicas.py::test_a_click_is_taken_before_what_only_waits",
    ),
    "an old stop ends a newer request": ("people/test_steering.py::test_an_older_stop_never_hits_a_newer_request",),
    "a sentence with the word stop stops": (
        "scenarios/test_stopping.py::test_a_sentence_about_stopping_stops_nothing",
    ),
    "a stop leaves the tool loop running": (
        "scenarios/test_stopping.py::test_the_stop_button_ends_a_running_tool",
        "people/test_steering.py::test_every_way_to_stop_ends_a_waiting_model_request",
    ),
    "a card says allowed and the run is never told": (
        "people/test_replicas.py::test_a_click_taken_by_another_replica_moves_the_run_on_at_once",
    ),
    "two updates of a card lose the approver's name": (
        "people/test_replicas.py::test_the_card_names_who_decided_whatever_comes_between",
    ),
    "approved and never continued": (
        "scenarios/test_restarts.py::test_killed_at_the_question_and_at_the_approval_it_goes_on",
    ),
    "a resumed reply is lost with its address": (
        "scenarios/test_restarts.py::test_killed_at_the_question_and_at_the_approval_it_goes_on",
    ),
    "channel membership is the only right": (
        "people/test_approvals.py::test_nobody_is_an_approver_by_being_in_the_channel",
        "people/test_approvals.py::test_under_four_eyes_who_asked_cannot_approve_but_can_deny",
    ),
    "the prompt goes to whoever spoke last": (
        "people/test_questions.py::test_other_talk_is_no_answer_and_is_kept_as_a_follow_up",
    ),
    "fetching a URL is allowed by itself": ("policy/test_engine.py::test_without_rules_the_shipped_defaults_decide",),
    "a long command makes an invalid card": (
        "people/test_cards.py::test_a_call_too_long_for_the_card_is_there_in_full_and_can_be_decided",
        "people/test_cards.py::test_a_call_too_large_to_be_shown_cannot_be_approved",
    ),
    "a typed answer does not bind": (
        "people/test_questions.py::test_free_words_of_the_person_asked_answer_a_question_with_choices",
    ),
    "answering after the timeout does nothing": (
        "people/test_questions.py::test_a_late_answer_starts_a_new_turn_with_it",
    ),
    "a typed answer leaves no trace": (
        "people/test_questions.py::test_free_words_of_the_person_asked_answer_a_question_with_choices",
    ),
    "a cancelled job is never taken up again": ("scenarios/test_restarts.py::test_a_term_signal_drains",),
}


@pytest.mark.parametrize("row", ROWS)
def test_every_report_has_a_test_that_exists(row: str) -> None:
    """A renamed or deleted test is missed here."""
    for named in ROWS[row]:
        file, _, name = named.partition("::")
        tree = ast.parse((ROOT / "tests" / file).read_text(encoding="utf-8"))
        functions = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
        assert name in functions, named
