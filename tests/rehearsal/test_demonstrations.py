"""Each demonstration, played with the real client on the sample world: the answer says what the tools found."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import openai
import pytest

from bot.demo.world import build_world
from bot.rehearsal.catalogue import DEMONSTRATIONS
from bot.rehearsal.script import LABEL
from tests.rehearsal.stage import Stage, rehearsal

WHY = "Why did last night's import drop rows?"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Where the scripted model is served."""
    with rehearsal() as found:
        yield found


@pytest.fixture
async def client(address: str) -> AsyncIterator[openai.AsyncOpenAI]:
    """The real client of the scripted model."""
    async with openai.AsyncOpenAI(base_url=address, api_key="none", max_retries=0) as client:
        yield client


@pytest.fixture
def stage(client: openai.AsyncOpenAI, tmp_path: Path) -> Stage:
    """A conversation on a fresh sample world in which people choose the nightly file and approve."""
    build_world(tmp_path)
    answers = {"ask_human": "Ana (U0ANA) answers: Nightly", "publish": "Published 2 files."}
    return Stage(client=client, workspace=tmp_path, answers=answers)


async def test_the_import_is_explained_fixed_and_published(stage: Stage) -> None:
    """The whole first demonstration: numbers from the tools, a chart, eight passing tests, one proposal."""
    answer = await stage.perform(WHY)
    assert answer.startswith("312 rows dropped: two date formats. Fixed; 8 of 8 tests pass.")
    assert "312 of 2000 rows of the nightly file" in answer
    assert LABEL in answer
    assert (stage.workspace / "dropped_by_date_format.png").read_bytes().startswith(b"\x89PNG")
    assert [call["mount"] for call in stage.calls_of("publish")] == ["etl"]
    assert "DATE_FORMATS" in (stage.workspace / "etl" / "import_orders.py").read_text()
    assert all(LABEL in text for text in stage.said)
    assert not list((stage.workspace / "etl").rglob("__pycache__"))


async def test_the_other_answer_leads_elsewhere(stage: Stage) -> None:
    """The hourly file dropped repeated orders, so nothing is changed and nothing proposed."""
    stage.answers["ask_human"] = "Hourly"
    answer = await stage.perform(WHY)
    assert answer.startswith("7 of 180 rows dropped: every one repeats an order id")
    assert not stage.calls_of("publish")
    statuses = {(call.get("step_index"), call.get("step_status")) for call in stage.calls_of("planning")}
    assert {(2, "skipped"), (3, "skipped")} <= statuses


async def test_a_denied_proposal_is_reported_as_such(stage: Stage) -> None:
    """The answer never claims that a change was published when it was not."""
    stage.answers["publish"] = "[denied] Ben said no: not on a Sunday."
    answer = await stage.perform(WHY)
    assert "Fixed" not in answer
    assert "was not published" in answer
    assert "not on a Sunday" in answer


async def test_failing_tests_stop_the_proposal(stage: Stage) -> None:
    """When the tests do not pass there is nothing to publish, and the answer shows what they said."""
    suite = stage.workspace / "etl" / "tests" / "test_import_orders.py"
    suite.write_text(suite.read_text().replace('"5.60"))', '"5.61"))'))
    answer = await stage.perform(WHY)
    assert "only 7 of 8 tests" in answer
    assert not stage.calls_of("publish")


async def test_a_second_performance_finds_nothing_left_to_fix(stage: Stage) -> None:
    """After the fix the same question in the same thread gets the new truth."""
    await stage.perform(WHY)
    answer = await stage.perform(WHY)
    assert answer.startswith("No rows dropped: all 2000 rows of the nightly file are read.")


async def test_a_tool_that_says_something_else_ends_the_script_honestly(stage: Stage) -> None:
    """Without the numbers it needs, the script quotes what it got instead of inventing them."""
    stage.answers["bash"] = "[error] No sandbox here."
    answer = await stage.perform(WHY)
    assert "I cannot go on" in answer
    assert "No sandbox here." in answer


async def test_sales_are_summed_with_a_chart(stage: Stage) -> None:
    """A table with every product, a chart and a file."""
    answer = await stage.perform("please summarise sales.csv")
    assert answer.count("\n| ") == 6
    assert "EUR in all" in answer
    assert (stage.workspace / "revenue_by_month.png").is_file()
    assert (stage.workspace / "sales_summary.csv").is_file()


async def test_a_typed_name_goes_on_the_menu(stage: Stage) -> None:
    """An answer in own words is used in the edit as it was typed."""
    stage.answers["ask_human"] = "Foggy *Morning*"
    answer = await stage.perform("Put a new drink on the menu")
    assert answer.startswith("Foggy *Morning is on the menu")
    assert "- Iced tea, 3.90\n- Foggy *Morning, 4.90\n" in (stage.workspace / "shop" / "menu.md").read_text()


async def test_the_report_is_long_and_whole(stage: Stage) -> None:
    """A long answer with a table, code and a file; the log's lines add up."""
    answer = await stage.perform("Write a report on the server log")
    assert "of 420 requests failed" in answer
    assert "```python" in answer
    assert len(answer) > 3000
    assert (stage.workspace / "server_report.md").read_text().startswith("# Server log")


async def test_the_slow_one_asks_for_time_and_counts(stage: Stage) -> None:
    """It asks for more time than it needs and reports how far it came."""
    stage.answers["python_execute"] = "[error] timed out\ncounted=1\ncounted=2"
    answer = await stage.perform("Run something slow")
    assert stage.calls_of("python_execute")[0]["timeout"] == 90
    assert answer.startswith("The count ended at 2")


async def test_anything_else_gets_an_honest_menu(stage: Stage) -> None:
    """A greeting is answered with what this is, how to connect a model, and the demonstrations to choose from."""
    stage.answers["ask_human"] = DEMONSTRATIONS[1].title
    answer = await stage.perform("hello")
    (question,) = stage.calls_of("ask_human")
    assert "scripted model" in str(question["question"])
    assert "OPENAI_API_KEY" in str(question["question"])
    assert question["choices"] == [demonstration.title for demonstration in DEMONSTRATIONS]
    assert "EUR in all" in answer


async def test_an_answer_that_names_none_ends_the_menu(stage: Stage) -> None:
    """No script, no pretence: the run ends with how to connect a model."""
    stage.answers["ask_human"] = "Ana (U0ANA) answers: write me a poem"
    answer = await stage.perform("hello")
    assert "no script for that" in answer
    assert "OPENAI_API_KEY" in answer


async def test_without_tools_it_says_that_it_is_scripted(stage: Stage) -> None:
    """A request without tools gets words only."""
    stage.tools = ()
    assert "I am a scripted model" in await stage.perform("hello")


async def test_a_stopped_run_is_not_taken_up_by_the_next_task(stage: Stage) -> None:
    """After a stop the next message starts afresh."""
    stage.messages.append({"role": "user", "content": "Ana (U0ANA) says:\nRun something slow"})
    stage.answers["python_execute"] = "[cancelled] The run ended (stopped) before this call had a result."
    await stage.step()
    stage.answers["ask_human"] = "nothing"
    assert "no script for that" in await stage.perform("hello again")


def test_titles_fit_on_buttons() -> None:
    """Slack cuts the text of a button at 75 characters."""
    assert all(len(demonstration.title) <= 75 for demonstration in DEMONSTRATIONS)
