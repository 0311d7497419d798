"""The card of code says in which directory it would run, and its approval holds only there."""

from collections.abc import Awaitable, Callable

import pytest

from tests.tools.conftest import Call
from tests.tools.test_running import Machine, machine
from tools.base import PreparedCall
from tools.builtin.bash import Bash, BashParams
from tools.builtin.python_execute import PythonExecute, PythonExecuteParams
from tools.context import ToolContext
from tools.sandbox.port import Sandbox
from tools.workspace import Workspace

__all__ = ["machine"]

Prepare = Callable[[ToolContext], Awaitable[PreparedCall]]


async def bash(context: ToolContext) -> PreparedCall:
    """A command that is dangerous in the wrong place."""
    return await Bash().prepare(BashParams(command="rm -rf build"), context)


async def python(context: ToolContext) -> PreparedCall:
    """The same in Python."""
    return await PythonExecute().prepare(PythonExecuteParams(code="import shutil; shutil.rmtree('build')"), context)


@pytest.mark.parametrize(
    ("tool", "prepare", "idle", "move"),
    [
        ("bash", bash, "true", "mkdir -p a/b && cd a/b"),
        ("python", python, "1", "import os; os.makedirs('a/b'); os.chdir('a/b')"),
    ],
)
async def test_a_card_says_in_which_directory_code_would_run_and_is_bound_to_it(
    machine: Machine,
    call: Call,
    sandbox: Sandbox,
    workspace: Workspace,
    tool: str,
    prepare: Prepare,
    idle: str,
    move: str,
) -> None:
    """The code before has left the workspace's own directory: what was approved for that one is asked for anew."""
    run = {"bash": machine.bash, "python": machine.python}[tool]
    before = await prepare(call(sandbox=sandbox))
    assert "directory" not in str(before.preview.notes)
    await run(idle)
    assert (await prepare(call(sandbox=sandbox))).binding == before.binding
    await run(move)
    after = await prepare(call(sandbox=sandbox))
    assert f"directory: {sandbox.inside(workspace)}/a/b" in after.preview.notes
    assert after.binding != before.binding
