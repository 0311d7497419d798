"""How well code is contained is shown where a person decides about it."""

from datetime import timedelta
from pathlib import Path

import pytest

from tools.builtin.bash import Bash
from tools.builtin.python_execute import PythonExecute
from tools.context import ToolContext
from tools.sandbox.port import Sandbox
from tools.workspace import Workspace


@pytest.mark.parametrize(("tool", "code"), [(Bash(), {"command": "true"}), (PythonExecute(), {"code": "1"})])
async def test_the_level_stands_on_the_card_and_binds_the_approval(
    tool: Bash | PythonExecute, code: dict[str, str], sandbox: Sandbox, tmp_path: Path
) -> None:
    """An approval of a contained call is none of an uncontained one: the level is part of what was approved."""
    context = ToolContext(
        session_id="s",
        run_id="r",
        call_id="c",
        workspace=Workspace(root=tmp_path),
        sandbox=sandbox,
        timeout=timedelta(seconds=5),
    )
    prepared = await tool.prepare(tool.params.model_validate(code), context)  # pyright: ignore[reportArgumentType] - its own kind
    assert f"sandbox: {sandbox.level.value}" in prepared.preview.notes
    assert prepared.binding["level"] == sandbox.level.value
