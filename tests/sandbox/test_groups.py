"""Control groups, where they can be made: the kernel counts all of an execution, and nothing of them is left."""

import asyncio
import contextlib
import os
import sys
from pathlib import Path

import pytest

from tests.sandbox.backends import groups
from tests.waiting import wait_until
from tools.sandbox.groups import PREFIX, Groups, clear, find_groups, settings
from tools.sandbox.port import MIB, Execution, Limits, Sandbox
from tools.sandbox.probe import ProbeSpace

EATER = """
import os, sys
for text in sys.argv[1].split(","):
    os.write(int(text), b"0")
held = []
while True:
    held.append(bytearray(16 * 1024 * 1024))
    for place in range(0, len(held[-1]), 4096):
        held[-1][place] = 1
"""


@pytest.fixture
def made() -> Groups:
    """Where groups are made; the test is skipped where none can be."""
    found = groups()
    if found is None:
        pytest.skip("this process may not make control groups with limits")
    return found


def left(places: Groups) -> list[Path]:
    """Groups of this process that exist."""
    return [folder for place in places.places for folder in place.glob(f"{PREFIX}{os.getpid()}-*")]


async def test_the_kernel_ends_what_takes_too_much_memory_together(made: Groups) -> None:
    """Also what no other limit binds; the group says so and is gone afterwards."""
    group = made.make(Limits(memory_bytes=64 * MIB))
    assert group
    words = ",".join(str(one) for one in group.descriptors)
    eater = await asyncio.create_subprocess_exec(sys.executable, "-c", EATER, words, pass_fds=group.descriptors)
    group.started()
    assert await eater.wait() == -9
    assert group.ran_out()
    group.close()
    assert left(made) == []


MOVED = 'for place in "$@"; do echo $$ > "$place/cgroup.procs"; done; echo in; '


@pytest.mark.parametrize(("work", "seconds", "code"), [("sleep 1", 60.0, 0), ("sleep 600", 0.1, -9)])
async def test_what_a_killed_bot_left_may_tidy_up_before_it_is_killed(
    made: Groups, work: str, seconds: float, code: int
) -> None:
    """Another bot that starts meanwhile waits for whoever removes the dead one's temporary files, but not for ever."""
    dead = await asyncio.create_subprocess_exec("true")
    await dead.wait()
    folders = [place / f"{PREFIX}{dead.pid}-{work.replace(' ', '')}" for place in made.places]
    for folder in folders:
        folder.mkdir()
    script, pipe = MOVED + work, asyncio.subprocess.PIPE
    tidying = await asyncio.create_subprocess_exec("sh", "-c", script, "sh", *map(str, folders), stdout=pipe)
    assert tidying.stdout is not None
    assert await tidying.stdout.readline() == b"in\n"
    for place in made.places:
        await asyncio.to_thread(clear, place, seconds)
    assert await tidying.wait() == code
    for place in made.places:
        await asyncio.to_thread(clear, place)
    assert not any(folder.exists() for folder in folders)


async def test_every_back_end_puts_the_program_in_a_group_of_its_own(
    made: Groups, sandbox: Sandbox, space: ProbeSpace
) -> None:
    """Somebody is in it while it runs, and it ends with the call; containers have their engine's own."""
    if sandbox.level.value == "container":
        pytest.skip("an engine makes the groups of its containers")
    os.mkfifo(space.root / "seen", 0o666)
    (space.root / "seen").chmod(0o666)
    running = asyncio.create_task(sandbox.run(space, Execution(argv=("sh", "-c", "read line < seen"))))
    await wait_until("somebody is in a group", lambda: members(made) or running.done())
    assert members(made)
    await asyncio.to_thread((space.root / "seen").write_text, "now\n")
    assert (await running).exit_code == 0
    assert left(made) == []


def members(places: Groups) -> set[str]:
    """Who is in the groups of this process."""
    found: set[str] = set()
    for folder in left(places):
        with contextlib.suppress(OSError):
            found |= set((folder / "cgroup.procs").read_text().split())
    return found


def fake(root: Path, *, enabled: str) -> tuple[Path, Path]:
    """A newer generation's tree as files, and the list of own groups."""
    (root / "bot").mkdir(parents=True)
    (root / "bot/cgroup.subtree_control").write_text(enabled)
    own = root / "own"
    own.write_text("0::/bot\n")
    return root, own


def test_without_delegation_there_are_none(tmp_path: Path) -> None:
    """A group whose children may have no limits is left alone."""
    root, own = fake(tmp_path, enabled="cpu")
    (root / "bot/cgroup.subtree_control").chmod(0o400)
    if os.access(root / "bot/cgroup.subtree_control", os.W_OK):
        (root / "bot/cgroup.subtree_control").unlink()
        (root / "bot/cgroup.subtree_control").mkdir()
    assert find_groups(root, own) is None
    assert find_groups(root, tmp_path / "missing") is None


@pytest.mark.parametrize(("unified", "name"), [(True, "memory.max"), (False, "memory.limit_in_bytes")])
def test_the_limits_leave_room_for_what_contains_the_program(unified: bool, name: str) -> None:
    """The program's own limits strike first, with a message; the group's are for all that they do not see."""
    written = settings(Limits(memory_bytes=100 * MIB, processes=10), unified=unified)
    assert int(written[name]) == 228 * MIB
    assert int(written["pids.max"]) == 18
    assert ("memory.oom.group" in written) is unified
