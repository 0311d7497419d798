"""Rules on what a call's arguments say, as one handrail.toml decides real calls of one run."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.mcp.real import clients_of, odd_server
from tests.support.model import Invocation, call, calls, say
from tests.support.slack import LocalSlack
from tests.support.stage import BOT, DATA, Stage, passable_folder, staged
from tests.web.conftest import SmallWeb, small_web

__all__ = ["small_web"]

RULES = """
[mcp]
config = "{folder}/mcp.json"
[web]
private_hosts = ["{host}", "{other}"]

[[policy.rules]]
tool = "str_replace_editor"
when = [{{ argument = "path", under = "secrets" }}]
verdict = "deny"
[[policy.rules]]
tool = "str_replace_editor"
when = [{{ argument = "path", under = "legal" }}]
verdict = "ask"

[[policy.rules]]
tool = "bash"
when = [{{ argument = "command", prefix = "git push" }}]
verdict = "deny"
[[policy.rules]]
tool = "bash"
when = [{{ argument = "command", prefix = "touch" }}]
verdict = "allow"
[[policy.rules]]
tool = "bash"
verdict = "ask"

[[policy.rules]]
tool = "web_fetch"
when = [{{ argument = "url", host = "{host}" }}]
verdict = "allow"
[[policy.rules]]
tool = "web_fetch"
when = [{{ argument = "url", host = "{other}" }}]
verdict = "deny"

[[policy.rules]]
tool = "mcp_odd_pay"
when = [{{ argument = "amount", at_most = 100 }}]
verdict = "allow"
[[policy.rules]]
tool = "mcp_odd_pay"
when = [{{ argument = "amount", over = 1000 }}]
verdict = "deny"
"""


def create(path: str) -> Invocation:
    """A call of the editor."""
    return call("str_replace_editor", command="create", path=path, file_text="x\n")


@pytest.fixture
async def stage(slack: LocalSlack, redis_url: str, small_web: SmallWeb) -> AsyncIterator[Stage]:
    """A stage with those rules, a server that takes payments, and two hosts that can be reached."""
    page = small_web.show("/prices", "the prices", "text/plain")
    host = small_web.base.removeprefix("http://")
    other = f"localhost:{host.rpartition(':')[2]}"
    ask = (create("legal/terms.md"), call("bash", command="ls; touch late.txt"), call("mcp_odd_pay", amount=500))
    allowed = (create("notes.md"), call("bash", command="touch quick.txt"), call("web_fetch", url=page))
    denied = (
        create("secrets/key.md"),
        call("bash", command="ls && git push"),
        call("web_fetch", url=f"http://{other}/prices"),
        call("mcp_odd_pay", amount=5000),
    )
    turns = [calls(*allowed, call("mcp_odd_pay", amount=50)), calls(*denied), calls(*ask), say("Done.")]
    async with passable_folder() as folder:
        server = odd_server("good", folder)
        entry = {"command": server.command, "args": list(server.args), "env": server.env}
        (folder / "mcp.json").write_text(json.dumps({"mcpServers": {"odd": entry}}), encoding="utf-8")
        async with clients_of(server, data=folder):
            pass
        settings = RULES.format(folder=folder, host=host, other=other)
        async with staged(slack, redis_url, turns, settings=settings, folder=folder) as stage:
            yield stage


def paid(folder: Path) -> list[str]:
    """What was paid."""
    return (folder / "paid").read_text(encoding="utf-8").split()


@pytest.mark.timeout(400)
async def test_path_command_host_and_amount_decide_which_calls_run_ask_or_never_run(
    stage: Stage, small_web: SmallWeb
) -> None:
    """Of each tool one call runs unasked, one is refused and one waits for a card; the editor's and Bash's files, the
    pages fetched and the payments made are those and no others.
    """
    sent = await stage.ana.send(DATA, f"{BOT} do it")
    card = await stage.button(sent, "Approve")
    root = (await stage.workspace(sent)).root
    assert (root / "notes.md").exists()
    assert (root / "quick.txt").exists()
    assert [request.path for request in small_web.asked] == ["/prices"]
    assert paid(stage.folder) == ["50"]
    refused = str(stage.model.bodies[2])
    assert refused.count("does not allow this call") == 4
    assert not (root / "secrets").exists()
    assert not (root / "legal").exists()
    assert not (root / "late.txt").exists()
    assert "legal/terms.md" in card.words
    assert "ls; touch late.txt" in card.words
    assert "Attempt" not in card.words
    await stage.ana.click(card, "Approve")
    payment = await stage.slack.wait_message(
        DATA, sent.ts, lambda m: m.has_button("Approve") and m.ts != card.ts, "the card of the payment", within=60
    )
    assert "500" in payment.words
    assert paid(stage.folder) == ["50"]
    await stage.ana.click(payment, "Approve")
    await stage.answer(sent)
    assert (root / "legal" / "terms.md").exists()
    assert (root / "late.txt").exists()
    assert paid(stage.folder) == ["50", "500"]
    assert len(small_web.asked) == 1
