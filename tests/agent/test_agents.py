"""Agents by their prompt and their tools, and how a request names one."""

import pytest

from runtime.agent.data_analysis import DataAnalysis
from runtime.agent.swe import SWEAgent
from runtime.agent.toolcall import ToolCallAgent
from runtime.house import agent_names, asked_for, check_agent
from runtime.session.events import RunOutcome
from runtime.settings_base import SettingsError
from runtime.settings_file import parse_settings
from tests.agent.conftest import desk
from tests.agent.desk import Desk, never
from tests.agent.test_verify import Bash
from tests.support.model import call, calls, say
from tests.support.redis import redis_server, redis_url, store

__all__ = ["desk", "redis_server", "redis_url", "store"]


class Strict(SWEAgent):
    """An agent that has to call something."""

    tool_choice = "required"


@pytest.mark.parametrize(
    ("text", "agent"),
    [
        ("as swe: fix it", "swe"),
        ("<@U0HANDRAIL> as data_analysis, count", "data_analysis"),
        ("AS SWE: fix it", "swe"),
        ("as planning: go", "planning"),
        ("as plumber: fix it", ""),
        ("as swe would do", ""),
        ("fix it as swe: now", ""),
    ],
)
def test_a_request_names_its_agent_at_its_beginning(text: str, agent: str) -> None:
    """Only with the colon or the comma, and only an agent that there is."""
    assert asked_for(text) == agent


def test_the_default_can_be_every_agent_there_is() -> None:
    """Or that of an MCP server, which may come later; and nothing else."""
    for name in (*agent_names(), "mcp:tickets"):
        assert parse_settings(f'[agent]\ndefault = "{name}"\n').agent.default == name
        check_agent(name, "agent.default")
    with pytest.raises(SettingsError, match=r"agent.default names 'plumber', which is no agent; they are manus, swe"):
        check_agent("plumber", "agent.default")


@pytest.mark.parametrize(("kind", "words"), [(SWEAgent, "source code"), (DataAnalysis, "save_chart")])
async def test_an_agent_works_with_its_own_prompt_and_tools(desk: Desk, kind: type[ToolCallAgent], words: str) -> None:
    """What it does not list it cannot call."""
    desk.use(desk.context.tools.with_tools([Bash()]))
    desk.script(calls(call("bash", command="ls")), calls(call("pays", text="Bob")), say("Looked at everything."))
    await desk.hear("look around")
    await kind(desk.context).run(never)
    assert desk.run.outcome is RunOutcome.ANSWERED
    assert desk.pays.paid == []
    first, *_, last = desk.model.requests
    assert words in first.messages[0].text
    assert {spec.function.name for spec in first.tools or ()} <= set(kind.tool_names)
    assert "There is no tool" in last.messages[-1].text or "pays" in last.messages[-1].text


async def test_an_agent_that_has_to_call_ends_by_terminate(desk: Desk) -> None:
    """`required` goes out with each request."""
    desk.script(calls(call("terminate", status="success", answer="Done with it.")))
    await desk.hear("finish")
    await Strict(desk.context).run(never)
    assert desk.run.answer == "Done with it."
    assert desk.model.bodies[0]["tool_choice"] == "required"
