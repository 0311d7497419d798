"""Every command of the editor against every way out of the workspace: refused, and nothing outside is touched."""

import os
from pathlib import Path

import pytest

from tests.tools.conftest import Call
from tools.builtin.str_replace_editor import EditorParams, StrReplaceEditor
from tools.errors import ToolInputError, ToolRefused
from tools.workspace import Workspace

SECRET = "root:x:0:0 of the host"
COMMANDS = {
    "view": {},
    "create": {"file_text": "evil"},
    "str_replace": {"old_str": "root", "new_str": "evil"},
    "insert": {"insert_line": 0, "new_str": "evil"},
    "undo_edit": {},
}
PATHS = (
    "../outside/secret.txt",
    "a/../../outside/secret.txt",
    "{outside}/secret.txt",
    "/etc/passwd",
    "/proc/self/environ",
    "/proc/1/root/etc/passwd",
    "/workspace/../outside/secret.txt",
    "link.txt",
    "folder-link/secret.txt",
    "chain.txt",
    "proc-link/environ",
    "proc-fd/0",
    "hard.txt",
    "pipe",
    "device-link",
    "secret.txt\0.png",
    "\ud800",
    "loop/x",
    "x" * 5_000,
)


@pytest.fixture
def outside(workspace: Workspace, data: Path) -> Path:
    """A file of the host beside the workspace, and what code in the sandbox could have left to reach it."""
    folder = data / "outside"
    folder.mkdir()
    (folder / "secret.txt").write_text(SECRET, encoding="utf-8")
    root = workspace.root
    (root / "link.txt").symlink_to(folder / "secret.txt")
    (root / "folder-link").symlink_to(folder)
    (root / "chain.txt").symlink_to("link.txt")
    (root / "proc-link").symlink_to("/proc/self")
    (root / "proc-fd").symlink_to("/proc/self/fd")
    (root / "device-link").symlink_to("/dev/zero")
    (root / "loop").symlink_to("loop")
    os.link(folder / "secret.txt", root / "hard.txt")
    os.mkfifo(root / "pipe")
    return folder


@pytest.mark.parametrize("command", list(COMMANDS))
@pytest.mark.parametrize("path", PATHS)
async def test_no_command_of_the_editor_leaves_the_workspace(
    call: Call, workspace: Workspace, outside: Path, command: str, path: str
) -> None:
    """Paths up, absolute, through links and hard links, into /proc, with NUL, to pipes and devices."""
    if path == "hard.txt" and workspace.owner is None:
        pytest.skip("a hard link to one's own file is one's own")
    harmless = EditorParams.model_validate({"command": command, "path": "x", **COMMANDS[command]})
    # Not validated again, as a path too long for the schema must not get through the walk either.
    params = harmless.model_copy(update={"path": path.format(outside=outside)})
    with pytest.raises(ToolInputError) as refused:
        await StrReplaceEditor().run(params, call())
    assert SECRET not in str(refused.value)
    assert (outside / "secret.txt").read_text(encoding="utf-8") == SECRET
    assert sorted(file.name for file in outside.iterdir()) == ["secret.txt"]


async def test_a_link_put_there_between_two_calls_is_not_followed(
    call: Call, workspace: Workspace, outside: Path
) -> None:
    """Each call walks the path anew: what was a file a moment ago may be a link now."""
    editor, mine = StrReplaceEditor(), workspace.root / "mine.txt"
    await editor.run(EditorParams(command="create", path="mine.txt", file_text="mine\n"), call())
    mine.unlink()
    mine.symlink_to(outside / "secret.txt")
    for command in ("view", "create", "undo_edit"):
        with pytest.raises(ToolInputError):
            params = EditorParams.model_validate({"command": command, "path": "mine.txt", **COMMANDS[command]})
            await editor.run(params, call())
    assert (outside / "secret.txt").read_text(encoding="utf-8") == SECRET


@pytest.mark.parametrize("command", ["create", "str_replace", "insert", "undo_edit"])
@pytest.mark.parametrize(
    "path",
    [
        ".handrail/shell/variables",
        "./.handrail/shell/variables",
        "/workspace/.handrail/shell/variables",
        "folder/../.handrail/shell/variables",
        "state-link/shell/variables",
        "file-link",
        ".handrail/calls/r1.1.1.sh",
        ".handrail/python/environment.json",
        ".handrail",
    ],
)
async def test_what_a_shell_goes_on_with_is_never_edited(
    call: Call, workspace: Workspace, command: str, path: str
) -> None:
    """It is code that the card of the next command would not show. Reading what calls left behind stays possible."""
    root = workspace.root
    (root / "folder").mkdir()
    workspace.write_bytes(".handrail/shell/variables", b"root=1\n")
    (root / "state-link").symlink_to(".handrail")
    (root / "file-link").symlink_to(".handrail/shell/variables")
    params = EditorParams.model_validate({"command": command, "path": path, **COMMANDS[command]})
    with pytest.raises((ToolInputError, ToolRefused)):
        await StrReplaceEditor().run(params, call())
    assert workspace.read_bytes(".handrail/shell/variables") == b"root=1\n"
    assert not (root / ".handrail/calls").exists()
    shown = await StrReplaceEditor().run(EditorParams(command="view", path=".handrail/shell/variables"), call())
    assert "root=1" in shown.output


async def test_what_a_shell_goes_on_with_is_not_there_for_the_editor_in_a_new_workspace(
    call: Call, workspace: Workspace
) -> None:
    """Where nothing has run yet the editor cannot be first."""
    params = EditorParams(command="create", path=".handrail/shell/variables", file_text="git() { evil; }\n")
    with pytest.raises(ToolRefused, match="is not edited"):
        await StrReplaceEditor().run(params, call())
    assert workspace.kind(".handrail") == "missing"
