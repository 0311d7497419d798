"""Rules for every test: parts of the machine it needs, nothing left behind, and what could not run named at the end."""

from collections.abc import AsyncIterator, Iterator
from inspect import iscoroutinefunction
from typing import cast

import pytest

from tests.leftovers import collect_unclosed, left_running, left_tasks, mark_this_run, open_descriptors, running
from tests.parts import requires

MARK = mark_this_run()

pytest_plugins = ("tests.support.redis", "tests.support.slack_fixtures", "tests.support.serving")


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


@pytest.fixture(autouse=True)
def nothing_left_behind(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test that leaves a task or a process; what a session's fixtures started before it is not its own."""
    before, descriptors = running(MARK), open_descriptors()
    function: object = getattr(cast("object", request.node), "obj", None)
    if callable(function) and iscoroutinefunction(function):
        request.getfixturevalue("no_task_left")
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
