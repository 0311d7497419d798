"""Every promise of `self_check`, kept by every back-end that this machine has."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.parts import requires
from tests.sandbox.backends import CONTAINED, ON_THE_HOST, made_of
from tools.sandbox.checks import bounds, files, network, privileges, running
from tools.sandbox.checks.bench import Check, bench_for
from tools.sandbox.interpreter import Interpreter
from tools.sandbox.port import Sandbox
from tools.sandbox.self_check import finding, findings

GROUPS = {
    "running": running.CHECKS,
    "privileges": privileges.CHECKS,
    "files": files.CHECKS,
    "network": network.CHECKS,
    "bounds": bounds.CHECKS,
}
ISOLATION = (*privileges.CHECKS, *files.CHECKS, *network.CHECKS)
EVERY = tuple(check for group in GROUPS.values() for check in group)

ONLY_BY_THE_SANDBOX = frozenset(
    "no-new-privileges tracing mounting keys rings kernel terminal host-file host-file-unchanged host-addition symlink "
    "hard-link other-workspace data bot-process mount tcp udp unix-stream unix-datagram unix-pair unix-mount "
    "netlink".split()
)
"""Promises that nothing but the sandbox keeps, whatever user the code runs as."""


async def broken(sandbox: Sandbox, checks: Iterable[Check], data: Path) -> dict[str, str]:
    """The promises that are not kept, with what was found."""
    return {one.name: one.problem async for one in findings(sandbox, checks, data=data) if not one.kept}


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("backend", CONTAINED)
async def test_a_back_end_keeps_its_promises(backend: str, group: str, python: Interpreter, data: Path) -> None:
    """What `doctor` checks on a user's machine holds on this one, on each back-end that contains."""
    assert await broken(made_of(backend, python), GROUPS[group], data) == {}


async def test_the_uncontained_back_end_keeps_what_it_promises(python: Interpreter, data: Path) -> None:
    """Without containment programs still run as expected, end in time and leave nothing."""
    checks = [check for check in EVERY if not check.contained_only]
    assert await broken(made_of("unsafe_local", python), checks, data) == {}


async def test_an_old_landlock_keeps_them_with_the_filter(python: Interpreter, data: Path) -> None:
    """Where Landlock has only its first version, the system call filter makes up for what it lacks."""
    assert await broken(made_of("landlock-1", python), ISOLATION, data) == {}


async def test_the_checks_bite_where_nothing_contains(python: Interpreter, data: Path) -> None:
    """Each isolation check finds a problem on the uncontained back-end, so a pass elsewhere means something."""
    checks = [check for check in ISOLATION if check.name in ONLY_BY_THE_SANDBOX]
    found = await broken(made_of("unsafe_local", python), checks, data)
    assert sorted(found) == sorted(check.name for check in checks)


@pytest.mark.parametrize("backend", ON_THE_HOST)
async def test_the_prepared_packages_work_inside(backend: str, python: Interpreter, data: Path) -> None:
    """numpy, pandas, openpyxl and matplotlib import within the limits and draw a chart without complaints."""
    requires("python-for-code")
    with bench_for(made_of(backend, python), data) as bench:
        assert (await finding(bounds.PACKAGES, bench)).problem == ""


async def test_the_bots_tokens_are_not_inside(python: Interpreter, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A token in the bot's environment is in no environment inside, not even of the process that started it all."""
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-canary")
    chosen = {"environment-cleared", "launcher-process"}
    for backend in ON_THE_HOST:
        with bench_for(made_of(backend, python), data) as bench:
            found = [await finding(check, bench) for check in EVERY if check.name in chosen]
        assert [one.problem for one in found] == ["", ""]


def test_the_self_check_names_every_promise_once() -> None:
    """The list that people read has no name twice and more than forty entries."""
    names = [check.name for check in EVERY]
    assert len(set(names)) == len(names) >= 40
