"""Adding an agent is a file and a line, as docs/agents.md says; its example is the one that is added here."""

import re
from typing import cast

import pytest

from bot import texts_surface
from bot.listeners.as_agent import read
from runtime.agent.toolcall import ToolCallAgent
from runtime.flow.executors import EXECUTORS, kinds_of
from runtime.house import agent_named, agent_names, asked_for, check_agent
from runtime.session.events import RunOutcome
from runtime.settings_file import parse_settings
from scripts.machine import ROOT
from tests.agent.desk import Desk, never
from tests.support.model import call, calls, say

EXAMPLE = re.compile(r"## Adding one\n.*?```python\n(.*?)```", re.DOTALL)


@pytest.fixture
def added(monkeypatch: pytest.MonkeyPatch) -> type[ToolCallAgent]:
    """The documents' example in its one place, for a test's time."""
    match = EXAMPLE.search((ROOT / "docs" / "agents.md").read_text(encoding="utf-8"))
    assert match is not None
    module: dict[str, object] = {"__name__": "runtime.agent.translator"}
    exec(compile(match[1], "docs/agents.md", "exec"), module)  # noqa: S102 - the documents are ours
    agent = cast("type[ToolCallAgent]", module["Translator"])
    monkeypatch.setitem(cast("dict[str, type[ToolCallAgent]]", EXECUTORS), agent.name, agent)
    return agent


def test_an_agent_that_was_added_is_known_wherever_agents_are_named(added: type[ToolCallAgent]) -> None:
    """By a request, by `/handrail as` and what it says of the choice, by the settings, and after a restart."""
    assert asked_for("as translator: put it into French") == "translator"
    assert read("translator put it into French") == ("translator", "put it into French")
    assert "translator" in texts_surface.as_agent(agent_names())
    assert parse_settings('[agent]\ndefault = "translator"\n').agent.default == "translator"
    check_agent("translator", "agent.default")
    assert agent_named("translator") is added


async def test_a_plan_may_choose_an_agent_that_says_what_it_is_about(
    desk: Desk, added: type[ToolCallAgent], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The planner reads its words; without any it is for people alone."""
    assert kinds_of(desk.context)["translator"] == "translating files, their form kept"
    monkeypatch.setattr(added, "about", "")
    assert "translator" not in kinds_of(desk.context)
    assert agent_named("translator") is added


async def test_an_agent_that_was_added_works_with_its_prompt_and_its_tools(
    desk: Desk, added: type[ToolCallAgent]
) -> None:
    """What its list leaves out it is not offered and cannot call."""
    desk.script(calls(call("echo", text="hi")), say("Je ne peux pas."))
    await desk.hear("translate it")
    await added(desk.context).run(never)
    assert desk.run.outcome is RunOutcome.ANSWERED
    first, last = desk.model.requests
    assert "translate files" in first.messages[0].text
    assert {spec.function.name for spec in first.tools or ()} == {"ask_human", "terminate"}
    assert "There is no tool" in last.messages[-1].text
