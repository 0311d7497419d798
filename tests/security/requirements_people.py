"""Approvals and questions."""

from collections.abc import Mapping

from tests.security.requirement import Requirement

PEOPLE: Mapping[int, Requirement] = {
    17: Requirement(
        input="a click of somebody who is no approver",
        safe="refused privately",
        tests=(
            "session::test_somebody_who_may_not_decide_is_told_privately",
            "people::test_nobody_is_an_approver_by_being_in_the_channel",
            "policy::test_bots_never_approve_and_guests_only_where_they_are_named",
            "scenarios::test_a_guest_can_decide_nothing",
        ),
    ),
    18: Requirement(
        input="one's own risky call under four eyes",
        safe="refused",
        tests=(
            "people::test_under_four_eyes_who_asked_cannot_approve_but_can_deny",
            "people::test_under_four_eyes_the_editor_cannot_approve_the_edited_call",
            "people::test_a_quorum_needs_different_people_and_names_them_all",
        ),
    ),
    19: Requirement(
        input="a double click, two people at once",
        safe="the first counts, the second is told",
        tests=(
            "people::test_two_people_at_once_on_two_replicas_decide_once",
            "scenarios::test_a_click_after_the_verdict_is_told_who_decided",
            "scenarios::test_the_first_answer_wins_and_the_second_person_is_told",
            "people::test_the_card_names_who_decided_whatever_comes_between",
        ),
    ),
    20: Requirement(
        input="a click after expiry, after a stop, or on an old card",
        safe="refused",
        tests=(
            "session::test_a_click_after_the_expiry_does_nothing_even_before_the_sweep",
            "people::test_a_stop_closes_open_cards_and_an_answer_to_one_does_nothing",
            "scenarios::test_an_approval_that_nobody_decides_is_a_no",
            "agent::test_an_expired_request_means_no",
        ),
    ),
    21: Requirement(
        input="a button of another message, channel or session",
        safe="refused",
        tests=(
            "scenarios::test_a_card_copied_into_another_thread_does_nothing",
            "bot::test_a_value_that_is_not_ours_is_refused",
            "session::test_a_click_with_an_id_of_another_session_does_nothing",
        ),
    ),
    22: Requirement(
        input="other arguments between card and run",
        safe="a new approval",
        tests=(
            "policy::test_two_calls_share_a_digest_only_if_they_are_the_same",
            "people::test_a_call_that_an_earlier_one_changed_is_asked_for_anew",
        ),
    ),
    23: Requirement(
        input="a card that shows less than what would run",
        safe="everything is shown or attached, nothing hides",
        tests=(
            "people::test_a_call_too_long_for_the_card_is_there_in_full_and_can_be_decided",
            "people::test_a_call_too_large_to_be_shown_cannot_be_approved",
            "tools::test_nothing_hides_in_a_difference",
            "tools::test_a_card_shows_the_exact_code_and_the_level",
        ),
    ),
    24: Requirement(
        input="wrappers and prefixes around a command, another directory, a prepared shell",
        safe="part of the digest; no rule is passed by them",
        tests=(
            "tools::test_a_card_says_in_which_directory_code_would_run_and_is_bound_to_it",
            "tools::test_what_a_shell_goes_on_with_is_never_edited",
            "policy::test_a_denied_command_is_not_hidden_by_what_stands_around_it",
            "policy::test_two_calls_share_a_digest_only_if_they_are_the_same",
        ),
    ),
    25: Requirement(
        input="a file that changes between approval and use",
        safe="nothing happens",
        tests=(
            "tools::test_a_copy_changed_after_the_card_stops_everything",
            "tools::test_an_original_changed_after_the_card_stops_everything",
            "tools::test_a_script_that_changed_after_the_card_does_not_run",
        ),
    ),
    26: Requirement(
        input="a kill between approval and run, and during the run",
        safe="once, or a person is asked",
        tests=(
            "durability::test_a_death_at_any_point_loses_and_repeats_nothing",
            "agent::test_an_approval_used_up_by_a_lost_attempt_permits_no_second_one",
        ),
    ),
    27: Requirement(
        input="an allowance used for something else",
        safe="it holds for thread, tool, rule and definition, and for one host",
        tests=(
            "people::test_an_allowance_holds_for_the_tool_the_rule_and_the_definition_it_was_given_for",
            "security::test_one_approval_covers_one_host_of_one_thread",
            "agent::test_a_tool_that_changed_after_its_approval_is_asked_for_again",
            "people::test_an_allowance_ends_by_itself_and_by_a_click",
        ),
    ),
    28: Requirement(
        input="text that claims an approval",
        safe="ignored",
        tests=(
            "people::test_a_message_that_claims_an_approval_approves_nothing",
            "scenarios::test_a_typed_yes_approves_nothing",
            "openmanus::test_a_risky_call_written_as_text_is_asked_for_like_any_other",
            "session::test_a_typed_verdict_is_pointed_to_the_buttons",
            "security::test_a_push_happens_only_by_the_call_that_a_person_approved",
        ),
    ),
    29: Requirement(
        input="an answer that gives orders to the system",
        safe="data",
        tests=(
            "people::test_an_answer_is_data_and_approves_nothing",
            "session::test_history_brought_along_is_quoted_as_data_with_its_speakers",
            "agent::test_the_answer_becomes_the_calls_result",
        ),
    ),
    30: Requirement(
        input="a flood of approval cards",
        safe="the run is stopped",
        tests=(
            "people::test_too_many_cards_in_a_short_time_stop_the_run",
            "people::test_consecutive_calls_that_ask_the_same_people_share_a_card",
            "people::test_several_risky_calls_of_one_step_stand_on_one_card",
        ),
    ),
}
