"""Every report of OpenManus's users has a test of its own, and the tests that the others left over."""

import ast
import re
from collections.abc import Mapping

import pytest
from pydantic import JsonValue

from bot.rehearsal.wire import parse_request
from runtime.flow.planning import PlanningFlow
from runtime.memory.summariser import summary_request
from runtime.session.events import RunOutcome
from runtime.session.messages import serialised
from scripts.machine import ROOT
from tests.agent.conftest import desk
from tests.agent.desk import Desk, never
from tests.agent.test_verify import Bash
from tests.flow.test_planning import bash, judged, plan, step
from tests.support.model import say
from tests.support.redis import redis_server, redis_url, store
from tools.mcp.names import tool_name

__all__ = ["desk", "redis_server", "redis_url", "store"]

VALID_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")

ROWS: Mapping[str, tuple[str, ...]] = {
    "458": ("test_loops.py::test_458_a_task_that_is_done_ends_with_the_first_text",),
    "301": ("test_loops.py::test_301_1025_a_greeting_costs_one_request",),
    "302": ("test_loops.py::test_302_618_nothing_is_done_after_the_end",),
    "1025": ("test_loops.py::test_301_1025_a_greeting_costs_one_request",),
    "504": (
        "test_loops.py::test_504_apologies_in_varying_words_end_with_the_first",
        "../agent/test_progress.py::test_the_same_said_in_other_words_is_seen",
    ),
    "757": ("test_loops.py::test_757_a_plan_step_of_words_only_is_not_completed",),
    "618": (
        "test_loops.py::test_302_618_nothing_is_done_after_the_end",
        "test_loops.py::test_618_an_empty_task_after_the_end_invents_no_work",
    ),
    "963, 469, 1191, 1133": ("test_loops.py::test_963_469_1191_no_nudge_stands_in_the_history",),
    "1043, 1148": (
        "test_loops.py::test_1043_1148_a_finish_tool_of_a_server_ends_nothing_and_is_not_called_for_ever",
        "test_loops.py::test_1043_a_finish_tool_that_does_not_exist_is_refused_with_help",
    ),
    "62": ("test_context.py::test_62_large_results_stay_within_a_small_window",),
    "228": ("test_context.py::test_228_a_context_length_error_is_never_repeated_as_it_was",),
    "779": (
        "../memory/test_compaction.py::test_a_server_that_silently_drops_the_beginning_is_found_out",
        "../agent/test_truncation.py::test_a_server_that_drops_the_older_half_is_found_out",
    ),
    "935": ("test_context.py::test_935_every_plan_step_begins_with_a_small_memory",),
    "275": ("test_context.py::test_275_output_cut_in_the_middle_of_arguments_is_asked_for_again",),
    "414": ("test_context.py::test_414_tokens_are_told_per_step_and_per_run",),
    "387": ("test_context.py::test_387_a_later_run_of_the_thread_knows_the_earlier_one",),
    "744, 910, 300, 166, 23, 122": (
        "test_shapes.py::test_744_910_300_four_calls_a_turn_over_many_turns_stay_paired",
        "../agent/test_long_run.py::test_three_hundred_steps_of_four_calls_never_break_a_pair_nor_lose_the_task",
    ),
    "627, 80, 208": ("test_shapes.py::test_627_80_913_866_an_empty_turn_is_never_sent_back",),
    "913, 866, 876": ("test_shapes.py::test_627_80_913_866_an_empty_turn_is_never_sent_back",),
    "1115": ("test_shapes.py::test_1115_arguments_as_an_object_are_taken",),
    "873, 29": ("test_shapes.py::test_873_29_a_page_or_plain_text_in_place_of_an_answer_is_one_clear_end",),
    "1140, 1098": ("test_reports.py::test_1140_1098_every_request_holds_a_message_of_a_user",),
    "1143": ("test_reports.py::test_1143_odd_names_of_servers_and_tools_become_names_that_every_model_takes",),
    "107, 336, 395, 588": (
        "test_shapes.py::test_107_336_395_588_989_arguments_with_one_meaning_are_repaired",
        "test_shapes.py::test_107_truncated_arguments_run_nothing_and_say_where_they_end",
    ),
    "989": ("test_shapes.py::test_107_336_395_588_989_arguments_with_one_meaning_are_repaired",),
    "504, second log": ("test_shapes.py::test_504_a_missing_argument_three_times_is_noticed",),
    "33, 34, 617": ("test_shapes.py::test_33_34_617_a_model_without_tools_works_in_words",),
    "976, 583, 405, 500, 370, 667": (
        "test_shapes.py::test_976_583_405_500_370_667_a_call_written_as_text_runs_through_the_gate",
    ),
    "646, 831, 405, 116, 1064": ("test_loops.py::test_646_831_405_a_question_in_text_waits_for_the_person",),
}
"""The reports by their numbers, in the order in which they are listed, with the tests that show each."""


@pytest.mark.parametrize("row", ROWS)
def test_every_report_has_a_test_that_exists(row: str) -> None:
    """A renamed or deleted test is missed here."""
    for named in ROWS[row]:
        file, _, name = named.partition("::")
        tree = ast.parse((ROOT / "tests" / "openmanus" / file).read_text(encoding="utf-8"))
        functions = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
        assert name in functions, named


async def test_1140_1098_every_request_holds_a_message_of_a_user(desk: Desk) -> None:
    """Plans, verdicts and summaries are asked for beside the steps; none of them is a system message alone."""
    desk.use(desk.context.tools.with_tools([Bash()]))
    made = step("s1", "Count", check="judge")
    desk.script(plan(made), bash("echo 42 boats"), say("There are 42 boats."), judged(True, "echo 42 boats"))
    await desk.hear("count the boats")
    await PlanningFlow(desk.context).run(never)
    assert desk.run.outcome is RunOutcome.ANSWERED
    assert len(desk.model.requests) == 4
    for request in desk.model.requests:
        assert any(message.role == "user" and message.text for message in request.messages)
    summary = summary_request([serialised({"role": "user", "content": "hi"})], step_id="s", room_chars=1_000)
    assert summary.messages[0].startswith('{"role":"user"')


@pytest.mark.parametrize("server", ["/srv/tools/run.sh", "https://host:8080/mcp", "my server", "größe.日本", "a" * 90])
@pytest.mark.parametrize("tool", ["read_file", "größe", "日本語", "a.b/c:d", "x" * 90])
def test_1143_odd_names_of_servers_and_tools_become_names_that_every_model_takes(server: str, tool: str) -> None:
    """A path, an address, spaces or foreign letters end in a valid name, and another tool gets another one."""
    servers = ["other", server]
    name = tool_name(server, tool, servers)
    assert VALID_NAME.fullmatch(name)
    assert name != tool_name(server, f"{tool}2", servers)
    parameters: JsonValue = {"type": "object", "properties": {}}
    offered: JsonValue = {"type": "function", "function": {"name": name, "parameters": parameters}}
    parse_request({"model": "m", "messages": [{"role": "user", "content": "go"}], "tools": [offered]})
