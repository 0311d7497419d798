"""`python -m bot mcp` and `doctor`, as an operator uses them: commands of their own in a directory of their own."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.machine import ROOT
from tests.mcp.real import odd_server
from tools.mcp.trust import FILE, TrustFile


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A directory with a handrail.toml that names an mcpServers file."""
    (tmp_path / "handrail.toml").write_text('[mcp]\nconfig = "mcp.json"\n', encoding="utf-8")
    (tmp_path / "mcp.json").write_text('{"mcpServers": {}}', encoding="utf-8")
    return tmp_path


def mcp(place: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command there, with nobody at the terminal."""
    return subprocess.run(
        [sys.executable, "-m", "bot", "mcp", *arguments],
        cwd=place,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def add(place: Path, mode: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Add the odd server in a mode."""
    server = odd_server(mode, place)
    return mcp(place, "add", "odd", "--env", f"PYTHONPATH={ROOT}", *options, "--", server.command, *server.args)


def test_a_server_is_added_shown_and_accepted_by_the_operators_word(place: Path) -> None:
    """The tools are shown whole; without a word nothing is accepted; with it, exactly the named ones are reads."""
    silent = add(place, "good")
    assert "--- new: weather" in silent.stdout
    assert '"readOnlyHint": true' in silent.stdout
    assert "Nothing was accepted." in silent.stdout
    assert json.loads((place / "mcp.json").read_text())["mcpServers"]["odd"]["env"] == {"PYTHONPATH": str(ROOT)}
    done = mcp(place, "accept", "odd", "--yes", "--reads", "weather")
    assert "1 may run without asking" in done.stdout
    listed = mcp(place, "list")
    assert "mcp_odd_weather: reads" in listed.stdout
    assert "mcp_odd_fails: asks" in listed.stdout


def test_a_change_is_shown_as_a_difference_and_a_yes_alone_makes_no_read(place: Path) -> None:
    """What was allowed to run without asking asks again once its definition is another one."""
    add(place, "good", "--yes", "--reads", "weather,environment")
    trust = TrustFile(place / ".handrail" / FILE)
    entry = trust.read().of("odd")
    pin = entry.tools["weather"]
    old = pin.model_copy(update={"definition": {**pin.definition, "description": "Tell the old weather."}})
    whole = trust.read()
    tools = {**entry.tools, "weather": old}
    servers = {"odd": entry.model_copy(update={"tools": tools})}
    trust.write(whole.model_copy(update={"servers": servers}))
    checked = mcp(place, "list", "--check")
    assert "mcp_odd_weather: QUARANTINED: it changed" in checked.stdout
    accepted = mcp(place, "accept", "odd", "--yes")
    assert '-  "description": "Tell the old weather."' in accepted.stdout
    assert '+  "description": "Tell the weather."' in accepted.stdout
    assert "--- as accepted: environment" in accepted.stdout
    listed = mcp(place, "list").stdout
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
def test_a_mistake_is_one_sentence(arguments: tuple[str, ...], words: str, place: Path) -> None:
    """No traceback, and what to do."""
    done = mcp(place, *arguments)
    assert done.returncode != 0
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_a_server_that_does_not_start_is_told_with_its_last_words(place: Path) -> None:
    """The entry is written, nothing is accepted, and the reason is the program's own."""
    done = add(place, "exits", "--yes")
    assert done.returncode == 1
    assert "cannot open the database" in done.stderr
    assert not (place / ".handrail" / FILE).exists()
