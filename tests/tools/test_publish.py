"""What was approved is applied exactly, once, all of it or nothing."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.tools.conftest import Call
from tools.builtin.publish import Publish, PublishParams
from tools.context import ToolContext
from tools.difference import Binding, propose
from tools.errors import ToolInputError, ToolRefused
from tools.mounts import Mount
from tools.publishing import apply
from tools.workspace import Workspace


def contents(path: Path) -> dict[str, bytes]:
    """All files below a directory with what they hold."""
    return {str(file.relative_to(path)): file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file()}


def changed(session: Workspace, mount: Mount) -> Binding:
    """One file changed, one added in a new directory, one removed; as approved."""
    session.write_bytes("etl/import.py", b"def load(row):\n    return clean(row)\n")
    session.write_bytes("etl/new/deep/clean.py", b"clean = str.strip\n", mode=0o755)
    session.delete("etl/data/rows.csv")
    return propose(mount, session).binding


@pytest.fixture
def context(session: Workspace, call: Call) -> ToolContext:
    """A call in the session that has the copy."""
    return call(workspace=session)


async def prepared(mount: Mount, context: ToolContext) -> ToolContext:
    """The context of the run after an approval."""
    call = await Publish([mount]).prepare(PublishParams(mount="etl", message="m"), context)
    return replace(context, binding=call.binding)


async def test_an_approved_difference_is_applied_exactly(
    session: Workspace, mount: Mount, context: ToolContext
) -> None:
    """Changed, added and removed files, with modes kept; afterwards nothing differs any more."""
    changed(session, mount)
    (mount.path / "import.py").chmod(0o640)
    tool = Publish([mount])
    params = PublishParams(mount="etl/", message="Strips the cells; 8 of 8 tests pass.")
    call = await tool.prepare(params, context)
    assert call.preview.title == "Change 1 file, add 1 file, remove 1 file in etl/ (+2 −3)"
    assert (call.preview.language, call.preview.notes) == ("diff", ("Strips the cells; 8 of 8 tests pass.",))
    result = await tool.run(params, replace(context, binding=call.binding))
    assert result.output.splitlines()[0] == "3 files in etl/ are now as approved."
    assert contents(mount.path) == {
        ".git/config": b"internal",
        "__pycache__/import.pyc": b"cache",
        "import.py": b"def load(row):\n    return clean(row)\n",
        "new/deep/clean.py": b"clean = str.strip\n",
        "run.sh": b"#!/bin/sh\n",
    }
    assert (mount.path / "import.py").stat().st_mode & 0o777 == 0o640
    assert (mount.path / "new/deep/clean.py").stat().st_mode & 0o777 == 0o755
    with pytest.raises(ToolInputError, match="Nothing differs"):
        propose(mount, session)


async def test_owners_of_the_originals_stay(session: Workspace, mount: Mount, context: ToolContext) -> None:
    """A bot that runs as root does not take over the files it publishes."""
    if os.geteuid() != 0:
        pytest.skip("needs two users")
    os.chown(mount.path, 1234, 1235)
    os.chown(mount.path / "import.py", 1236, 1237)
    session.write_bytes("etl/import.py", b"new")
    session.write_bytes("etl/added.py", b"new")
    await Publish([mount]).run(PublishParams(mount="etl", message="m"), await prepared(mount, context))
    changed_file, added = (mount.path / "import.py").stat(), (mount.path / "added.py").stat()
    assert (changed_file.st_uid, changed_file.st_gid) == (1236, 1237)
    assert (added.st_uid, added.st_gid) == (1234, 1235)


@pytest.mark.parametrize("path", ["import.py", "data/rows.csv", "new/deep/clean.py"])
async def test_an_original_changed_after_the_card_stops_everything(
    session: Workspace, mount: Mount, context: ToolContext, path: str
) -> None:
    """Whichever file it is, none is written, and the refusal names it."""
    changed(session, mount)
    approved = await prepared(mount, context)
    (mount.path / path).parent.mkdir(parents=True, exist_ok=True)
    (mount.path / path).write_bytes(b"theirs")
    before = contents(mount.path)
    with pytest.raises(ToolRefused, match=f"original of etl/{path} changed after the difference was shown"):
        await Publish([mount]).run(PublishParams(mount="etl", message="m"), approved)
    assert contents(mount.path) == before


async def test_a_copy_changed_after_the_card_stops_everything(
    session: Workspace, mount: Mount, context: ToolContext
) -> None:
    """What runs is what was shown, not what the agent wrote afterwards."""
    changed(session, mount)
    approved = await prepared(mount, context)
    before = contents(mount.path)
    session.write_bytes("etl/import.py", b"import os; os.system('x')\n")
    with pytest.raises(ToolRefused, match=r"your copy etl/import\.py changed after"):
        await Publish([mount]).run(PublishParams(mount="etl", message="m"), approved)
    assert contents(mount.path) == before


async def test_without_an_approval_of_this_very_difference_nothing_happens(
    session: Workspace, mount: Mount, context: ToolContext
) -> None:
    """An empty binding, one of another mount and an unknown mount are refused."""
    changed(session, mount)
    before = contents(mount.path)
    other = replace(mount, name="other")
    params = PublishParams(mount="other", message="m")
    with pytest.raises(ToolRefused, match="no difference was prepared"):
        await Publish([other]).run(params, context)
    with pytest.raises(ToolRefused, match="of another mount"):
        await Publish([other]).run(params, await prepared(mount, context))
    with pytest.raises(ToolInputError, match=r"no mount called 'other'. The mounts are: etl\."):
        await Publish([mount]).prepare(params, context)
    with pytest.raises(ToolRefused, match="not yet copied into this session"):
        await Publish([other]).prepare(params, context)
    assert contents(mount.path) == before


def test_a_repeat_after_a_crash_writes_nothing_more(session: Workspace, mount: Mount) -> None:
    """All files as approved already: the repeat says so and touches none."""
    binding = changed(session, mount)
    assert not apply(binding, mount, session).already
    inode = (mount.path / "import.py").stat().st_ino
    assert apply(binding, mount, session).already
    assert (mount.path / "import.py").stat().st_ino == inode


AFTER = {
    ".git/config": b"internal",
    "__pycache__/import.pyc": b"cache",
    "import.py": b"def load(row):\n    return clean(row)\n",
    "new/deep/clean.py": b"clean = str.strip\n",
    "run.sh": b"#!/bin/sh\n",
}


def strikes(ending: str, binding: Binding, data: Path) -> list[int]:
    """The exit codes of a process that dies, or finds the disk full, at each change it makes in turn."""
    command = [sys.executable, "-m", "tests.tools.dying", ending, binding.model_dump_json(), str(data)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2])
    assert not ended.stderr
    return [int(line) for line in ended.stdout.split()]


def test_a_process_killed_in_the_middle_is_finished_by_the_repeat(session: Workspace, mount: Mount, data: Path) -> None:
    """Wherever it died, each file is as before or as approved, and the same call makes all of them as approved."""
    binding = changed(session, mount)
    before = contents(mount.path)
    codes = strikes("die", binding, data)
    assert codes == [9] * len(codes)
    assert len(codes) > 10
    for number in range(len(codes)):
        again = Mount(name="etl", path=data / f"case-{number}/srv-etl")
        workspace = Workspace(root=data / f"case-{number}/session")
        for name, content in contents(again.path).items():
            assert ".handrail-" in name or content in {before.get(name), AFTER.get(name)}
        apply(binding, again, workspace)
        assert contents(again.path) == AFTER
        with pytest.raises(ToolInputError, match="Nothing differs"):
            propose(again, workspace)


def test_a_failure_in_the_middle_puts_everything_back(session: Workspace, mount: Mount, data: Path) -> None:
    """A disk that is full at any moment leaves the originals as they were, or the whole difference applied."""
    binding = changed(session, mount)
    before = contents(mount.path)
    codes = strikes("fail", binding, data)
    assert set(codes) == {0, 3}
    for number, code in enumerate(codes):
        path = data / f"case-{number}/srv-etl"
        found = {name: content for name, content in contents(path).items() if ".handrail-" not in name}
        assert found == (before if code == 3 else AFTER)
        assert code == 0 or not (path / "new").exists()


def test_a_link_put_into_the_original_is_not_followed(session: Workspace, mount: Mount, data: Path) -> None:
    """A directory swapped for a link, inside or out, never redirects a write."""
    binding = changed(session, mount)
    (data / "outside").mkdir()
    (mount.path / "new").symlink_to(data / "outside")
    with pytest.raises(ToolRefused, match="Nothing was published"):
        apply(binding, mount, session)
    (mount.path / "new").unlink()
    (mount.path / "inside").mkdir()
    (mount.path / "new").symlink_to("inside")
    with pytest.raises(ToolRefused, match="Nothing was published"):
        apply(binding, mount, session)
    assert not list((data / "outside").iterdir())
    assert (mount.path / "import.py").read_bytes() == b"def load(row):\n    return row\n"
