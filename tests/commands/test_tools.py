"""`python -m bot tools` and what `doctor` says of mounts."""

import json
import os

import pytest

from bot.commands.doctor import mounts
from tests.support.serving import Shell
from tests.support.stage import start_with

KEYS = {"name", "origin", "risk", "effect", "description", "schema"}


async def test_every_tool_is_listed_with_risk_effect_origin_and_schema(shell: Shell, redis_url: str) -> None:
    """All of them in lines, one with its fields, and everything as JSON."""
    (shell.folder / "srv").mkdir()
    (shell.folder / "handrail.toml").write_text(
        f'[[workspace.mounts]]\nname = "srv"\npath = "{shell.folder}/srv"\n', encoding="utf-8"
    )
    environment = {"REDIS_URL": redis_url}
    whole = await shell.run("tools", "--json", environment=environment)
    assert whole.code == 0, whole
    described = json.loads(whole.out)
    names = [tool["name"] for tool in described]
    assert {"bash", "search_files", "slack_read", "schedule", "web_fetch", "publish"} <= set(names)
    assert all(set(tool) >= KEYS for tool in described), described[0].keys()
    assert {tool["origin"] for tool in described} == {"local"}
    one = await shell.run("tools", "publish", environment=environment)
    for words in ("publish", "local", "outside", "idempotent", "- branch (string, optional): "):
        assert words in one.out
    unknown = await shell.run("tools", "publsh", environment=environment)
    assert unknown.code == 1
    assert "There is no tool 'publsh'" in unknown.err


async def test_doctor_says_which_mounts_code_in_the_sandbox_cannot_see(shell: Shell) -> None:
    """A missing one is to be fixed; one behind a private directory works as a copy, and the way to show it is told."""
    private, shown = shell.folder / "private", shell.folder / "shown"
    for folder in (private, shown):
        (folder / "etl").mkdir(parents=True)
    named = {"private": private / "etl", "shown": shown / "etl", "gone": shell.folder / "gone"}
    settings = "".join(f'[[workspace.mounts]]\nname = "{name}"\npath = "{path}"\n' for name, path in named.items())
    private.chmod(0o700)
    found = {finding.part: finding async for finding in mounts(start_with({}, settings))}
    assert not found["mount gone"].ok
    assert "cannot be read" in found["mount gone"].text
    assert found["mount shown"].text == f"{shown}/etl can be copied"
    if os.geteuid() != 0:
        pytest.skip("only a bot that is root runs code as another user")
    assert found["mount private"].ok
    assert "code in the sandbox sees the copy only" in found["mount private"].text
