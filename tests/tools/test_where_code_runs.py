"""The card of code says in which directory it would run, and its approval holds only there."""

from tests.tools.conftest import Call
from tests.tools.test_running import Machine, machine
from tools.base import PreparedCall
from tools.builtin.bash import Bash, BashParams
from tools.builtin.python_execute import PythonExecute, PythonExecuteParams
from tools.context import ToolContext
from tools.sandbox.port import Sandbox
from tools.workspace import Workspace

__all__ = ["machine"]


async def bash(context: ToolContext) -> PreparedCall:
    """A command that is dangerous in the wrong place."""
    return await Bash().prepare(BashParams(command="rm -rf build"), context)


async def python(context: ToolContext) -> PreparedCall:
    """The same in Python."""
    return await PythonExecute().prepare(PythonExecuteParams(code="import shutil; shutil.rmtree('build')"), context)


async def test_a_card_says_in_which_directory_a_command_would_run_and_is_bound_to_it(
    machine: Machine, call: Call, sandbox: Sandbox, workspace: Workspace
) -> None:
    """The command before has left the workspace's own directory: what was approved for that one is asked for anew."""
    before = await bash(call(sandbox=sandbox))
    assert "directory" not in str(before.preview.notes)
    await machine.bash("true")
    assert (await bash(call(sandbox=sandbox))).binding == before.binding
    await machine.bash("mkdir -p a/b && cd a/b")
    after = await bash(call(sandbox=sandbox))
    assert f"directory: {sandbox.inside(workspace)}/a/b" in after.preview.notes
    assert after.binding != before.binding


async def test_the_same_holds_for_python(machine: Machine, call: Call, sandbox: Sandbox, workspace: Workspace) -> None:
    """Which has a directory of its own."""
    before = await python(call(sandbox=sandbox))
    assert "directory" not in str(before.preview.notes)
    await machine.python("1")
    assert (await python(call(sandbox=sandbox))).binding == before.binding
    await machine.python("import os; os.makedirs('a/b'); os.chdir('a/b')")
    after = await python(call(sandbox=sandbox))
    assert f"directory: {sandbox.inside(workspace)}/a/b" in after.preview.notes
    assert after.binding != before.binding
