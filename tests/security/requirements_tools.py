"""MCP, tools, code, files, the web, memory."""

from collections.abc import Mapping

from tests.security.requirement import Requirement

TOOLS: Mapping[int, Requirement] = {
    31: Requirement(
        input="a poisoned description of an MCP tool",
        safe="withheld until accepted, capped, marked",
        tests=(
            "mcp::test_a_poisoned_description_is_bounded_marked_and_made_visible",
            "mcp::test_nothing_is_offered_before_an_operator_accepted_it",
            "mcp::test_a_servers_words_reach_the_model_marked_and_unable_to_leave_their_marks",
        ),
    ),
    32: Requirement(
        input="a definition that changes after it was accepted",
        safe="set aside until accepted; a broken record offers nothing",
        tests=(
            "mcp::test_a_changed_definition_is_set_aside_until_it_is_accepted",
            "mcp::test_any_change_of_the_raw_definition_changes_its_digest",
            "mcp::test_a_record_that_cannot_be_read_offers_nothing",
            "mcp::test_a_rug_pull_in_the_middle_of_a_run_takes_the_tool_away",
        ),
    ),
    33: Requirement(
        input="a server that offers a tool by the name of another",
        safe="names of its own; no double",
        tests=(
            "mcp::test_no_server_can_take_the_name_of_anothers_tool",
            "mcp::test_names_are_valid_short_unique_and_stable",
            "tools::test_two_tools_of_one_name_are_refused",
        ),
    ),
    34: Requirement(
        input="megabytes, nested bombs, colours and orders in a result; a schema that never ends",
        safe="cut, visible, data",
        tests=(
            "mcp::test_five_megabytes_are_cut_with_a_mark_and_kept_whole",
            "mcp::test_nested_bombs_and_colours_become_a_bounded_visible_text",
            "mcp::test_a_schema_that_would_take_for_ever_is_left_to_its_server",
            "mcp::test_whatever_a_server_calls_a_schema_arguments_are_judged_or_left_to_it",
            "mcp::test_a_schema_that_is_too_deep_or_too_large_is_not_offered",
            "mcp::test_a_servers_words_reach_the_model_marked_and_unable_to_leave_their_marks",
        ),
    ),
    35: Requirement(
        input="a server that speaks garbage, is silent, or dies",
        safe="bounded, left alone, the run goes on",
        tests=(
            "mcp::test_garbage_on_standard_output_is_passed_over",
            "mcp::test_a_server_that_dies_at_its_start_costs_little_and_is_then_left_alone",
            "mcp::test_dead_servers_block_neither_the_start_nor_a_run_and_are_named",
            "mcp::test_a_call_that_takes_too_long_is_cancelled_at_the_server",
            "mcp::test_a_server_killed_in_the_middle_of_a_call_ends_the_call",
        ),
    ),
    36: Requirement(
        input="sampling and questions of a server",
        safe="refused unless allowed",
        tests=(
            "mcp::test_sampling_is_refused",
            "mcp::test_a_server_that_may_not_ask_is_refused",
            "mcp::test_what_nobody_can_fill_in_is_declined",
            "mcp::test_an_answer_that_does_not_fit_is_declined",
        ),
    ),
    37: Requirement(
        input="a server named by a message or a model",
        safe="impossible",
        tests=(
            "security::test_only_the_operators_commands_read_or_write_what_a_server_is",
            "mcp::test_a_server_is_added_shown_and_accepted_by_the_operators_word",
            "mcp::test_nothing_is_offered_before_an_operator_accepted_it",
        ),
    ),
    38: Requirement(
        input="paths that leave the workspace",
        safe="refused at use",
        tests=(
            "tools::test_a_path_that_leaves_the_workspace_is_refused",
            "tools::test_a_link_that_leaves_the_workspace_is_refused",
            "tools::test_a_hard_link_to_a_foreign_file_is_refused",
            "tools::test_no_path_ever_escapes",
            "tools::test_no_command_of_the_editor_leaves_the_workspace",
            "tools::test_a_link_put_there_between_two_calls_is_not_followed",
        ),
    ),
    39: Requirement(
        input="addresses that lead inward",
        safe="refused in every spelling and behind every redirect",
        tests=(
            "web::test_no_spelling_of_an_inner_address_gets_through",
            "web::test_what_is_no_plain_web_address_is_refused",
            "web::test_no_redirect_leads_anywhere_else",
            "web::test_a_name_that_answers_otherwise_the_second_time_is_not_asked_a_second_time",
        ),
    ),
    40: Requirement(
        input="bombs of processes, memory, output and files",
        safe="bounded, nothing left",
        tests=("sandbox::test_a_back_end_keeps_its_promises",),
    ),
    41: Requirement(
        input="code that looks for tokens, Redis or other workspaces",
        safe="nothing there",
        tests=(
            "sandbox::test_a_back_end_keeps_its_promises",
            "sandbox::test_the_bots_tokens_are_not_inside",
        ),
    ),
    42: Requirement(
        input="pickle, YAML or code in stored data",
        safe="JSON only",
        tests=(
            "security::test_no_stored_data_is_ever_run",
            "security::test_code_that_runs_data_is_found",
        ),
    ),
    43: Requirement(
        input="one thread's words or files in another",
        safe="each session has its own memory and workspace",
        tests=(
            "security::test_sessions_share_neither_memory_nor_files",
            "surface::test_row_15_two_runs_at_once_answer_in_their_own_threads",
            "security::test_nobody_has_a_conversation_read_that_they_may_not_see",
            "security::test_nothing_is_quoted_to_another_organisation",
            "security::test_a_link_names_channel_and_thread",
            "security::test_what_names_no_conversation_is_refused",
        ),
    ),
    44: Requirement(
        input="a loop that never ends",
        safe="steps, tokens, money and time end it, also over restarts",
        tests=(
            "fundamentals::test_a_limit_ends_the_run_with_what_it_has",
            "agent::test_what_was_used_before_a_restart_counts",
            "agent::test_a_run_that_repeats_itself_is_helped_then_asked_about_then_ended",
            "scenarios_budget::test_working_time_is_bounded_and_can_be_added_to",
        ),
    ),
}
