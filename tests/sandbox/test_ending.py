"""Whatever happens to the bot, nothing that ran inside outlives it."""

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from tests.sandbox.backends import BACKENDS
from tests.waiting import wait_until
from tools.sandbox.checks.bench import has_writer
from tools.sandbox.port import Execution, Limits, Sandbox
from tools.sandbox.probe import ProbeSpace
from tools.sandbox.watch import usage

ROOT = Path(__file__).parents[2]
BOT = """
import asyncio, sys
from pathlib import Path
from tests.sandbox.backends import made_of
from tools.sandbox import interpreter
from tools.sandbox.port import Execution
from tools.sandbox.probe import ProbeSpace, owner_for

backend, data, root, uid = sys.argv[1:]
owner = (int(uid), int(uid)) if uid != "-" else None
found = interpreter.find(Path(data), owner)
sandbox = made_of(backend, found)
script = "exec 9<>held; (setsid sleep 300 &) ; mkdir $TMPDIR/d; echo > $TMPDIR/d/f; echo $TMPDIR > started; sleep 300"
asyncio.run(sandbox.run(ProbeSpace(root=Path(root), owner=owner), Execution(argv=("sh", "-c", script))))
"""


@pytest.mark.parametrize("backend", BACKENDS)
async def test_a_killed_bot_leaves_no_program_and_no_temporary_files(
    backend: str, data: Path, space: ProbeSpace
) -> None:
    """Kill -9 of the bot ends the program and its daemon and removes what they put aside, on each back-end."""
    held = space.root / "held"
    os.mkfifo(held, 0o666)
    if space.owner:
        os.chown(held, *space.owner)
    uid = str(space.owner[0]) if space.owner else "-"
    arguments = ("-c", BOT, backend, str(data), str(space.root), uid)
    bot = await asyncio.create_subprocess_exec(sys.executable, *arguments, cwd=ROOT)
    started = space.root / "started"
    await wait_until("the program started", lambda: (started.exists() and started.read_text()) or bot.returncode)
    assert bot.returncode is None
    scratch = Path(started.read_text().strip())
    bot.send_signal(signal.SIGKILL)
    await bot.wait()
    await wait_until("nothing holds the pipe", lambda: not has_writer(held))
    # In bubblewrap it is a /tmp of its own, which ends with the namespace.
    if backend != "bubblewrap":
        await wait_until("temporary files are gone", lambda: not scratch.exists())


def open_descriptors() -> int:
    """How many this process has."""
    return len(list(Path("/proc/self/fd").iterdir()))


async def test_many_calls_leak_no_descriptor(sandbox: Sandbox, space: ProbeSpace) -> None:
    """Pipes to the children are closed on both sides."""
    await sandbox.run(space, Execution(argv=("true",)))
    before = open_descriptors()
    for _ in range(5):
        await sandbox.run(space, Execution(argv=("true",)))
    assert open_descriptors() <= before


async def test_calls_of_two_workspaces_run_side_by_side(sandbox: Sandbox, space: ProbeSpace) -> None:
    """Ending one does not end the other."""
    slow = asyncio.create_task(sandbox.run(space, Execution(argv=("sh", "-c", "touch up; sleep 1; echo whole"))))
    await wait_until("the slow call runs", (space.root / "up").exists)
    quick = await sandbox.run(space, Execution(argv=("sh", "-c", "(setsid sleep 60 &) ; echo quick")))
    assert (quick.stdout, (await slow).stdout) == (b"quick\n", b"whole\n")


async def test_a_workspace_that_is_too_full_is_told_at_the_end(sandbox: Sandbox, space: ProbeSpace) -> None:
    """A call that ends before anyone looks keeps its exit code, and the reason is said."""
    limits = Limits(workspace_bytes=100_000)
    done = await sandbox.run(space, Execution(argv=("sh", "-c", "head -c 300000 /dev/zero > big"), limits=limits))
    assert "workspace holds" in done.killed
    assert (space.root / "big").exists()


def test_holes_and_hard_links_are_not_counted_twice(tmp_path: Path) -> None:
    """The measure is what lies on the disk."""
    with (tmp_path / "sparse").open("wb") as sparse:
        sparse.truncate(10**9)
    (tmp_path / "file").write_bytes(b"x" * 100_000)
    os.link(tmp_path / "file", tmp_path / "again")
    (tmp_path / "link").symlink_to("/usr")
    found = usage(tmp_path)
    assert found.size < 200_000
    assert found.files == 4
