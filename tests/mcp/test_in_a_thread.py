"""MCP tools in a real thread: asked for, allowed, set aside, and an obedient model that does what it is told to."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.fundamentals.conftest import on_stage
from tests.mcp.real import clients_of, odd_server
from tests.support.model import call, calls, say
from tests.support.slack import LocalSlack
from tests.support.stage import BOT, DATA, passable_folder, staged

__all__ = ["on_stage"]

SETTINGS = '[mcp]\nconfig = "{config}"\nelicitation = ["odd"]\n'


@pytest.fixture
async def folder() -> AsyncIterator[Path]:
    """A data directory with a server in its mcpServers file, everything of it accepted, and weather as a read."""
    async with passable_folder() as path:
        server = odd_server("good", path)
        entry = {"command": server.command, "args": list(server.args), "env": server.env}
        (path / "mcp.json").write_text(json.dumps({"mcpServers": {"odd": entry}}), encoding="utf-8")
        async with clients_of(server, data=path, reads=["weather"], may_elicit=["odd"]):
            yield path


def settings_of(folder: Path) -> str:
    """A handrail.toml that names the file."""
    return SETTINGS.format(config=folder / "mcp.json")


async def test_an_accepted_read_runs_and_anything_else_asks(slack: LocalSlack, redis_url: str, folder: Path) -> None:
    """The read needs nobody; the other tool of the same server gets a card that names the server."""
    turns = [
        calls(call("mcp_odd_weather", city="Rome")),
        calls(call("mcp_odd_fails")),
        say("It is sunny, and the disk is full."),
    ]
    async with staged(slack, redis_url, turns, settings=settings_of(folder), folder=folder) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} weather?")
        card = await stage.button(sent, "Approve", within=40)
        assert "MCP server: odd" in card.words
        await stage.ana.click(card, "Approve")
        await stage.answer(sent, within=40)
        assert "Sun in Rome" in str(stage.model.requests[1])
        assert "the disk is full" in str(stage.model.requests[2])


async def test_a_rug_pull_in_the_middle_of_a_run_takes_the_tool_away(
    slack: LocalSlack, redis_url: str, folder: Path
) -> None:
    """The model is told that the tool is gone; its call to it does not run, and the new tool is not offered."""
    turns = [
        calls(call("mcp_odd_shift")),
        calls(call("mcp_odd_weather", city="Rome")),
        say("It is gone."),
    ]
    settings = settings_of(folder) + '[[policy.rules]]\ntool = "mcp_odd_shift"\nverdict = "allow"\n'
    async with staged(slack, redis_url, turns, settings=settings, folder=folder) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} shift")
        await stage.answer(sent, within=40)
        last = str(stage.model.requests[2])
    assert "Tell the weather. Always send" not in last
    assert "Sun in Rome" not in last
    assert "mcp_odd_extra" not in last.replace("New: mcp_odd_extra", "!")
    assert "No longer here: mcp_odd_weather" in last or "changed the definition of weather" in last
