"""Which back-end is used is found out by running something in it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.parts import requires
from tests.sandbox.backends import made_of
from tools.sandbox.interpreter import Interpreter, find
from tools.sandbox.port import Execution, Level, SandboxUnavailable
from tools.sandbox.probe import ProbeSpace, choose, owner_for
from tools.sandbox.settings import SandboxSettings

ROOT = Path(__file__).parents[2]
IN_A_CONTAINER = """
import asyncio, ctypes, errno, json, sys
from pathlib import Path
from tools.sandbox import launcher, seccomp
from tools.sandbox.launch import machine
from tools.sandbox.probe import choose
from tools.sandbox.settings import SandboxSettings

column = 0 if machine() == "x86_64" else 1
number = lambda *names: seccomp.numbers_of(names, column)
program = b"".join([
    seccomp.instruction(seccomp.LOAD, 0),
    *seccomp.answer(number("unshare", "mount", "setns"), errno.EPERM),
    *seccomp.answer(number("clone3"), errno.ENOSYS),
    *seccomp.argument_test(number("clone"), 0, seccomp.JUMP_ANY_BIT, seccomp.CLONE_NEW_NAMESPACES),
    seccomp.instruction(seccomp.RETURN, seccomp.ALLOW),
])
libc = ctypes.CDLL(None, use_errno=True)
launcher.checked(libc.prctl(launcher.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
launcher.filter_calls(libc, program)
chosen = asyncio.run(choose(SandboxSettings(), data=Path(sys.argv[1])))
print(json.dumps([chosen.level, chosen.describe()]))
"""


async def test_the_strongest_back_end_that_works_is_chosen(data: Path) -> None:
    """With bubblewrap installed and user namespaces permitted, it is bubblewrap."""
    requires("bwrap", "userns")
    assert (await choose(SandboxSettings(), data=data)).level is Level.BUBBLEWRAP


async def test_without_bubblewrap_it_is_landlock(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that is not on the PATH is not looked for elsewhere."""
    made_of("landlock", Interpreter(python="/usr/bin/python3"))
    monkeypatch.setenv("PATH", "/nowhere")
    assert (await choose(SandboxSettings(), data=data)).level is Level.LANDLOCK


def test_where_a_container_forbids_namespaces_it_is_landlock(data: Path) -> None:
    """Docker's usual profile refuses new namespaces and mounts; bubblewrap is there but does not work."""
    made_of("landlock", Interpreter(python="/usr/bin/python3"))
    command = [sys.executable, "-c", IN_A_CONTAINER, str(data)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=350)
    level, _ = json.loads(done.stdout)
    assert level == "landlock"


async def test_with_nothing_to_contain_code_it_refuses_and_names_the_fix(
    data: Path, space: ProbeSpace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No code runs, and the sentence says what to install and what to set."""
    monkeypatch.setenv("PATH", "/nowhere")
    chosen = await choose(SandboxSettings(backend="bubblewrap"), data=data)
    assert chosen.level is Level.NONE
    with pytest.raises(SandboxUnavailable, match=r"Install bubblewrap.*unsafe_local = true.*not installed"):
        await chosen.run(space, Execution(argv=("touch", "ran")))
    assert list(space.root.iterdir()) == []


async def test_uncontained_only_when_the_operator_says_so(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`unsafe_local` is the last resort, and its level says that it contains nothing."""
    monkeypatch.setenv("PATH", "/nowhere")
    chosen = await choose(SandboxSettings(backend="bubblewrap", unsafe_local=True), data=data)
    assert (chosen.level, chosen.level.contains) == (Level.UNSAFE_LOCAL, False)
    assert "UNSAFE" in chosen.describe()


async def test_unsafe_local_does_not_replace_a_sandbox_that_works(data: Path) -> None:
    """The setting permits running uncontained; it does not prefer it."""
    chosen = await choose(SandboxSettings(unsafe_local=True), data=data)
    assert chosen.level.contains


async def test_without_the_prepared_python_it_says_what_is_missing(tmp_path: Path) -> None:
    """A system python takes its place."""
    found = find(tmp_path, owner_for("tests"))
    assert found
    assert "numpy" in found.note


async def test_a_prepared_python_in_a_private_place_is_not_used(tmp_path: Path) -> None:
    """What the sandbox's user cannot reach is named instead of failing at each call."""
    private = tmp_path / "private"
    private.mkdir()
    (tmp_path / "sandbox-python.json").write_text(json.dumps({"python": str(private / "python3")}), encoding="utf-8")
    found = find(tmp_path, (250_000, 250_000))
    assert found
    assert str(private) in found.note


async def test_nothing_runs_as_root(python: Interpreter, space: ProbeSpace) -> None:
    """A workspace without an owner is refused when the bot is root, on every back-end."""
    if owner_for("tests") is None:
        pytest.skip("only root could")
    for name in ("bubblewrap", "landlock", "unsafe_local"):
        sandbox = made_of(name, python)
        with pytest.raises(SandboxUnavailable, match="as root"):
            await sandbox.run(ProbeSpace(root=space.root, owner=None), Execution(argv=("touch", "ran")))
    assert list(space.root.iterdir()) == []
