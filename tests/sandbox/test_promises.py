"""Every promise of `self_check`, kept by every back-end that this machine has."""

from pathlib import Path

import pytest

from tests.sandbox.backends import CONTAINED, made_of
from tools.sandbox.checks import bounds, files, network, privileges, running
from tools.sandbox.checks.bench import Check, bench_for
from tools.sandbox.interpreter import RECORD, Interpreter
from tools.sandbox.self_check import finding

ISOLATION = (*privileges.CHECKS, *files.CHECKS, *network.CHECKS)
EVERY = (*running.CHECKS, *ISOLATION, *bounds.CHECKS)
CASES = [pytest.param(name, check, id=f"{name}-{check.name}") for name in CONTAINED for check in EVERY]
UNCONTAINED = [check for check in EVERY if not check.contained_only]

ONLY_BY_THE_SANDBOX = frozenset(
    "no-new-privileges tracing mounting keys rings kernel terminal host-file host-file-unchanged host-addition symlink "
    "hard-link other-workspace data bot-process mount tcp udp unix-stream unix-datagram unix-pair unix-mount "
    "netlink".split()
)
"""Promises that nothing but the sandbox keeps, whatever user the code runs as."""


def named(check: Check) -> str:
    """The id of a test about a check."""
    return check.name


@pytest.mark.parametrize(("backend", "check"), CASES)
async def test_a_back_end_keeps_its_promise(backend: str, check: Check, python: Interpreter, data: Path) -> None:
    """What `doctor` checks on a user's machine holds on this one, on each back-end that contains."""
    with bench_for(made_of(backend, python), data) as bench:
        assert (await finding(check, bench)).problem == ""


@pytest.mark.parametrize("check", UNCONTAINED, ids=named)
async def test_the_uncontained_back_end_keeps_what_it_promises(check: Check, python: Interpreter, data: Path) -> None:
    """Without containment programs still run as expected, end in time and leave nothing."""
    with bench_for(made_of("unsafe_local", python), data) as bench:
        assert (await finding(check, bench)).problem == ""


@pytest.mark.parametrize("check", ISOLATION, ids=named)
async def test_an_old_landlock_keeps_it_with_the_filter(check: Check, python: Interpreter, data: Path) -> None:
    """Where Landlock has only its first version, the system call filter makes up for what it lacks."""
    with bench_for(made_of("landlock-1", python), data) as bench:
        assert (await finding(check, bench)).problem == ""


@pytest.mark.parametrize("check", [check for check in ISOLATION if check.name in ONLY_BY_THE_SANDBOX], ids=named)
async def test_a_check_bites_where_nothing_contains(check: Check, python: Interpreter, data: Path) -> None:
    """Each isolation check finds a problem on the uncontained back-end, so a pass elsewhere means something."""
    with bench_for(made_of("unsafe_local", python), data) as bench:
        assert (await finding(check, bench)).problem != ""


@pytest.mark.parametrize("backend", CONTAINED)
async def test_the_prepared_packages_work_inside(backend: str, python: Interpreter, data: Path) -> None:
    """numpy, pandas, openpyxl and matplotlib import within the limits and draw a chart without complaints."""
    if not (data / RECORD).exists():
        pytest.skip("no prepared sandbox Python; run scripts/sandbox_env.py")
    with bench_for(made_of(backend, python), data) as bench:
        assert (await finding(bounds.PACKAGES, bench)).problem == ""


async def test_the_bots_tokens_are_not_inside(python: Interpreter, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A token in the bot's environment is in no environment inside, not even of the process that started it all."""
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-canary")
    chosen = {"environment-cleared", "launcher-process"}
    for backend in CONTAINED:
        with bench_for(made_of(backend, python), data) as bench:
            found = [await finding(check, bench) for check in EVERY if check.name in chosen]
        assert [one.problem for one in found] == ["", ""]


def test_the_self_check_names_every_promise_once() -> None:
    """The list that people read has no name twice and more than forty entries."""
    names = [check.name for check in EVERY]
    assert len(set(names)) == len(names) >= 40
