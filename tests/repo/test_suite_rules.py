"""The rules that tests/conftest.py lays on every test, shown on small suites of their own."""

import textwrap

import pytest

from scripts.machine import ROOT

pytest_plugins = ["pytester"]

RULES = """
import sys
sys.path.insert(0, {root!r})
from tests import leftovers
from tests.conftest import *
leftovers.GRACE = 1.0
"""

INI = """
[pytest]
asyncio_mode = auto
asyncio_default_fixture_loop_scope = function
filterwarnings = error
markers =
    needs(*parts): parts of the machine
"""


@pytest.fixture
def suite(pytester: pytest.Pytester) -> pytest.Pytester:
    """Return an empty suite under the project's rules."""
    pytester.makeini(INI)
    pytester.makeconftest(RULES.format(root=str(ROOT)))
    return pytester


def run(suite: pytest.Pytester, body: str, *, ci: str, monkeypatch: pytest.MonkeyPatch) -> pytest.RunResult:
    """Run one test file in a process of its own."""
    monkeypatch.setenv("CI", ci)
    suite.makepyfile(textwrap.dedent(body))
    return suite.runpytest_subprocess("-p", "no:cacheprovider", "-p", "no:valkey", "-q")


def test_a_task_that_outlives_its_test_fails_it(suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that forgets a task gets an error that names the task."""
    body = """
        import asyncio
        kept = []
        async def test_forgets():
            kept.append(asyncio.create_task(asyncio.Event().wait(), name="forgotten"))
    """
    result = run(suite, body, ci="", monkeypatch=monkeypatch)
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*tasks still running*forgotten*"])


def test_a_process_that_outlives_its_test_fails_it(suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that forgets a process gets an error with its command, also when the process left its parent."""
    body = """
        import subprocess, sys
        AWAY = "import os, sys, time; os.fork() and os._exit(0); os.setsid(); sys.stdin.read()"
        def test_forgets(request):
            away = subprocess.Popen([sys.executable, "-c", AWAY], stdin=subprocess.PIPE)
            request.config.kept = away.stdin
            assert away.wait() == 0
    """
    result = run(suite, body, ci="", monkeypatch=monkeypatch)
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*processes still running*os.setsid*"])


def test_a_missing_part_is_named_at_the_end(suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """Outside of CI a test that needs a missing part is skipped, and the summary says which suite and why."""
    body = """
        import pytest
        @pytest.mark.needs("chromium")
        def test_page():
            raise AssertionError
    """
    hidden = "import tests.parts\ntests.parts.program = lambda _name: None\n"
    suite.makeconftest(RULES.format(root=str(ROOT)) + hidden)
    result = run(suite, body, ci="", monkeypatch=monkeypatch)
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["Suites that could not run:", "*test_a_missing_part*: needs no chromium*"])
    assert run(suite, body, ci="true", monkeypatch=monkeypatch).ret == pytest.ExitCode.TESTS_FAILED


def test_a_misspelt_part_is_an_error(suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """A need that no part answers to cannot skip a test silently."""
    body = """
        import pytest
        @pytest.mark.needs("chromum")
        def test_page():
            pass
    """
    run(suite, body, ci="", monkeypatch=monkeypatch).assert_outcomes(errors=1)


def test_an_unclosed_socket_fails_the_test_that_opened_it(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a test forgot to close is found in its own name, also when only the garbage collector could tell."""
    body = """
        import socket
        def test_forgets():
            ring = [socket.socket()]
            ring.append(ring)
        def test_is_innocent():
            import gc
            gc.collect()
    """
    result = run(suite, body, ci="", monkeypatch=monkeypatch)
    result.stdout.fnmatch_lines(["*Exception ignored in: <socket.socket*", "ERROR *::test_forgets"])
    result.assert_outcomes(passed=2, errors=1)
