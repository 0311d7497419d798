"""What users of such bots reported, row by row of these kinds, and the test here that shows it does not happen.

Kinds: duplicate, edit, ingress, threading, context, queue, delivery, rate limit, stream, status, format, files,
connection, schedule, tenancy, injection. `tests/people/test_reports.py` has those about people and decisions.
"""

import ast
from collections.abc import Mapping

import pytest

from bot.delivery.outbox import wanted
from runtime.session.ids import SessionKey
from scripts.machine import ROOT
from tests.session.story import SESSION, finished, ran, replied, said, started, told
from tests.support.model import Turn, call, calls, say
from tests.support.stage import BOT, DATA
from tests.surface.conftest import StageMaker

REPORTS = "surface/test_user_reports.py"
ROWS: Mapping[str, tuple[str, ...]] = {
    "1 duplicate: message and app_mention": (
        f"{REPORTS}::test_row_1_a_mention_that_arrives_as_two_events_is_one_run",
        "store/test_moves.py::test_an_entry_delivered_twice_is_taken_once",
    ),
    "3 duplicate: draft and final post": (f"{REPORTS}::test_row_3_a_short_answer_is_delivered_once",),
    "5 duplicate, edit: re-emitted change": (f"{REPORTS}::test_rows_5_and_7_a_change_without_an_edit_starts_nothing",),
    "7 edit: only metadata": (f"{REPORTS}::test_rows_5_and_7_a_change_without_an_edit_starts_nothing",),
    "9 ingress: unknown event": ("surface/test_http.py::test_row_9_an_event_of_an_unknown_type_is_acknowledged",),
    "11 connection: two processes on one token": (
        "surface/test_sockets.py::test_row_11_a_second_process_on_one_app_token_names_the_first",
        "surface/test_sockets.py::test_a_connection_of_another_installation_is_warned_of",
    ),
    "13 threading: reply at the root": (f"{REPORTS}::test_row_13_everything_is_said_in_the_thread",),
    "15 threading: another run's thread": (f"{REPORTS}::test_row_15_two_runs_at_once_answer_in_their_own_threads",),
    "17 context: mention in mid-thread": (
        f"{REPORTS}::test_row_17_a_mention_in_a_long_thread_brings_root_and_newest",
        f"{REPORTS}::test_row_17_a_thread_that_cannot_be_read_is_remembered",
    ),
    "19 context: direct messages": (f"{REPORTS}::test_row_19_each_direct_message_is_a_thread_of_its_own",),
    "21 state in Slack: a long run kills the thread": (
        "surface/test_reports.py::test_row_21_after_sixty_steps_the_thread_still_answers",
        "surface/test_reports.py::test_row_21_what_is_kept_with_a_message_does_not_grow",
    ),
    "23 queue: two follow-ups at once": (
        "scenarios/test_hearing.py::test_two_follow_ups_at_once_are_answered_in_one_run_each_heard",
    ),
    "25 queue: people behind schedules": ("schedule/test_firing.py::test_people_come_before_schedules",),
    "45 format: a long command on a card": (
        "people/test_cards.py::test_a_call_too_long_for_the_card_is_there_in_full_and_can_be_decided",
    ),
    "47 status: late write": ("surface/test_status.py::test_row_47_a_status_under_way_never_lands_after_the_question",),
    "57 delivery: too long to post": (
        f"{REPORTS}::test_rows_57_and_59_a_long_answer_arrives_whole",
        "scenarios/test_ending.py::test_a_longer_answer_comes_as_a_file_with_its_beginning_in_the_thread",
    ),
    "59 delivery, format: cut in the middle": (
        f"{REPORTS}::test_rows_57_and_59_a_long_answer_arrives_whole",
        "bot/test_markdown.py::test_splitting_loses_nothing",
    ),
    "61 stream: sealed": (
        "surface/test_streams.py::test_row_61_a_sealed_stream_goes_on_in_the_same_message",
        "surface/test_stream_failures.py::test_an_append_that_fails_is_an_update",
    ),
    "63 status: cleared early": (
        "surface/test_status.py::test_row_63_the_status_is_set_again_after_a_message_in_the_middle",
    ),
    "65 injection, format: live mentions": (f"{REPORTS}::test_row_65_what_a_tool_says_pings_and_disguises_nothing",),
    "69 files: a sign-in page": (f"{REPORTS}::test_row_69_a_sign_in_page_is_not_saved_as_the_file",),
    "75 schedule, threading: where it is told": (
        "scenarios_budget/test_schedules.py::test_it_is_confirmed_with_its_next_times_and_runs_in_its_thread",
    ),
    "77 tenancy: a revoked token": ("surface/test_http.py::test_row_77_one_revoked_workspace_never_stops_another",),
    "79 injection: a classifier": (f"{REPORTS}::test_row_79_nobody_asks_a_model_whether_a_message_is_meant_for_it",),
    "rate limit: fifty threads": (
        "surface/test_economy.py::test_fifty_threads_in_one_channel_are_answered_without_a_refusal",
        "surface/test_economy.py::test_a_refusal_because_of_a_rate_is_waited_out",
    ),
}
STEPS = 60


@pytest.mark.parametrize("row", ROWS)
def test_every_report_of_these_kinds_has_a_test_that_exists(row: str) -> None:
    """A renamed or deleted test is missed here."""
    for named in ROWS[row]:
        file, _, name = named.partition("::")
        tree = ast.parse((ROOT / "tests" / file).read_text(encoding="utf-8"))
        functions = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
        assert name in functions, named


def test_row_21_what_is_kept_with_a_message_does_not_grow() -> None:
    """No message carries more than its own operation's id, however long the run was."""
    events = [event for n in range(1, STEPS + 1) for event in (replied("bash", step=n), *ran(f"r1.{n}.0"))]
    items = wanted(SessionKey.parse(SESSION), told(said("go"), started(), *events, finished()), "all")
    assert max(len(item.op) for item in items) < 60


@pytest.mark.timeout(400)
async def test_row_21_after_sixty_steps_the_thread_still_answers(on_stage: StageMaker) -> None:
    """Nothing of the history is kept in Slack, so nothing there grows with it; a follow-up knows what was said."""
    steps: list[Turn] = [calls(call("planning", command="create", title="Long", steps=["One"]))]
    steps += [
        calls(call("planning", command="update", title=f"Long, part {number}", steps=["One"]))
        for number in range(STEPS - 1)
    ]
    mark = calls(call("planning", command="mark", step_index=0, step_status="completed"))
    settings = f'[slack]\nverbosity = "quiet"\n[budget.run]\nsteps = {3 * STEPS}'
    async with on_stage(*steps, mark, say("Done."), say("It was 4711."), settings=settings) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} my number is 4711; go")
        await stage.answer(sent, within=120)
        await stage.ana.send(DATA, "which number was it?", sent.ts)
        await stage.slack.wait_message(DATA, sent.ts, lambda m: "It was 4711." in m.words, "the second answer")
        assert "4711" in str(stage.model.bodies[-1]["messages"])
        sizes = [len(str(item["args"].get("metadata", ""))) for item in await stage.slack.calls("chat.postMessage")]
        assert max(sizes) < 200
