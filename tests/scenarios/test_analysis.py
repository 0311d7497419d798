"""The analyst's report in Slack: numbers that code computed, a chart as a picture and as a page, a short text."""

import json

import pytest

from tests.parts import requires
from tests.scenarios.conftest import StageMaker
from tests.support.model import call, calls, say
from tests.support.stage import BOT, DATA
from tests.waiting import wait_until
from tools.pictures import picture_of

SALES = b"day,region,boats\n2026-01-01,north,3\n2026-01-02,north,\n2026-01-01,south,5\n2026-01-02,south,8\n"
LOOK = "import pandas as pd\nframe = pd.read_csv('inbox/sales.csv')\nprint(frame.dtypes, frame.isna().sum(), sep='\\n')"
WORK = """
import pandas as pd
from charts import save_chart
frame = pd.read_csv("inbox/sales.csv").dropna()
total = frame.groupby("region")["boats"].sum()
print(total)
save_chart(total.reset_index(), "boats", kind="bar", x="region", y=["boats"], title="Boats sold", y_label="boats")
open("report.md", "w").write(f"# Boats\\n\\nSouth sold {total['south']:.0f}, north {total['north']:.0f}.\\n")
"""
ANSWER = "South sold more: 13 boats against 3 in the north; one row without a count is left out. See report.md."


@pytest.mark.timeout(400)
async def test_an_analysis_brings_its_numbers_a_chart_in_two_forms_and_a_report(on_stage: StageMaker) -> None:
    """Through the real interpreter in the real sandbox: the files are in the thread, and hold what was computed."""
    requires("python-for-code")
    script = (
        calls(call("python_execute", code=LOOK)),
        calls(call("python_execute", code=WORK, timeout=100)),
        say(ANSWER),
    )
    async with on_stage(*script) as stage:
        file_id = await stage.ana.upload("sales.csv", SALES)
        sent = await stage.ana.send(DATA, f"{BOT} as data_analysis: who sold more boats?", file_ids=[file_id])
        answer = await stage.answer(sent, within=150)
        assert ANSWER in answer.words
        looked, computed = (request.messages[-1].text for request in stage.model.requests[1:])
        assert "boats     1" in looked
        assert "south    13.0" in computed
        assert "save_chart" in stage.model.requests[0].messages[0].text

        async def files() -> dict[str, bytes]:
            shown = [file for message in await stage.thread(sent) for file in message.files]
            return {str(file["name"]): await stage.ana.download(file) for file in shown}

        async def all_files() -> dict[str, bytes] | None:
            found = await files()
            return found if {"boats.png", "boats.html", "report.md"} <= found.keys() else None

        found = await wait_until("the chart and the report in the thread", all_files, within=60)
    picture = picture_of(found["boats.png"])
    assert picture is not None
    assert picture.width > 600
    page = found["boats.html"].decode()
    data = json.loads(page.partition('type="application/json">')[2].partition("</script>")[0])
    assert data["series"] == [["boats", [3, 13]]]
    assert data["x"] == ["north", "south"]
    assert "src=" not in page.replace("-src", "")
    assert found["report.md"].decode() == "# Boats\n\nSouth sold 13, north 3.\n"
