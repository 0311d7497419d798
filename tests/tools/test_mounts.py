"""A mount is copied once, and its difference is exactly what the agent changed."""

import os
from pathlib import Path

import pytest

from tools import mounts
from tools.difference import Difference, propose
from tools.errors import ToolInputError, ToolRefused
from tools.mounts import Mount, MountUnusable, prepare_workspace
from tools.sandbox.probe import owner_for
from tools.workspace import Workspace


def shown(difference: Difference) -> str:
    """The body of the card."""
    return difference.body


def test_a_mount_is_copied_without_links_caches_and_repositories(mount: Mount, data: Path) -> None:
    """What the agent gets is plain files that it may change; links never bring in what lies outside."""
    (data / "secret").write_text("hands off")
    (mount.path / "link").symlink_to(data / "secret")
    (mount.path / "linked").symlink_to(data)
    workspace = prepare_workspace(data / "session", [mount], owner_for(str(data)))
    assert workspace.list_files() == ("etl/data/rows.csv", "etl/import.py", "etl/run.sh")
    assert (workspace.root / "etl/run.sh").stat().st_mode & 0o777 == 0o755
    expected = workspace.owner[0] if workspace.owner else os.geteuid()
    assert (workspace.root / "etl").stat().st_uid == (workspace.root / "etl/import.py").stat().st_uid == expected


def test_preparing_again_keeps_what_the_agent_changed(session: Workspace, mount: Mount) -> None:
    """A session outlives its processes; its copy is made once."""
    session.write_bytes("etl/import.py", b"changed")
    (mount.path / "later.txt").write_text("new on the host")
    again = prepare_workspace(session.root, [mount], session.owner)
    assert again.read_bytes("etl/import.py") == b"changed"
    assert again.kind("etl/later.txt") == "missing"


def test_an_interrupted_copy_is_made_anew(session: Workspace, mount: Mount) -> None:
    """Without its record, half a copy does not count."""
    session.beside("base").joinpath("etl.json").unlink()
    session.delete("etl/import.py")
    prepare_workspace(session.root, [mount], session.owner)
    assert session.kind("etl/import.py") == "file"


