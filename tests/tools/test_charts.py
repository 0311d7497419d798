"""A chart that generated code asks for is a picture and a page that needs nothing from the network."""

import asyncio
import json

import pytest

from scripts.machine import data_dir
from tests.parts import contains, requires
from tests.tools.conftest import Call
from tools.base import ToolResult
from tools.builtin.python_execute import PythonExecute, PythonExecuteParams
from tools.pictures import picture_of
from tools.sandbox.port import Sandbox
from tools.sandbox.probe import choose
from tools.sandbox.settings import SandboxSettings
from tools.workspace import Workspace

SALES = """
import pandas as pd
from charts import save_chart
days = pd.date_range("2026-01-01", periods=6)
frame = pd.DataFrame({"day": days, "north": [3, 4, None, 6, 2, 5], "</script><b>south": range(6)})
"""


@pytest.fixture
def prepared() -> Sandbox:
    """The best back-end with pandas and matplotlib in it; the test is skipped where there is none."""
    requires("python-for-code")
    chosen = asyncio.run(choose(SandboxSettings(), data=data_dir()))
    return contains(chosen)


async def ran(call: Call, sandbox: Sandbox, code: str) -> ToolResult:
    """What running the code comes to."""
    return await PythonExecute().run(PythonExecuteParams(code=SALES + code, timeout=100), call(sandbox=sandbox))


async def test_a_chart_is_saved_as_a_picture_and_as_a_page(call: Call, prepared: Sandbox, workspace: Workspace) -> None:
    """Both are offered to the person; the page holds the data, loads nothing, and lets no name end its script."""
    result = await ran(call, prepared, 'save_chart(frame, "sales", x="day", title="Sales", y_label="boats")')
    assert result.exit_code == 0, result.output
    assert {file.path for file in result.files} == {"sales.png", "sales.html"}
    picture = picture_of(workspace.read_bytes("sales.png"))
    assert picture is not None
    assert 800 < picture.width <= 1600
    page = workspace.read_bytes("sales.html").decode()
    text = page.partition('type="application/json">')[2].partition("</script>")[0]
    data = json.loads(text)
    assert data["labels"] == ["Sales", "day", "boats"]
    assert data["series"][0] == ["north", [3, 4, None, 6, 2, 5]]
    assert data["x"][0] == "2026-01-01"
    assert "<b>" not in page
    assert "http-equiv" in page
    assert not [line for line in page.splitlines() if "src=" in line.replace("script-src", "").replace("-src", "")]


@pytest.mark.parametrize("kind", ["bar", "scatter"])
async def test_other_kinds_of_charts_are_drawn_as_well(call: Call, prepared: Sandbox, kind: str) -> None:
    """With every column of numbers where none is named."""
    result = await ran(call, prepared, f'save_chart(frame, "other", kind="{kind}")')
    assert result.exit_code == 0, result.output
    assert "6 points of north" in result.output


async def test_a_chart_of_nothing_says_what_is_missing(call: Call, prepared: Sandbox) -> None:
    """The error is the model's to read."""
    result = await ran(call, prepared, 'save_chart(frame[["day"]], "none", x="day")')
    assert "nothing to draw" in result.output
    assert "kind is one of" in (await ran(call, prepared, 'save_chart(frame, "none", kind="pie")')).output
