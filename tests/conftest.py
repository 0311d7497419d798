"""Rules for every test: parts of the machine it needs, nothing left behind, and what could not run named at the end."""

import asyncio
import gc
import os
from collections.abc import AsyncIterator, Iterator
from inspect import iscoroutinefunction
from typing import cast

import pytest
import pytest_asyncio
from hypothesis import HealthCheck, settings

from tests.leftovers import collect_unclosed, left_running, left_tasks, living, mark_this_run, open_descriptors
from tests.parts import requires

MARK = mark_this_run()
# Few examples each, because many of them render or journal much: every run draws others, but where a change is judged
# it draws the same ones each time.
settings.register_profile(
    "handrail",
    max_examples=40,
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("handrail")
LONG = (
    "tests/chaos/",
    "tests/durability/",
    "tests/mcp/test_odd_servers",
    "tests/mcp/test_real_servers",
    "tests/repo/test_suite_rules",
    "tests/sandbox/",
    "tests/store/test_moves_against_a_model",
)
"""Endurance and enumerations: half of the suite's time, and rarely touched by a change elsewhere."""

MOST_WORKERS = 8
LOOPS = {"function": "no_task_left", "session": "no_task_left_beside_those_of_the_session"}
"""The fixture that looks for tasks in the event loop of a test, by the scope of that loop."""

pytest_plugins = ("tests.support.redis", "tests.support.slack_fixtures", "tests.support.serving")


def pytest_xdist_auto_num_workers() -> int:
    """How many workers `-n auto` means: two for each core, since much of a test is waiting; fewer on large machines."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(cores, min(2 * cores, MOST_WORKERS))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is long and begin with it, so that none is left over for the end; what reads recordings comes last."""
    for item in items:
        if item.nodeid.startswith(LONG):
            item.add_marker("long")
    items.sort(key=lambda item: 0 if item.get_closest_marker("long") else 2 if "tests/types/" in item.nodeid else 1)


def pytest_collection_finish() -> None:
    """Leave what collecting made out of every later garbage collection: the search for unclosed files is dear else."""
    gc.collect()
    gc.freeze()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Look for what `@pytest.mark.needs(...)` names before any fixture of the test starts."""
    for mark in item.iter_markers("needs"):
        requires(*cast("tuple[str, ...]", mark.args))


@pytest.fixture
async def no_task_left() -> AsyncIterator[None]:
    """Fail a test whose event loop still has tasks when everything else was torn down."""
    yield
    tasks = await left_tasks()
    assert not tasks, f"tasks still running: {tasks}"


@pytest_asyncio.fixture(loop_scope="session")
async def no_task_left_beside_those_of_the_session() -> AsyncIterator[None]:
    """Do the same for a test that runs in the session's event loop."""
    before = asyncio.all_tasks()
    yield
    tasks = await left_tasks(before)
    assert not tasks, f"tasks still running: {tasks}"


@pytest.fixture(autouse=True)
def nothing_left_behind(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test that leaves a task or a process; what a session's fixtures started before it is not its own."""
    before, descriptors = living(), open_descriptors()
    item = cast("pytest.Item", request.node)
    function: object = getattr(item, "obj", None)
    marked = item.get_closest_marker("asyncio")
    if callable(function) and iscoroutinefunction(function):
        request.getfixturevalue(LOOPS[str(marked.kwargs.get("loop_scope", "function")) if marked else "function"])
    yield
    collect_unclosed(descriptors)
    left = left_running(before, MARK)
    assert not left, f"processes still running: {left}"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name each file with tests that could not run here, and why."""
    reasons: dict[str, set[str]] = {}
    for report in terminalreporter.getreports("skipped"):
        where = cast("tuple[str, int, str] | str", report.longrepr)
        why = where[2] if isinstance(where, tuple) else where
        reasons.setdefault(report.nodeid.partition("::")[0], set()).add(why.removeprefix("Skipped: "))
    if not reasons:
        return
    terminalreporter.section("suites that could not run")
    terminalreporter.write_line("Suites that could not run:")
    for name in sorted(reasons):
        terminalreporter.write_line(f"  {name}: {'; '.join(sorted(reasons[name]))}")