def test_a_mount_that_cannot_be_copied_is_named_with_the_fix(
    mount: Mount, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Too many files, too many bytes, a missing directory and one that holds the bot's own data."""

    def refuses(says: str, path: Path) -> None:
        with pytest.raises(MountUnusable, match=says):
            prepare_workspace(data / "session", [Mount(name="etl", path=path)], None)

    refuses(r"cannot be read: No such file.*\[\[workspace\.mounts\]\]", data / "none")
    refuses("contains the bot's own data directory", data)
    monkeypatch.setattr(mounts, "MAX_FILES", 2)
    refuses("more than 2 files", mount.path)
    monkeypatch.setattr(mounts, "MAX_FILES", 100)
    monkeypatch.setattr(mounts, "MAX_BYTES", 10)
    refuses("more than 0 MB", mount.path)


def test_nothing_changed_means_nothing_to_publish(session: Workspace, mount: Mount) -> None:
    """Files of caches that a test run left are no change."""
    session.write_bytes("etl/__pycache__/import.cpython-311.pyc", b"x")
    session.write_bytes("etl/.pytest_cache/v/x", b"x")
    with pytest.raises(ToolInputError, match="Nothing differs in etl/"):
        propose(mount, session)


def test_the_difference_shows_every_kind_of_change_in_full(session: Workspace, mount: Mount) -> None:
    """Changed, added, removed and binary files, each with its lines or sizes, and the counts in the title."""
    session.write_bytes("etl/import.py", b"def load(row):\n    return clean(row)\n")
    session.write_bytes("etl/clean.py", b"def clean(row):\n    return row")
    session.write_bytes("etl/logo.png", b"\x89PNG\x00")
    session.delete("etl/run.sh")
    difference = propose(mount, session)
    assert difference.title == "Change 1 file, add 2 files, remove 1 file in etl/ (+3 −2)"
    assert shown(difference) == (
        "--- /dev/null\n+++ b/etl/clean.py\n@@ -0,0 +1,2 @@\n+def clean(row):\n+    return row\n"
        "\\ No newline at end of file\n"
        "--- a/etl/import.py\n+++ b/etl/import.py\n@@ -1,2 +1,2 @@\n def load(row):\n-    return row\n"
        "+    return clean(row)\n"
        "--- /dev/null\n+++ b/etl/logo.png\n[added, not shown line by line: nothing -> 5 bytes, sha256 "
        "63a42c60bd2d15c8e5e4e4e8dfaf2b60c7f6f2a1f3d0d1a0e6f5f1b8f7b5b7d6]\n"
        "--- a/etl/run.sh\n+++ /dev/null\n@@ -1 +0,0 @@\n-#!/bin/sh"
    ).replace("63a42c60bd2d15c8e5e4e4e8dfaf2b60c7f6f2a1f3d0d1a0e6f5f1b8f7b5b7d6", difference.changes[2].after)


def test_nothing_hides_in_a_difference(session: Workspace, mount: Mount) -> None:
    """Hidden characters, changed line ends, another encoding and an executable bit all show."""
    session.write_bytes("etl/import.py", "def load(row):\n    return row # \u202eoops\n".encode())
    session.write_bytes("etl/data/rows.csv", b"a,b\r\n1,2\n")
    session.write_bytes("etl/run.sh", "#!/bin/sh\n".encode("utf-16"), mode=0o644)
    body = shown(propose(mount, session))
    assert "⟨U+202E⟩oops" in body
    assert "-1,2⟨CR⟩\n+1,2\n" in body
    assert "[no longer executable]" in body
    assert "[written differently: utf-8, LF -> utf-16-le with byte order mark, LF]" in body


def test_a_windows_file_shows_only_the_lines_that_changed(session: Workspace, mount: Mount) -> None:
    """Line ends that all files lines share are not shown."""
    session.write_bytes("etl/data/rows.csv", b"a,b\r\n1,3\r\n")
    assert shown(propose(mount, session)).endswith(" a,b\n-1,2\n+1,3")


def test_a_link_in_the_copy_is_not_published(session: Workspace, mount: Mount) -> None:
    """A file replaced by a link would publish what the link shows at that moment."""
    session.delete("etl/import.py")
    (session.root / "etl/import.py").symlink_to("data/rows.csv")
    with pytest.raises(ToolInputError, match="is a link or no plain file"):
        propose(mount, session)


def test_an_original_that_changed_meanwhile_stops_the_proposal_until_merged(session: Workspace, mount: Mount) -> None:
    """The agent must look at it first; then the difference is against what is there now."""
    session.write_bytes("etl/import.py", b"mine\n")
    (mount.path / "import.py").write_text("theirs\n")
    session.write_bytes("etl/data/rows.csv", b"mine\r\n")
    (mount.path / "data/rows.csv").unlink()
    with pytest.raises(ToolRefused, match=r"etl/import\.py: the original changed") as refused:
        propose(mount, session)
    assert "etl/data/rows.csv: the original was removed" in str(refused.value)
    assert "-theirs\n+mine" in str(refused.value)
    session.delete("etl/data/rows.csv")
    assert "-theirs\n+mine" in shown(propose(mount, session, merged=["import.py"]))


def test_an_original_that_changed_without_the_agent_is_no_matter(session: Workspace, mount: Mount) -> None:
    """Only files the agent changed count, also when the original happens to be the same by now."""
    (mount.path / "import.py").write_text("theirs\n")
    session.write_bytes("etl/data/rows.csv", b"x\r\n")
    assert [change.path for change in propose(mount, session).changes] == ["data/rows.csv"]
    (mount.path / "data/rows.csv").write_bytes(b"x\r\n")
    with pytest.raises(ToolInputError, match="Nothing differs"):
        propose(mount, session)


def test_a_difference_nobody_can_review_is_refused(session: Workspace, mount: Mount) -> None:
    """An approval covers only what fits on a card."""
    session.write_bytes("etl/big.txt", b"some line of text\n" * 60_000)
    session.write_bytes("etl/many.txt", b"x" * 500_000)
    with pytest.raises(ToolInputError, match="at most 400,000 fit"):
        propose(mount, session)
