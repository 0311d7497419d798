"""An approved difference as a commit on a new branch of the original's repository, against the real git."""

import asyncio
import os
import shutil
import subprocess
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.tools.conftest import Call
from tests.waiting import wait_until
from tools.base import ToolResult
from tools.builtin.bash import Bash, BashParams
from tools.builtin.publish import Publish, PublishParams
from tools.context import ToolContext
from tools.errors import ToolInputError, ToolRefused
from tools.mounts import Mount, prepare_workspace
from tools.repository import patch_name
from tools.sandbox.port import Sandbox
from tools.sandbox.probe import owner_for
from tools.workspace import Workspace

pytestmark = pytest.mark.needs("git")
PATCH = "patches/app-fix-cells-dc6ab2b3.patch"
MESSAGE = "Strip the cells\n\nAll tests pass; $(touch pwned)"


def git(path: Path, *arguments: str) -> str:
    """What git says."""
    who = ("-c", "user.name=Ana", "-c", "user.email=ana@example.com", "-c", "safe.directory=*")
    done = subprocess.run(["git", *who, "-C", str(path), *arguments], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def repository(data: Path) -> Mount:
    """A repository with one commit, a hook that must not run, and a bare one as its origin."""
    path = data / "srv-app"
    path.mkdir()
    git(path, "init", "-q", "-b", "main")
    for name, text in {
        "app.py": "x = 1\n",
        "bin/run": "#!/bin/sh\n",
        "old.txt": "old\n",
        "ünï cödé.txt": "ü\n",
    }.items():
        (path / name).parent.mkdir(exist_ok=True)
        (path / name).write_text(text, encoding="utf-8")
    git(path, "add", "-A")
    git(path, "commit", "-q", "-m", "first")
    git(data, "init", "-q", "--bare", "origin.git")
    git(path, "remote", "add", "origin", str(data / "origin.git"))
    for hook in ("pre-push", "reference-transaction", "post-checkout"):
        (path / ".git/hooks" / hook).write_text(f"#!/bin/sh\ntouch {data}/hook-ran\n")
        (path / ".git/hooks" / hook).chmod(0o755)
    return Mount(name="app", path=path)


@pytest.fixture
def context(call: Call, data: Path, repository: Mount) -> ToolContext:
    """A session in which files of the copy were changed, added, removed and made executable."""
    workspace = prepare_workspace(data / "session", [repository], owner_for(str(data)))
    workspace.write_bytes("app/app.py", b"x = 2\n")
    workspace.write_bytes("app/new/pic.bin", bytes(range(256)))
    workspace.write_bytes("app/bin/run", b"#!/bin/sh\n", mode=0o755)
    workspace.delete("app/old.txt")
    return call(workspace=workspace)


async def published(mount: Mount, context: ToolContext, *, branch: str = "fix/cells", push: bool = False) -> ToolResult:
    """Prepare and run, as after an approval."""
    tool = Publish([mount])
    params = PublishParams(mount="app", message=MESSAGE, branch=branch, push=push)
    prepared = await tool.prepare(params, context)
    return await tool.run(params, replace(context, binding=prepared.binding))


async def test_a_difference_becomes_a_commit_on_a_new_branch(repository: Mount, context: ToolContext) -> None:
    """Exactly the shown files, with the message; working tree, index and branch stay, and no hook runs."""
    params = PublishParams(mount="app", message=MESSAGE, branch="fix/cells")
    prepared = await Publish([repository]).prepare(params, context)
    head = git(repository.path, "rev-parse", "HEAD")
    assert prepared.preview.title.startswith(
        "Commit to a new branch: Change 2 files, add 1 file, remove 1 file in app/"
    )
    assert prepared.preview.body.startswith(f"[branch fix/cells, after commit {head[:12]}; files and present branch")
    result = await Publish([repository]).run(params, replace(context, binding=prepared.binding))
    path = repository.path
    assert git(path, "status", "--porcelain") == ""
    assert git(path, "symbolic-ref", "HEAD") == "refs/heads/main"
    assert git(path, "log", "-1", "--format=%an: %B", "fix/cells") == f"Handrail: {MESSAGE}"
    assert git(path, "rev-parse", "fix/cells^") == head
    changed = git(path, "diff", "--summary", "--name-status", "main", "fix/cells").split("\n")
    assert {line.replace("\t", " ") for line in changed if line[0] in "MAD"} == {
        "M app.py", "M bin/run", "A new/pic.bin", "D old.txt"
    }  # fmt: skip
    assert "mode change 100644 => 100755 bin/run" in git(path, "diff", "--summary", "main", "fix/cells")
    assert not (path.parent / "hook-ran").exists()
    assert [file.path for file in result.files] == [PATCH]


async def test_the_patch_file_makes_the_same_commit_elsewhere(
    repository: Mount, context: ToolContext, data: Path
) -> None:
    """Binary files included; `git am` in another clone gives the same tree."""
    await published(repository, context)
    patch = data / "p.patch"
    patch.write_bytes(context.workspace.read_bytes(PATCH))
    git(data, "clone", "-q", str(repository.path), "elsewhere")
    git(data / "elsewhere", "am", "-q", str(patch))
    assert git(data / "elsewhere", "rev-parse", "HEAD^{tree}") == git(repository.path, "rev-parse", "fix/cells^{tree}")


async def test_a_branch_is_pushed_only_where_the_approved_call_said_so(
    repository: Mount, context: ToolContext, data: Path
) -> None:
    """The card names the address; without push nothing leaves; what fails is told with the commit kept."""
    await published(repository, context)
    assert git(data / "origin.git", "branch", "--list") == ""
    tool, params = Publish([repository]), PublishParams(mount="app", message="m", branch="two", push=True)
    prepared = await tool.prepare(params, context)
    assert f"[then pushed to {data}/origin.git]" in prepared.preview.body
    result = await tool.run(params, replace(context, binding=prepared.binding))
    assert "It is pushed to" in result.output
    assert git(data / "origin.git", "rev-parse", "two") == git(repository.path, "rev-parse", "two")
    git(repository.path, "remote", "set-url", "origin", "https://ana:hunter22@127.0.0.1:1/x.git")
    failed = await published(repository, context, branch="three", push=True)
    assert failed.is_error
    assert "It was not pushed: " in failed.output
    assert "hunter22" not in failed.output
    assert git(repository.path, "rev-parse", "three^{tree}") == git(repository.path, "rev-parse", "two^{tree}")


def slow_remote(repository: Mount, data: Path) -> Path:
    """An origin whose end never answers, over a program that has a child of its own; where that one writes its pid."""
    child = data / "child"
    program = data / "never"
    program.write_text(f"#!/bin/sh\nsleep 300 &\necho $! > {child}\nwait\n", encoding="utf-8")
    program.chmod(0o755)
    git(repository.path, "config", "remote.origin.receivepack", str(program))
    return child


def is_gone(child: Path) -> bool:
    """Whether the process that left its pid there has ended."""
    stat = Path(f"/proc/{child.read_text(encoding='utf-8').strip()}/stat")
    return not stat.exists() or stat.read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z"


async def test_a_push_that_takes_too_long_hides_no_commit(repository: Mount, context: ToolContext, data: Path) -> None:
    """The commit and its patch are told with the reason, and nothing of the push goes on."""
    child = slow_remote(repository, data)
    result = await published(repository, replace(context, timeout=timedelta(seconds=10)), branch="slow", push=True)
    assert result.is_error
    assert "is on branch slow" in result.output
    assert "It was not pushed: git push took longer than" in result.output
    assert len(result.files) == 1
    await wait_until("the push has ended with its children", lambda: is_gone(child))


async def test_a_cancelled_push_ends_with_its_children(repository: Mount, context: ToolContext, data: Path) -> None:
    """A stop does not wait for a remote end that never answers; the commit stands."""
    child = slow_remote(repository, data)
    work = asyncio.create_task(published(repository, context, branch="slow", push=True))
    await wait_until("the push runs", lambda: child.exists() and child.read_text(encoding="utf-8").strip())
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    await wait_until("the push has ended with its children", lambda: is_gone(child))
    assert git(repository.path, "rev-parse", "slow^") == git(repository.path, "rev-parse", "main")


async def test_a_push_goes_only_to_the_approved_address(repository: Mount, context: ToolContext, data: Path) -> None:
    """An origin that leads elsewhere since, or to a second place as well, gets nothing."""
    git(data, "init", "-q", "--bare", "other.git")
    tool, params = Publish([repository]), PublishParams(mount="app", message="m", branch="two", push=True)
    prepared = await tool.prepare(params, context)
    git(repository.path, "remote", "set-url", "--add", "--push", "origin", str(data / "origin.git"))
    git(repository.path, "remote", "set-url", "--add", "--push", "origin", str(data / "other.git"))
    result = await tool.run(params, replace(context, binding=prepared.binding))
    assert f"origin now leads to {data}/origin.git, {data}/other.git, which nobody approved" in result.output
    assert git(data / "origin.git", "branch", "--list") == git(data / "other.git", "branch", "--list") == ""


def test_patches_of_two_branches_lie_apart(repository: Mount) -> None:
    """Also of branches that differ only in a sign that a file name cannot hold."""
    names = [patch_name(repository, branch) for branch in ("a/b", "a-b", "//", "日本")]
    assert len(set(names)) == 4
    assert all(name.startswith("patches/app-") for name in names)


async def test_a_repeat_after_a_crash_makes_no_second_commit(repository: Mount, context: ToolContext) -> None:
    """The branch that is there already is recognised by its content; another one of that name is refused."""
    tool, params = Publish([repository]), PublishParams(mount="app", message=MESSAGE, branch="fix")
    approved = replace(context, binding=(await tool.prepare(params, context)).binding)
    await tool.run(params, approved)
    first = git(repository.path, "rev-parse", "fix")
    assert "was on branch fix" in (await tool.run(params, approved)).output
    assert git(repository.path, "rev-parse", "fix") == first
    git(repository.path, "branch", "-f", "fix", "main")
    with pytest.raises(ToolRefused, match="a branch fix with other content"):
        await tool.run(params, approved)
    with pytest.raises(ToolRefused, match="about another branch"):
        await tool.run(params.model_copy(update={"branch": "other"}), approved)
    context.workspace.write_bytes("app/app.py", b"x = 3\n")
    git(repository.path, "branch", "-D", "fix")
    with pytest.raises(ToolRefused, match="changed after the difference was shown"):
        await tool.run(params, approved)


@pytest.mark.parametrize("branch", ["-x", "a..b", "a b", "main", "x.lock", "a\0b", "refs/../x", "@{u}", "a\nb"])
async def test_a_name_that_is_no_new_branch_is_refused(repository: Mount, context: ToolContext, branch: str) -> None:
    """No option, no expression and no branch that is there already."""
    with pytest.raises(ToolInputError):
        await published(repository, context, branch=branch)


async def test_what_is_not_committed_in_the_original_is_not_taken_along(
    repository: Mount, context: ToolContext
) -> None:
    """A person's own work in the tree never ends up in the agent's commit."""
    (repository.path / "app.py").write_text("x = 1  # mine\n", encoding="utf-8")
    params = PublishParams(mount="app", message="m", branch="fix", merged=("app.py",))
    with pytest.raises(ToolRefused, match="differs from what is committed"):
        await Publish([repository]).prepare(params, context)
    with pytest.raises(ToolInputError, match="push needs a branch"):
        await Publish([repository]).prepare(PublishParams(mount="app", message="m", push=True), context)


async def test_a_directory_inside_a_repository_and_one_outside(
    call: Call, data: Path, repository: Mount, session: Workspace, mount: Mount
) -> None:
    """Paths are those of the whole repository; a mount that is none says so."""
    inner = Mount(name="bin", path=repository.path / "bin")
    workspace = prepare_workspace(data / "inner", [inner], owner_for(str(data / "inner")))
    workspace.write_bytes("bin/run", b"#!/bin/sh\nexit 1\n")
    tool, params = Publish([inner]), PublishParams(mount="bin", message="m", branch="inner")
    where = call(workspace=workspace)
    await tool.run(params, replace(where, binding=(await tool.prepare(params, where)).binding))
    assert git(repository.path, "diff", "--name-only", "main", "inner") == "bin/run"
    shutil.rmtree(mount.path / ".git")
    session.write_bytes("etl/import.py", b"x\n")
    with pytest.raises(ToolInputError, match="is no git repository"):
        await Publish([mount]).prepare(PublishParams(mount="etl", message="m", branch="b"), call(workspace=session))


async def test_objects_belong_to_the_owner_of_the_repository(repository: Mount, context: ToolContext) -> None:
    """A bot that runs as root leaves nothing in it that its owner cannot change."""
    if os.geteuid() != 0:
        pytest.skip("only root can write as another user")
    for folder, folders, files in os.walk(repository.path):
        for name in (".", *folders, *files):
            os.chown(f"{folder}/{name}", 12345, 12345)
    await published(repository, context)
    made = [path for path in (repository.path / ".git").rglob("*") if path.stat().st_uid != 12345]
    assert made == []


async def test_several_mounts_are_published_each_by_its_own_call(
    call: Call, data: Path, repository: Mount, mount: Mount
) -> None:
    """One workspace holds copies of both; a call changes one original and leaves the other."""
    workspace = prepare_workspace(data / "both", [repository, mount], owner_for(str(data / "both")))
    workspace.write_bytes("app/app.py", b"x = 9\n")
    workspace.write_bytes("etl/import.py", b"y\n")
    tool, where = Publish([repository, mount]), call(workspace=workspace)
    params = PublishParams(mount="etl", message="m")
    await tool.run(params, replace(where, binding=(await tool.prepare(params, where)).binding))
    assert (mount.path / "import.py").read_bytes() == b"y\n"
    assert (repository.path / "app.py").read_bytes() == b"x = 1\n"
    shown = await tool.prepare(PublishParams(mount="app", message="m"), where)
    with pytest.raises(ToolRefused, match="of another mount"):
        await tool.run(params, replace(where, binding=shown.binding))


async def test_the_history_of_an_original_can_be_read_inside(
    repository: Mount, context: ToolContext, sandbox: Sandbox
) -> None:
    """The agent sees what was committed, whoever owns the repository; nothing there can be changed."""
    shown = sandbox.mount_path("app", repository.path)
    params = BashParams(command=f"git -C {shown} log --format=%s; git -C {shown} branch mine || echo read-only")
    result = await Bash([repository]).run(params, replace(context, sandbox=sandbox))
    assert result.output.splitlines()[2] == "first", result.output
    assert "read-only" in result.output
    assert git(repository.path, "branch", "--list", "mine") == ""
