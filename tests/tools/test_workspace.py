"""The workspace keeps every path below its root, whatever code in the sandbox has put there."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tools.beneath import MAX_LINKS
from tools.errors import PathRefused
from tools.listing import MAX_DEPTH
from tools.workspace import Workspace


@pytest.fixture
def secret(data: Path) -> Path:
    """A file of the host beside the workspace."""
    path = data / "secret.txt"
    path.write_text("hands off")
    return path


@pytest.mark.parametrize("path", ["notes/a.txt", "/workspace/notes/a.txt", "./notes//a.txt", "notes/../notes/a.txt"])
def test_every_spelling_of_a_path_reaches_the_same_file(workspace: Workspace, path: str) -> None:
    """Relative paths and those under /workspace mean the same place."""
    workspace.write_bytes("notes/a.txt", b"hello")
    assert workspace.read_bytes(path) == b"hello"
    assert workspace.resolve(path, must_exist=True) == workspace.root / "notes/a.txt"


def test_the_path_on_the_host_is_understood_too(workspace: Workspace) -> None:
    """A sandbox that cannot rename the workspace shows its real path, so models write that."""
    workspace.write_bytes(f"{workspace.root}/a.txt", b"x")
    assert workspace.list_files() == ("a.txt",)


@pytest.mark.parametrize(
    "path",
    [
        "../secret.txt",
        "a/../../secret.txt",
        "/etc/passwd",
        "/workspace/../secret.txt",
        "/workspacex/a",
        "/proc/self/environ",
        "/proc/self/root/etc/passwd",
        "a\0b",
        "x" * 256,
        "a/" * 3000,
        "//etc/passwd",
        "\ud800",
    ],
)
def test_a_path_that_leaves_the_workspace_is_refused(workspace: Workspace, secret: Path, path: str) -> None:
    """Neither reading, writing, deleting nor listing gets outside; the host is untouched."""

    def overwrite(path: str) -> None:
        workspace.write_bytes(path, b"owned")

    uses: tuple[Callable[[str], object], ...] = (
        workspace.read_bytes,
        workspace.resolve,
        workspace.delete,
        workspace.list_directory,
        overwrite,
    )
    for use in uses:
        with pytest.raises(PathRefused):
            use(path)
    assert secret.read_text() == "hands off"


@pytest.mark.parametrize("target", ["../secret.txt", "{outside}/secret.txt", "/proc/self/environ", "up/secret.txt"])
def test_a_link_that_leaves_the_workspace_is_refused(workspace: Workspace, secret: Path, target: str) -> None:
    """A link to a file outside is neither read nor written through, directly or by way of another link."""
    (workspace.root / "up").symlink_to("..")
    (workspace.root / "link").symlink_to(target.format(outside=secret.parent))
    for path in ("link", "up/secret.txt"):
        with pytest.raises(PathRefused):
            workspace.read_bytes(path)
        with pytest.raises(PathRefused):
            workspace.write_bytes(path, b"owned")
    assert secret.read_text() == "hands off"


@pytest.mark.parametrize("target", ["data/a.txt", "/workspace/data/a.txt", "data/../data/a.txt", "hop"])
def test_a_link_that_stays_inside_is_followed(workspace: Workspace, target: str) -> None:
    """Links within the workspace work as code in the sandbox sees them, and writing changes their target."""
    workspace.write_bytes("data/a.txt", b"one")
    (workspace.root / "hop").symlink_to("data/a.txt")
    (workspace.root / "link").symlink_to(target)
    assert workspace.read_bytes("link") == b"one"
    workspace.write_bytes("link", b"two")
    assert workspace.read_bytes("data/a.txt") == b"two"
    assert (workspace.root / "link").is_symlink()


def test_links_in_a_circle_are_refused(workspace: Workspace) -> None:
    """A walk ends after a fixed number of links."""
    (workspace.root / "a").symlink_to("b")
    (workspace.root / "b").symlink_to("a")
    with pytest.raises(PathRefused, match="too many symbolic links"):
        workspace.read_bytes("a")
    assert MAX_LINKS == 40


def test_a_hard_link_to_a_foreign_file_is_refused(workspace: Workspace, secret: Path) -> None:
    """A second name for a file that belongs to someone else is no file of the workspace."""
    if workspace.owner is None:
        pytest.skip("needs two users")
    os.link(secret, workspace.root / "mine.txt")
    with pytest.raises(PathRefused, match="hard link"):
        workspace.read_bytes("mine.txt")
    with pytest.raises(PathRefused, match="hard link"):
        workspace.write_bytes("mine.txt", b"owned")
    assert secret.read_text() == "hands off"


def test_pipes_sockets_and_directories_are_not_read(workspace: Workspace) -> None:
    """Reading never waits on a pipe and never takes a directory for a file."""
    os.mkfifo(workspace.root / "pipe")
    (workspace.root / "folder").mkdir()
    with socket.socket(socket.AF_UNIX) as listener:
        here = Path.cwd()
        os.chdir(workspace.root)
        try:
            listener.bind("socket")
        finally:
            os.chdir(here)
        for name in ("pipe", "folder", "socket"):
            with pytest.raises(PathRefused):
                workspace.read_bytes(name)
            with pytest.raises(PathRefused):
                workspace.write_bytes(name, b"x")


def test_a_written_file_belongs_to_the_sandbox_and_keeps_its_mode(workspace: Workspace) -> None:
    """Code in the sandbox can change what the bot wrote, directories included; an executable stays executable."""
    workspace.write_bytes("bin/tool.sh", b"#!/bin/sh\n", mode=0o755)
    workspace.write_bytes("bin/tool.sh", b"#!/bin/sh\nexit 1\n")
    status = (workspace.root / "bin/tool.sh").stat()
    assert status.st_mode & 0o777 == 0o755
    uid = os.geteuid() if workspace.owner is None else workspace.owner[0]
    assert (status.st_uid, (workspace.root / "bin").stat().st_uid) == (uid, uid)
    assert workspace.list_directory("bin") == ("tool.sh",)


def test_a_missing_file_is_named(workspace: Workspace) -> None:
    """The refusal says which path does not exist."""
    with pytest.raises(PathRefused, match=r"data/none\.csv: no such file"):
        workspace.read_bytes("data/none.csv")
    assert workspace.kind("data/none.csv") == "missing"
    assert workspace.kind(".") == "directory"


def test_a_file_past_the_limit_is_not_read(workspace: Workspace) -> None:
    """The bot never loads more than it was told to."""
    workspace.write_bytes("big", b"x" * 100)
    with pytest.raises(PathRefused, match="100 bytes"):
        workspace.read_bytes("big", limit=99)


def test_artefacts_are_the_files_new_or_changed(workspace: Workspace) -> None:
    """Files that were only there before, or vanished, are not artefacts."""
    for name in ("same", "changed", "gone"):
        workspace.write_bytes(name, b"1")
    before = workspace.fingerprint()
    workspace.write_bytes("changed", b"2")
    workspace.write_bytes("out/new.png", b"3")
    workspace.delete("gone")
    assert workspace.artefacts_since(before) == ("changed", "out/new.png")


def test_the_digest_depends_on_paths_and_contents_alone(workspace: Workspace, data: Path) -> None:
    """Two workspaces with the same files have the same digest; any change gives another."""
    other = Workspace(root=data / "other", owner=workspace.owner)
    other.root.mkdir()
    for one in (workspace, other):
        one.write_bytes("a", b"1")
        one.write_bytes("b/c", b"2")
    digest = workspace.manifest_digest()
    assert digest == other.manifest_digest()
    other.write_bytes("b/c", b"3")
    assert other.manifest_digest() != digest


def test_listing_survives_a_tree_too_deep_to_walk(workspace: Workspace) -> None:
    """Code may nest directories past every limit; listing stops and opens no more descriptors than it is deep."""
    here = Path.cwd()
    os.chdir(workspace.root)
    try:
        for _ in range(MAX_DEPTH * 3):
            Path("d").mkdir()
            os.chdir("d")
        Path("bottom").touch()
    finally:
        os.chdir(here)
    workspace.write_bytes("top", b"")
    assert workspace.list_files() == ("top",)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None)
@given(pieces=st.lists(st.sampled_from(["a", "/", ".", "..", "link", "\0", "é", " ", "/workspace", "~"]), max_size=12))
def test_no_path_ever_escapes(workspace: Workspace, pieces: list[str]) -> None:
    """Whatever the spelling, a path resolves below the root or is refused."""
    link = workspace.root / "link"
    if not link.is_symlink():
        link.symlink_to("../..")
    try:
        found = workspace.resolve("".join(pieces))
    except PathRefused:
        return
    assert found == workspace.root or workspace.root in found.parents
