"""What comes from Slack and goes to it."""

from collections.abc import Mapping

from tests.security.requirement import Requirement

SLACK: Mapping[int, Requirement] = {
    1: Requirement(
        input="an HTTP event with a wrong signature",
        safe="401, nothing stored",
        tests=("surface::test_only_slack_is_listened_to",),
    ),
    2: Requirement(
        input="a valid signature with an old time",
        safe="401",
        tests=("surface::test_only_slack_is_listened_to",),
    ),
    3: Requirement(
        input="the same event several times, also after a restart",
        safe="one journal entry",
        tests=(
            "scenarios::test_a_mention_told_twice_and_redelivered_starts_one_run",
            "store::test_an_entry_delivered_twice_is_taken_once",
            "store::test_a_commit_of_an_entry_already_consumed_changes_nothing",
            "surface::test_row_1_a_mention_that_arrives_as_two_events_is_one_run",
        ),
    ),
    4: Requirement(
        input="events of the bot itself, of other bots, and changes of messages",
        safe="ignored, no loop",
        tests=(
            "security::test_what_bots_say_starts_nothing",
            "scenarios::test_an_edit_starts_nothing_again",
        ),
    ),
    5: Requirement(
        input="two bots that mention each other for ever, or a person who never stops",
        safe="bots are not heard unless named, and bounded per hour like people, who are told once",
        tests=(
            "security::test_what_bots_say_starts_nothing",
            "surface::test_two_bots_that_answer_each_other_come_to_an_end",
            "scenarios_budget::test_too_many_requests_within_an_hour_are_refused_privately",
        ),
    ),
    6: Requirement(
        input="a guest or stranger mentions the bot",
        safe="a polite refusal, no model request",
        tests=(
            "scenarios::test_a_guest_is_refused_once_and_costs_nothing",
            "security::test_only_members_are_let_in",
            "security::test_an_empty_list_of_channels_means_none_and_an_absent_one_means_all",
            "scenarios::test_a_guest_talking_in_a_thread_is_left_alone",
            "surface::test_a_guest_learns_nothing_from_the_command",
        ),
    ),
    7: Requirement(
        input="hundreds of messages in seconds",
        safe="a full inbox refuses messages, never a click; other threads go on",
        tests=(
            "store::test_a_full_inbox_refuses_messages_but_never_an_urgent_entry",
            "surface::test_fifty_threads_in_one_channel_are_answered_without_a_refusal",
            "surface::test_fifty_first_signs_need_not_wait",
            "scenarios_budget::test_too_many_requests_within_an_hour_are_refused_privately",
        ),
    ),
    8: Requirement(
        input="zero-width, bidirectional and tag characters",
        safe="made visible",
        tests=(
            "tools::test_what_cannot_be_seen_is_written_out",
            "tools::test_nothing_hides_in_a_difference",
            "bot::test_no_markdown_pings_hides_or_disguises",
        ),
    ),
    9: Requirement(
        input="a file called ../../.bashrc, or one that is too large",
        safe="its last name only; bounded",
        tests=(
            "security::test_the_name_of_an_attachment_decides_nothing",
            "security::test_a_file_that_is_too_large_is_not_taken",
            "tools::test_a_document_that_unpacks_to_more_than_memory_hurts_nobody",
            "tools::test_a_broken_document_is_refused_with_the_reason",
        ),
    ),
    10: Requirement(
        input="a form or button with a forged address inside",
        safe="looked up on the server; the person is checked",
        tests=(
            "bot::test_a_value_that_is_not_ours_is_refused",
            "session::test_a_click_with_an_id_of_another_session_does_nothing",
        ),
    ),
    11: Requirement(
        input="<!channel> and other mentions in what the model says",
        safe="nobody is notified, in any place",
        tests=(
            "bot::test_no_mrkdwn_pings_or_hides",
            "bot::test_everything_wanted_is_valid_and_harmless",
            "surface::test_row_65_what_a_tool_says_pings_and_disguises_nothing",
        ),
    ),
    12: Requirement(
        input="a link that shows another address than it leads to",
        safe="the whole address is seen; nothing unfurls",
        tests=(
            "bot::test_no_markdown_pings_hides_or_disguises",
            "scenarios::test_what_the_model_and_tools_say_is_harmless",
        ),
    ),
    13: Requirement(
        input="an image address from the model",
        safe="no image is loaded",
        tests=(
            "bot::test_everything_wanted_is_valid_and_harmless",
            "web::test_a_page_becomes_markdown",
            "security::test_no_image_of_a_model_is_loaded",
        ),
    ),
    14: Requirement(
        input="secrets in the result of a tool",
        safe="gone before journal, model and Slack",
        tests=(
            "tools::test_a_secret_is_found_by_its_form_wherever_it_stands",
            "tools::test_a_literal_value_never_leaves_in_any_spelling",
            "agent::test_secrets_do_not_reach_the_journal_as_results",
            "security::test_a_secret_in_a_call_is_in_no_result_view_or_export",
            "security::test_a_log_line_holds_no_secret",
            "security::test_the_bots_own_environment_is_known_by_its_names",
        ),
    ),
    15: Requirement(
        input="a bare address that Slack would link",
        safe="shown as text",
        tests=(
            "bot::test_what_is_shown_of_markdown",
            "bot::test_what_is_shown_of_mrkdwn",
        ),
    ),
    16: Requirement(
        input="an exception with paths or tokens in it",
        safe="a reference in the thread, the rest in the log",
        tests=(
            "agent::test_what_cannot_run_becomes_an_observation_that_helps",
            "agent::test_a_refused_request_fails_the_run_with_a_code_and_without_secrets",
            "security::test_an_unexpected_error_is_told_by_a_reference_alone",
            "store::test_a_wrong_password_is_named_and_never_shown",
            "scenarios::test_a_model_that_refuses_the_key_is_said_in_plain_words",
        ),
    ),
}
