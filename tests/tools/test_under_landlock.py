"""The tools under the other containment: the same results where there are no namespaces."""

import os

import pytest

from bot.environment import prepared_home
from tests.sandbox.backends import made_of
from tests.tools.conftest import Call
from tools.builtin.bash import Bash, BashParams
from tools.builtin.python_execute import PythonExecute, PythonExecuteParams
from tools.builtin.search_files import SearchFiles, SearchFilesParams
from tools.mounts import Mount
from tools.sandbox import interpreter
from tools.workspace import Workspace


async def test_search_state_and_background_jobs_are_told_the_same(
    call: Call, workspace: Workspace, mount: Mount
) -> None:
    """Directories and variables stay, jobs end and are told, files are found, and the original is seen read-only."""
    python = interpreter.find(prepared_home(os.environ), workspace.owner)
    if python is None:
        pytest.skip("no Python that the sandbox's user can run")
    sandbox = made_of("landlock", python)
    shown = sandbox.mount_path("etl", mount.path)
    shell = Bash([mount])
    command = f"mkdir q; cd q; X=7; cat {shown}/import.py; echo no > {shown}/import.py || echo read-only; sleep 60 &"
    first = (await shell.run(BashParams(command=command), call(sandbox=sandbox))).output
    for words in (
        "def load(row)",
        "read-only",
        "[background jobs ended with this call: 1]",
        "[working directory now: ",
    ):
        assert words in first
    code = (
        "import os, subprocess\nos.mkdir('p'); os.chdir('p'); os.environ['A'] = 'b'\nsubprocess.Popen(['sleep', '9'])"
    )
    second = (await PythonExecute().run(PythonExecuteParams(code=code), call(sandbox=sandbox))).output
    assert "[background processes ended with this call: " in second
    third = "import os\nprint(os.path.basename(os.getcwd()), os.environ['A'])"
    again = (await PythonExecute().run(PythonExecuteParams(code=third), call(sandbox=sandbox))).output
    assert again.splitlines()[-1] == "p b"
    assert "ended with this call" not in again
    workspace.write_bytes("q/found.txt", b"needle\n")
    for tool in (SearchFiles(), SearchFiles(ripgrep=False)):
        result = await tool.run(SearchFilesParams(pattern="needle"), call(sandbox=sandbox))
        assert result.output.strip() == "q/found.txt:1:needle"
    assert (mount.path / "import.py").read_bytes().startswith(b"def load")
