"""A real browser through npm's `@playwright/mcp`, on pages of this machine, as an agent in a thread."""

import json
import os
from pathlib import Path

import pytest

from scripts.machine import program
from scripts.mcp_servers import NODE_HOME
from scripts.system_parts import PARTS
from tests.fundamentals.conftest import on_stage
from tests.mcp.real import clients_of, page
from tests.parts import requires
from tests.support.model import call, calls, say
from tests.support.slack import LocalSlack
from tests.support.stage import BOT, DATA, passable_folder, staged
from tests.waiting import wait_until
from tools.mcp.config import Server

__all__ = ["on_stage"]

PAGE = """<html><head><title>The shop</title></head><body>
<h1>Nine boats</h1><button onclick="document.querySelector('h1').textContent = 'Sold'">Buy</button></body></html>"""


def browser(folder: Path) -> Server:
    """The browser's server, its files in a folder; the test is skipped where it or Chromium is not installed."""
    requires("node", "chromium", "mcp-servers-for-node")
    node, entry = program("node"), NODE_HOME / "node_modules/@playwright/mcp/cli.js"
    chromium = next(found for name in PARTS["chromium"].programs if (found := program(name)))
    chosen = ("--headless", "--isolated", "--executable-path", str(chromium), "--output-dir", str(folder / "browser"))
    patient = ("--timeout-action", "60000")
    without_walls = ("--no-sandbox",) if os.geteuid() == 0 else ()
    return Server(
        name="playwright",
        transport="stdio",
        command=str(node),
        args=(str(entry), *chosen, *patient, *without_walls),
        cwd=str(folder),
    )


@pytest.mark.timeout(300)
async def test_the_browser_agent_opens_a_page_clicks_and_shows_it(slack: LocalSlack, redis_url: str) -> None:
    """What stands on the page reaches the model, a click changes it, and the picture is shown in the thread."""
    async with passable_folder() as folder, page(PAGE) as url:
        server = browser(folder)
        entry = {"command": server.command, "args": list(server.args), "cwd": server.cwd}
        (folder / "mcp.json").write_text(json.dumps({"mcpServers": {"playwright": entry}}), encoding="utf-8")
        turns = [
            calls(call("mcp_playwright_browser_navigate", url=url), call("mcp_playwright_browser_snapshot")),
            calls(
                call("mcp_playwright_browser_click", element="Buy", target="button"),
                call("mcp_playwright_browser_snapshot"),
                call("mcp_playwright_browser_take_screenshot", type="png", scale="css"),
                call("mcp_playwright_browser_close"),
            ),
            say("It is sold."),
        ]
        settings = f'[mcp]\nconfig = "{folder / "mcp.json"}"\n[[policy.rules]]\ntool_glob = "mcp_playwright_*"\n'
        settings += 'verdict = "allow"\n'
        async with clients_of(server, data=folder):
            pass
        async with staged(slack, redis_url, turns, settings=settings, folder=folder) as stage:
            sent = await stage.ana.send(DATA, f"{BOT} as browser: buy the boats at {url}")
            await stage.answer(sent, within=150)
            assert "bash" not in str(stage.model.bodies[0]["tools"])
            assert "Nine boats" in str(stage.model.requests[1])
            assert "Sold" in str(stage.model.requests[2])

            async def shown() -> list[str]:
                """Slack shows a file a moment after it was shared."""
                return [str(file["name"])[-4:] for message in await stage.thread(sent) for file in message.files]

            assert await wait_until("the picture is shown", shown) == [".png"]
