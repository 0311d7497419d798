"""`python -m bot mcp` and `doctor`, as an operator uses them: commands of their own in a directory of their own."""

import json
from pathlib import Path

import pytest

from scripts.machine import ROOT
from tests.mcp.real import odd_server
from tests.support.serving import Ended, Launcher, Shell
from tools.mcp.trust import FILE, TrustFile


@pytest.fixture
def place(tmp_path: Path, command_server: Launcher) -> Shell:
    """A shell in a directory with a handrail.toml that names an mcpServers file; nobody is at the terminal."""
    (tmp_path / "handrail.toml").write_text('[mcp]\nconfig = "mcp.json"\n', encoding="utf-8")
    (tmp_path / "mcp.json").write_text('{"mcpServers": {}}', encoding="utf-8")
    return Shell(command_server, tmp_path)


async def mcp(place: Shell, *arguments: str) -> Ended:
    """Run the command there; only what this one said."""
    for name in ("out", "err"):
        (place.folder / name).unlink(missing_ok=True)
    return await place.run("mcp", *arguments)


async def add(place: Shell, mode: str, *options: str) -> Ended:
    """Add the odd server in a mode."""
    server = odd_server(mode, place.folder)
    return await mcp(place, "add", "odd", "--env", f"PYTHONPATH={ROOT}", *options, "--", server.command, *server.args)


async def test_a_server_is_added_shown_and_accepted_by_the_operators_word(place: Shell) -> None:
    """The tools are shown whole; without a word nothing is accepted; with it, exactly the named ones are reads."""
    silent = await add(place, "good")
    assert "--- new: weather" in silent.out
    assert '"readOnlyHint": true' in silent.out
    assert "Nothing was accepted." in silent.out
    assert json.loads((place.folder / "mcp.json").read_text())["mcpServers"]["odd"]["env"] == {"PYTHONPATH": str(ROOT)}
    done = await mcp(place, "accept", "odd", "--yes", "--reads", "weather")
    assert "1 may run without asking" in done.out
    listed = await mcp(place, "list")
    assert "mcp_odd_weather: reads" in listed.out
    assert "mcp_odd_fails: asks" in listed.out


async def test_a_change_is_shown_as_a_difference_and_a_yes_alone_makes_no_read(place: Shell) -> None:
    """What was allowed to run without asking asks again once its definition is another one."""
    await add(place, "good", "--yes", "--reads", "weather,environment")
    trust = TrustFile(place.folder / ".handrail" / FILE)
    entry = trust.read().of("odd")
    pin = entry.tools["weather"]
    old = pin.model_copy(update={"definition": {**pin.definition, "description": "Tell the old weather."}})
    whole = trust.read()
    tools = {**entry.tools, "weather": old}
    servers = {"odd": entry.model_copy(update={"tools": tools})}
    trust.write(whole.model_copy(update={"servers": servers}))
    checked = await mcp(place, "list", "--check")
    assert "mcp_odd_weather: QUARANTINED: it changed" in checked.out
    accepted = await mcp(place, "accept", "odd", "--yes")
    assert '-  "description": "Tell the old weather."' in accepted.out
    assert '+  "description": "Tell the weather."' in accepted.out
    assert "--- as accepted: environment" in accepted.out
    listed = (await mcp(place, "list")).out
    assert "mcp_odd_weather: asks" in listed
    assert "mcp_odd_environment: reads" in listed


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("accept", "nobody"), "There is no enabled server 'nobody'"),
        (("add", "x"), "Say what to start or where it is"),
        (("add", "x", "https://x.example", "--header", "no colon"), "Write --header"),
        (("accept", "odd", "--surprise"), "unrecognized arguments"),
    ],
)
async def test_a_mistake_is_one_sentence(arguments: tuple[str, ...], words: str, place: Shell) -> None:
    """No traceback, and what to do."""
    done = await mcp(place, *arguments)
    assert done.code != 0
    assert words in done.err
    assert "Traceback" not in done.err


async def test_a_server_that_does_not_start_is_told_with_its_last_words(place: Shell) -> None:
    """The entry is written, nothing is accepted, and the reason is the program's own."""
    done = await add(place, "exits", "--yes")
    assert done.code == 1
    assert "cannot open the database" in done.err
    assert not (place.folder / ".handrail" / FILE).exists()
