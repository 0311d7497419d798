"""A whole bot with MCP servers that are dead from the start."""

import json
from functools import partial

import pytest

from bot.assembly import facts_of
from bot.web.health import health_server
from tests.mcp.real import listing_of, odd_server
from tests.support.model import call, calls, say
from tests.support.ports import free_port
from tests.support.slack import LocalSlack
from tests.support.stage import BOT, DATA, passable_folder, staged
from tools.mcp.breaker import FAILURES
from tools.mcp.definition import Definition
from tools.mcp.trust import TrustFile

SETTINGS = """
[mcp]
config = "{folder}/mcp.json"
[[policy.rules]]
tool_glob = "mcp_*"
verdict = "allow"
"""


@pytest.mark.timeout(300)
async def test_dead_servers_block_neither_the_start_nor_a_run_and_are_named(slack: LocalSlack, redis_url: str) -> None:
    """One program exits at once, one address refuses: the model and the person learn which, the other calls run, a
    server that fails again and again is set aside, and the health page says so while the process counts as well.
    """
    weather = [call("mcp_odd_weather", city="Rome") for _ in range(FAILURES)]
    turns = [
        calls(call("mcp_shop_weather", city="Rome"), call("bash", command="echo fine > fine.txt"), *weather),
        say("Neither weather server answers; the rest is done."),
    ]
    async with passable_folder() as folder:
        good, dead = odd_server("good", folder), odd_server("exits", folder)
        trust = TrustFile(folder / "mcp-trust.json")
        definitions = (await listing_of(good, trust)).definitions
        for name in ("odd", "shop"):
            trust.accept(
                name, [Definition(server=name, raw=one.raw) for one in definitions], reads=frozenset(), instructions=""
            )
        entries = {
            "odd": {"command": dead.command, "args": list(dead.args), "env": dead.env},
            "shop": {"url": f"http://127.0.0.1:{free_port()}/mcp"},
        }
        (folder / "mcp.json").write_text(json.dumps({"mcpServers": entries}), encoding="utf-8")
        async with staged(slack, redis_url, turns, settings=SETTINGS.format(folder=folder), folder=folder) as stage:
            assert facts_of(stage.core)["MCP server odd"] == "not needed yet"
            sent = await stage.ana.send(DATA, f"{BOT} what is the weather?")
            answer = await stage.answer(sent)
            assert "Neither weather server answers" in answer.words
            assert ((await stage.workspace(sent)).root / "fine.txt").exists()
            told = str(stage.model.requests[1])
            assert "cannot open the database" in told
            assert "MCP server shop" in told
            assert "No longer here: mcp_odd_" in told
            offered = [tool.function.name for tool in stage.model.requests[1].tools or ()]
            assert not [name for name in offered if name.startswith("mcp_odd")]
            shown = "\n".join(message.words for message in await stage.thread(sent))
            assert "mcp_shop_weather" in shown
            facts = partial(facts_of, stage.core)
            async with health_server("127.0.0.1", 0, alive={}, ready={}, facts=facts) as address:
                async with stage.slack.http.get(f"{address}/readyz") as page:
                    said = await page.json()
                assert (page.status, said["ok"]) == (200, True)
                assert said["MCP server odd"].startswith("unavailable; tried again in ")
                assert said["MCP server shop"] == "unavailable; tried again when needed"
                assert "database" not in str(said)
