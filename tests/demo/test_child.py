"""The demo's processes: ready, killed, started again, ended, and never two demos on one directory."""

import sys
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

import pytest
from aiohttp import ClientSession, web

from bot.demo.child import Child
from bot.demo.control import Control, serving
from bot.demo.environment import for_child, has_browser, own_environment
from bot.demo.model_servers import is_set_up, look
from bot.demo.places import DemoError, Places, alone


def child_of(folder: Path, arguments: Sequence[str], *, lock: int = -1) -> Child:
    """One of our programs with its log in a directory."""
    environment = for_child(own_environment())
    return Child(name="model", arguments=arguments, environment=environment, log=folder / "log.txt", lock=lock)


@pytest.fixture
async def child(tmp_path: Path) -> AsyncGenerator[Child, None]:
    """The scripted model as a child, not yet started."""
    child = child_of(tmp_path, ("bot.rehearsal",))
    yield child
    await child.stop()


async def test_a_child_says_when_it_is_ready_each_time(child: Child) -> None:
    """After a kill the next start waits for the new line, not for the old one in the log."""
    first = await child.start_until("rehearsal")
    assert first.startswith("http://127.0.0.1:")
    await child.kill()
    assert not child.is_running
    second = await child.start_until("rehearsal")
    async with ClientSession() as session, session.get(f"{second}/models") as response:
        assert response.status == 200


async def test_a_child_that_cannot_start_is_quoted(tmp_path: Path) -> None:
    """The person reads the program's last words and where the rest is."""
    child = child_of(tmp_path, ("bot.rehearsal", "--port", "nonsense"))
    with pytest.raises(DemoError, match=r"invalid int value.*log\.txt"):
        await child.start_until("rehearsal")


async def test_the_switch_kills_and_starts(child: Child) -> None:
    """The page's commands reach the process; anything else is refused, and so is a guessed address."""
    control = Control(child)
    async with serving(control) as address, ClientSession() as session:
        for command, online in (("start", True), ("kill", False), ("kill", False), ("start", True)):
            async with session.post(address, json={"command": command}) as response:
                assert await response.json() == {"online": online}
        assert control.kills == 1
        async with session.get(address) as response:
            assert await response.json() == {"online": True, "info": []}
        async with session.post(address, json={"command": "explode"}) as response:
            assert response.status == 400
        async with session.get(address.rsplit("/", 2)[0] + "/") as response:
            assert response.status == 404


async def test_an_orphan_keeps_the_directory_to_itself(tmp_path: Path) -> None:
    """While a process of an earlier demo lives, a second demo is refused with the way out."""
    places = Places(data=tmp_path)
    with alone(places) as lock:
        orphan = child_of(tmp_path, ("bot.rehearsal",), lock=lock)
        await orphan.start_until("rehearsal")
    with pytest.raises(DemoError, match="already runs"), alone(places):
        pass
    await orphan.stop()
    with alone(places):
        pass


def test_children_get_no_settings_of_another_slack() -> None:
    """Tokens of a real workspace never reach the demo's bot, and local addresses bypass a proxy."""
    given = {"SLACK_BOT_TOKEN": "xoxb-real", "HANDRAIL_CONFIG": "/etc/h.toml", "NO_PROXY": "corp", "PATH": "/bin"}
    environment = for_child(given, SLACK_API_URL="http://127.0.0.1:1/api/")
    assert "SLACK_BOT_TOKEN" not in environment
    assert "HANDRAIL_CONFIG" not in environment
    assert environment["NO_PROXY"] == "corp,127.0.0.1,localhost"
    assert environment["SLACK_API_URL"] == "http://127.0.0.1:1/api/"


def test_a_browser_is_opened_only_where_there_is_one() -> None:
    """BROWSER decides; without it a screen does."""
    assert has_browser({"BROWSER": "firefox"})
    assert not has_browser({"BROWSER": "none", "DISPLAY": ":0"})
    assert has_browser({"DISPLAY": ":0"})
    assert has_browser({}) == (sys.platform == "darwin")


async def test_a_model_server_of_this_machine_is_offered() -> None:
    """A server with a model gives a line to copy; an empty or silent one gives none."""
    names: list[str] = ["llama3.2"]

    async def models(_: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": name, "object": "model"} for name in names]})

    app = web.Application()
    app.router.add_get("/v1/models", models)
    runner = web.AppRunner(app)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        address = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        async with ClientSession() as session:
            found = await look(session, "Ollama", address)
            assert found is not None
            assert found.hint == f"Ollama runs here: OPENAI_BASE_URL={address} OPENAI_MODEL=llama3.2 make demo"
            names.clear()
            assert await look(session, "Ollama", address) is None
            assert await look(session, "Ollama", "http://127.0.0.1:9/v1") is None
    finally:
        await runner.cleanup()


def test_a_key_or_an_address_means_a_real_model() -> None:
    """Empty variables count as absent."""
    assert is_set_up({"OPENAI_API_KEY": "sk-1"})
    assert is_set_up({"OPENAI_BASE_URL": "http://127.0.0.1:11434/v1"})
    assert not is_set_up({"OPENAI_API_KEY": " ", "OPENAI_MODEL": "gpt"})
