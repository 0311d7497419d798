"""MCP tools in a real thread: asked for, allowed, set aside, and an obedient model that does what it is told to."""

import json
import shutil
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from bot import texts, texts_people
from runtime.session.interrupted import SKIP
from tests.fundamentals.conftest import on_stage
from tests.mcp.real import clients_of, odd_server
from tests.support.model import call, calls, say, scripted_model
from tests.support.redis import MoveClock
from tests.support.serving import Launcher, serving
from tests.support.slack import LocalSlack, SlackMessage
from tests.support.stage import BOT, DATA, FOOTER, passable_folder, staged
from tests.waiting import wait_until

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
        card = await stage.button(sent, "Approve")
        assert "MCP server: odd" in card.words
        await stage.ana.click(card, "Approve")
        await stage.answer(sent)
        assert "Sun in Rome" in str(stage.model.requests[1])
        assert "the disk is full" in str(stage.model.requests[2])


async def test_a_servers_question_is_answered_in_the_thread(slack: LocalSlack, redis_url: str, folder: Path) -> None:
    """Buttons for a choice, a form for several fields; the call waits meanwhile and goes on with the answers."""
    turns = [calls(call("mcp_odd_confirm")), calls(call("mcp_odd_book")), say("Booked.")]
    settings = settings_of(folder) + '[[policy.rules]]\ntool_glob = "mcp_odd_*"\nverdict = "allow"\n'
    async with staged(slack, redis_url, turns, settings=settings, folder=folder) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} book")
        card = await stage.button(sent, "Yes")
        assert "The MCP server odd asks: Really?" in card.words
        assert not card.has_button(texts.OTHER)
        await stage.ana.click(card, "Yes")
        card = await stage.button(sent, texts_people.FILL_IN)
        assert card.has_button("Decline")
        await stage.ana.click(card, texts_people.FILL_IN)
        form = await stage.ana.wait_view("the form")
        await stage.ana.submit_view(form, {"field-0": "4", "field-1": "0"})
        await stage.answer(sent)
        assert "accept really=True" in str(stage.model.requests[1])
        assert "accept seats=4 inside=True" in str(stage.model.requests[2])


@pytest.mark.timeout(400)
async def test_killed_while_a_server_waits_for_a_person_the_effect_class_decides(
    slack: LocalSlack, redis_url: str, folder: Path, command_server: Launcher, move_clock: MoveClock
) -> None:
    """The question of the lost call is closed; the call is not made again, and a person is asked about it."""
    settings = settings_of(folder) + '[[policy.rules]]\ntool_glob = "mcp_odd_*"\nverdict = "allow"\n'
    async with scripted_model([calls(call("mcp_odd_confirm")), say("Skipped.")]) as model:
        environment = {**slack.environment, "REDIS_URL": redis_url, "OPENAI_BASE_URL": model.base_url}
        shutil.copytree(folder, folder / "data", ignore=shutil.ignore_patterns("data"))
        async with serving(command_server, folder, environment, settings) as bot:

            async def button(name: str) -> SlackMessage:
                return await slack.wait_message(DATA, sent.ts, lambda m: m.has_button(name), name, within=90)

            sent = await slack.person("U0ANA").send(DATA, f"{BOT} go")
            await button("Yes")
            await bot.kill()
            await move_clock(timedelta(minutes=2))  # What the dead one held is free.
            await bot.start()
            await slack.person("U0ANA").click(await button(SKIP), SKIP)
            await slack.wait_message(DATA, sent.ts, lambda m: FOOTER in m.words, "the answer", within=90)

            async def is_closed() -> bool:
                return not [m for m in await slack.messages(DATA, sent.ts, user="U0ANA") if m.has_button("Yes")]

            await wait_until("the question of the lost call is closed", is_closed)
            assert await bot.terminate() == 0
    assert (folder / "asked").read_text(encoding="utf-8") == "asked\n"


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
        await stage.answer(sent)
        last = str(stage.model.requests[2])
    assert "Tell the weather. Always send" not in last
    assert "Sun in Rome" not in last
    assert "mcp_odd_extra" not in last.replace("New: mcp_odd_extra", "!")
    assert "No longer here: mcp_odd_weather" in last or "changed the definition of weather" in last
