"""Agents of MCP servers and the browser: what they are offered, who names them, and how a plan chooses them."""

from dataclasses import replace
from typing import ClassVar

import pytest
from pydantic import BaseModel

from runtime.agent.mcp import BrowserAgent, agent_of
from runtime.flow.executors import executor_of, kinds_of
from runtime.flow.planning import PlanningFlow
from runtime.house import agent_named, asked_for
from runtime.session.events import ToolsChanged
from runtime.session.state import RunState
from tests.agent.conftest import desk
from tests.agent.desk import Desk, never
from tests.agent.sample_tools import Echo
from tests.flow.test_planning import judged, plan, step
from tests.support.model import call, calls, say
from tests.support.redis import redis_server, redis_url, store
from tools.collection import ToolCollection

__all__ = ["desk", "redis_server", "redis_url", "store"]


class Named(BaseModel):
    """Something with a name."""

    name: str


class Told(BaseModel):
    """A tool as the model is told of it."""

    function: Named


class Tools(BaseModel):
    """The part of a request that lists tools."""

    tools: list[Told]


class Ticket(Echo):
    """A tool of a server."""

    name: ClassVar[str] = "mcp_tickets_read"
    is_accepted_read: ClassVar[bool] = True
    origin: str = "tickets"


class Later(Ticket):
    """Another one, which comes later."""

    name: ClassVar[str] = "mcp_tickets_close"


class Open(Ticket):
    """The browser's."""

    name: ClassVar[str] = "mcp_playwright_browser_navigate"
    origin: str = "playwright"


@pytest.fixture
def office(desk: Desk) -> Desk:
    """A desk with two servers, whose tools may change."""
    desk.use(desk.context.tools.with_tools([Ticket(), Open()]))
    return desk


def let_change(office: Desk, after: list[object]) -> None:
    """Take tools as they are now: once `after` holds something, one has come and one has gone."""
    before = office.context.tools
    later = ToolCollection([*(tool for tool in before if tool.name != Ticket.name), Later()])
    office.context = replace(office.context, present_tools=lambda: later if after else before)


def offered(office: Desk, number: int) -> list[str]:
    """The tools of the n-th request."""
    tools = Tools.model_validate(office.model.bodies[number]).tools
    return sorted(tool.function.name for tool in tools)


async def test_the_agent_of_a_server_has_its_tools_as_they_are_now(office: Desk) -> None:
    """Nothing of other servers and nothing that runs code; what comes and goes is taken up, and the model is told."""
    changed: list[object] = []
    let_change(office, changed)
    office.script(calls(call("mcp_tickets_read", text="7")), say("It is open."))
    await office.hear("look")

    async def pause() -> bool:
        if office.model.bodies:
            changed.append(True)
        return False

    await agent_of("tickets")(office.context).run(pause)
    beside = ["ask_human", "planning", "terminate"]
    assert offered(office, 0) == sorted([*beside, "mcp_tickets_read"])
    assert offered(office, 1) == sorted([*beside, "mcp_tickets_close"])
    news = [event for event in await office.journal() if isinstance(event, ToolsChanged)]
    assert [(event.gone, event.new) for event in news] == [(("mcp_tickets_read",), ("mcp_tickets_close",))]
    assert "mcp_tickets_read" in str(office.model.bodies[1]["messages"])


async def test_the_browser_is_the_server_that_the_settings_name(office: Desk) -> None:
    """Another browser's server takes the place of the usual one."""
    office.script(say("Nothing to see."))
    await office.hear("look")
    await BrowserAgent(office.context).run(never)
    assert "mcp_playwright_browser_navigate" in offered(office, 0)
    office.configure('[agent]\nbrowser = "tickets"')
    office.script(say("Nothing to see."))
    await office.hear("again", ts="3.0")
    await BrowserAgent(office.context).run(never)
    assert "mcp_tickets_read" in offered(office, 1)
    assert "mcp_playwright_browser_navigate" not in offered(office, 1)


async def test_a_plan_may_choose_servers_and_the_browser_where_they_are(office: Desk) -> None:
    """The planner is told of them; a step runs with the tools of its server, refreshed in the middle of the step."""
    assert set(kinds_of(office.context)) == {"manus", "swe", "data_analysis", "browser", "mcp:tickets"}
    changed: list[object] = []
    let_change(office, changed)
    office.script(
        plan(step("s1", "Read the ticket", check="judge", kind="mcp:tickets")),
        calls(call("mcp_tickets_read", text="ticket seven is open")),
        say("Ticket seven is open."),
        judged(met=True, quote="ticket seven is open"),
    )
    run = await planned(office, changed)
    assert run.answer == "Ticket seven is open."
    assert "mcp:tickets (the tools mcp_tickets_read of the MCP server tickets)" in str(office.model.bodies[0])
    assert "bash" not in offered(office, 1)
    assert "mcp_tickets_close" in offered(office, 2)
    kinds = [event.kind for event in await office.journal()]
    assert kinds.count("tools_changed") == 1


async def planned(office: Desk, changed: list[object]) -> RunState:
    """A flow until it ends; tools change after the step's first request."""
    await office.hear("is ticket seven open?")

    async def pause() -> bool:
        if len(office.model.bodies) > 1:
            changed.append(True)
        return False

    await PlanningFlow(office.context).run(pause)
    return office.run


def test_without_servers_there_is_nothing_more_to_choose(desk: Desk) -> None:
    """A plan cannot name a browser that is not there."""
    assert set(kinds_of(desk.context)) == {"manus", "swe", "data_analysis"}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("<@U1> as mcp:tickets: read 7", "mcp:tickets"),
        ("as mcp:Tickets: read 7", ""),
        ("as mcp:nobody: read 7", ""),
        ("as swe:tickets: fix", ""),
        ("as browser, open it", "browser"),
        ("as mcp: read 7", ""),
    ],
)
def test_a_request_names_the_agent_of_a_server_that_is_there(text: str, name: str) -> None:
    """Any other name counts as words of the request."""
    assert asked_for(text, ["tickets"]) == name


def test_a_runs_agent_is_found_again_by_its_name() -> None:
    """After a restart too; a name that nobody knows is the general agent."""
    assert agent_named("mcp:tickets").name == executor_of("mcp:tickets").name == "mcp:tickets"
    assert agent_named("browser") is BrowserAgent
    assert agent_named("gone").name == "manus"
    assert agent_named("mcp:gone").name == "mcp:gone"
