"""Whatever happens to the bot, nothing that ran inside outlives it."""

import asyncio
import os
import signal
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from tests.leftovers import open_descriptors
from tests.sandbox.backends import BACKENDS, made_of
from tests.waiting import wait_until
from tools.sandbox.checks import bounds
from tools.sandbox.checks.bench import has_writer
from tools.sandbox.interpreter import Interpreter
from tools.sandbox.landlock import LandlockSandbox
from tools.sandbox.port import MIB, Execution, Limits, Sandbox
from tools.sandbox.probe import ProbeSpace, probe_space
from tools.sandbox.process import processes_of, sweep
from tools.sandbox.seatbelt import Seatbelt
from tools.sandbox.unsafe_local import UnsafeLocal
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
    backend: str, data: Path, space: ProbeSpace, python: Interpreter
) -> None:
    """Kill -9 of the bot ends the program and its daemon and removes what they put aside, on each back-end."""
    made_of(backend, python)
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
    if backend not in {"bubblewrap", "container"}:
        await wait_until("temporary files are gone", lambda: not scratch.exists())


async def test_many_calls_leak_no_descriptor(sandbox: Sandbox, space: ProbeSpace) -> None:
    """Pipes to the children are closed on both sides."""
    await sandbox.run(space, Execution(argv=("true",)))
    before = open_descriptors()
    for _ in range(5):
        await sandbox.run(space, Execution(argv=("true",)))
    await wait_until("only what was open before is", lambda: open_descriptors() <= before)


async def test_a_call_that_is_given_up_before_it_starts_leaks_nothing(
    space: ProbeSpace, python: Interpreter, tmp_path: Path
) -> None:
    """While a plain user's threads are counted no pipe is open yet; a bot that is stopped often would run out."""
    plain, true = ProbeSpace(root=space.root, owner=None), Execution(argv=("true",))
    landlocked = LandlockSandbox(interpreter=python, abi=1)
    before = open_descriptors()
    for run in (
        UnsafeLocal(interpreter=python).run_with(str(tmp_path), plain, true),
        landlocked.run_with(str(tmp_path), plain, true, ()),
        Seatbelt(interpreter=python).run_with(str(tmp_path), plain, true, ()),
    ):
        work = asyncio.create_task(run)
        await asyncio.sleep(0)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
    await wait_until("only what was open before is", lambda: open_descriptors() <= before)


async def test_calls_of_two_workspaces_run_side_by_side(sandbox: Sandbox, space: ProbeSpace) -> None:
    """Ending one does not end the other."""
    slow = asyncio.create_task(sandbox.run(space, Execution(argv=("sh", "-c", UNTIL_TOLD))))
    await wait_until("the slow call runs", (space.root / "up").exists)
    quick = await sandbox.run(space, Execution(argv=("sh", "-c", "(setsid sleep 60 &) ; echo quick")))
    (space.root / "enough").touch()
    assert (quick.stdout, (await slow).stdout) == (b"quick\n", b"whole\n")


UNTIL_TOLD = "touch up; while [ ! -e enough ]; do sleep 0.02; done; echo whole"
DAEMON = """
import os
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execvp("sleep", ["sleep", "60"])
"""
BOMBS = {
    "fork": (bounds.BOMB, Limits(processes=20, wall=timedelta(seconds=2))),
    "memory": (bounds.CROWD, Limits(memory_bytes=256 * MIB, wall=timedelta(seconds=60))),
    "disk": (bounds.GROW, Limits(workspace_bytes=20 * MIB, wall=timedelta(seconds=60))),
    "files": (bounds.MANY, Limits(workspace_files=1000, wall=timedelta(seconds=60))),
    "double fork": (DAEMON, Limits()),
}


async def test_another_session_and_the_bot_go_on_beside_every_bomb(sandbox: Sandbox, data: Path) -> None:
    """While code of five sessions does its worst, another's calls all work, and nothing is left of it."""
    with probe_space(data) as other:
        worst = asyncio.gather(*(bomb(sandbox, data, code, limits) for code, limits in BOMBS.values()))
        answers: list[bytes] = []
        while not worst.done():
            answers.append((await sandbox.run(other, Execution(argv=("echo", "well")))).stdout)
        killed = dict(zip(BOMBS, await worst, strict=True))
    assert set(answers) == {b"well\n"}
    assert [name for name, reason in killed.items() if not reason] == ["double fork"]


async def bomb(sandbox: Sandbox, data: Path, code: str, limits: Limits) -> str:
    """Run it in a workspace of its own, holding a pipe for as long as anything of it lives; why it was killed."""
    with probe_space(data) as space:
        held = space.root / "held"
        os.mkfifo(held, 0o666)
        if space.owner:
            os.chown(held, *space.owner)
        inner = ("sh", "-c", 'exec 9<>held; exec "$0" -c "$1"', *sandbox.python, code)
        done = await sandbox.run(space, Execution(argv=inner, limits=limits))
        assert not has_writer(held)
        return done.killed


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


BOUNDED = """
import resource
resource.setrlimit(resource.RLIMIT_NPROC, (20, 20))
held = open("held", "r+b", 0)
"""


async def test_what_is_left_of_a_user_is_gone_when_the_sweep_returns(space: ProbeSpace) -> None:
    """Where nobody else could see to it, a fork bomb that goes on meanwhile is ended to its last process."""
    if space.owner is None:
        pytest.skip("only root runs code as another user")
    held, uid = space.root / "held", space.owner[0]
    os.mkfifo(held, 0o666)
    held.chmod(0o666)
    nothing, code = asyncio.subprocess.DEVNULL, BOUNDED + bounds.BOMB
    bomb = await asyncio.create_subprocess_exec(
        "/usr/bin/python3", "-c", code, user=uid, group=uid, extra_groups=[], cwd=space.root, stdout=nothing
    )
    await wait_until("it has grown", lambda: len(processes_of(uid)) >= 20)
    await asyncio.to_thread(sweep, uid)
    assert (processes_of(uid), has_writer(held)) == (set(), False)
    await bomb.wait()
