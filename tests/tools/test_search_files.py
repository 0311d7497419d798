"""Searching the workspace, with ripgrep and without it."""

import pytest

from tests.parts import requires
from tests.tools.conftest import Call
from tools.base import ToolResult
from tools.builtin.search_files import SearchFiles, SearchFilesParams
from tools.errors import PathRefused, ToolInputError
from tools.sandbox.port import Sandbox
from tools.workspace import Workspace


class Looking:
    """The tool in a workspace with a few files."""

    def __init__(self, tool: SearchFiles, call: Call, sandbox: Sandbox) -> None:
        """Keep what a call needs."""
        self.tool, self.call, self.sandbox = tool, call, sandbox

    async def lines(self, **asked: str) -> list[str]:
        """The lines found."""
        return (await self.result(**asked)).output.splitlines()

    async def result(self, **asked: str) -> ToolResult:
        """The whole result."""
        return await self.tool.run(SearchFilesParams.model_validate(asked), self.call(sandbox=self.sandbox))


@pytest.fixture(params=["ripgrep", "walk"])
def looking(request: pytest.FixtureRequest, call: Call, sandbox: Sandbox, workspace: Workspace) -> Looking:
    """Both ways to search, over the same files."""
    if request.param == "ripgrep":
        requires("ripgrep")
    for path, data in {
        "app/main.py": b"import os\n\n\ndef load(row):\r\n    return Row(row)\n",
        "app/test_main.py": b"from app.main import load\n",
        "notes.txt": b"Load the rows.\ncaf\xe9 load\n",
        "long.txt": b"load " + b"x" * 1_000 + b"\n",
        "binary.dat": b"load\0load\n",
        ".git/config": b"load\n",
        ".handrail/outputs/1.txt": b"load\n",
        "node_modules/a.py": b"load\n",
        "odd: name\u202e.txt": b"load\n",
    }.items():
        workspace.write_bytes(path, data)
    (workspace.root / "out.txt").symlink_to("/etc/passwd")
    return Looking(SearchFiles(ripgrep=request.param == "ripgrep"), call, sandbox)


async def test_matching_lines_are_found_with_their_place(looking: Looking) -> None:
    """Hidden characters show, long lines are cut, and caches, repositories, binaries and links are left out."""
    found = await looking.lines(pattern=r"\bload\b")
    assert found == [
        "app/main.py:4:def load(row):",
        "app/test_main.py:1:from app.main import load",
        f"long.txt:1:load {'x' * 295} [...]",
        "notes.txt:2:caf\\xe9 load",
        "odd: name⟨U+202E⟩.txt:1:load",
    ]
    assert await looking.lines(pattern="(?i)LOAD", glob="*.py") == found[:2]
    assert await looking.lines(pattern="Row", path="app") == ["app/main.py:5:    return Row(row)"]
    assert await looking.lines(pattern="import", path="/workspace/app/main.py") == ["app/main.py:1:import os"]
    assert await looking.lines(pattern="nowhere") == ["Nothing found."]
    assert await looking.lines(pattern=r"(?<=def )\w+") == ["app/main.py:4:def load(row):"]


async def test_files_are_listed_by_name(looking: Looking) -> None:
    """Without a pattern, sorted, below any directory."""
    assert await looking.lines(glob="*.py") == ["app/main.py", "app/test_main.py"]
    assert await looking.lines(glob="*main*", path="app") == ["app/main.py", "app/test_main.py"]


async def test_too_many_results_are_counted(looking: Looking, workspace: Workspace) -> None:
    """The mark says how many there are beside those shown."""
    for number in range(250):
        workspace.write_bytes(f"many/{number:03}.txt", b"x\n")
    result = await looking.result(path="many", pattern="x")
    assert result.output.splitlines()[-1] == "[50 more left out; narrow it with path, glob or a longer pattern]"


async def test_what_cannot_be_searched_is_refused(looking: Looking) -> None:
    """A pattern nobody can read, a place outside, and a program of the workspace that poses as a part of ours."""
    with pytest.raises(ToolInputError, match="the pattern cannot be read"):
        await looking.lines(pattern="(")
    for path in ("../x", "/etc", "out.txt", "gone"):
        with pytest.raises(PathRefused):
            await looking.lines(pattern="x", path=path)


async def test_files_of_the_workspace_are_no_part_of_the_program(looking: Looking, workspace: Workspace) -> None:
    """A module called `re` beside the searched files is searched, not imported."""
    workspace.write_bytes("re.py", b"raise SystemExit('taken over')\n")
    workspace.write_bytes("fnmatch.py", b"raise SystemExit('taken over')\n")
    assert await looking.lines(pattern="taken", glob="re.py") == ["re.py:1:raise SystemExit('taken over')"]
