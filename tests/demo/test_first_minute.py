"""The first minute of the demo, lived through in a real browser as a newcomer would: every click a person makes."""

import asyncio
import os
import re
import shutil
import signal
import sys
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urljoin

import pytest
from aiohttp import ClientSession
from playwright.async_api import Page, expect

from tests.page.browser import chromium, visit

ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "REDIS_"))}
ADDRESS = re.compile(r"^\s+(http://\S+)\s*$")
LONG = 90_000
"""Milliseconds for what waits for a process to start."""


@asynccontextmanager
async def demo() -> AsyncGenerator[tuple[str, Path]]:
    """The demo as a process, its address, and the directory with its sample world."""
    data = Path(tempfile.mkdtemp(prefix="handrail-demo-"))
    data.chmod(0o711)
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bot",
        "demo",
        "--no-browser",
        env={**ENVIRONMENT, "HANDRAIL_DATA": str(data)},
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        yield await address(process), data
    finally:
        process.send_signal(signal.SIGINT)
        await process.communicate()
        await asyncio.to_thread(shutil.rmtree, data, ignore_errors=True)


async def address(process: asyncio.subprocess.Process) -> str:
    """The one line with the address."""
    assert process.stdout is not None
    async for line in process.stdout:
        if found := ADDRESS.match(line.decode()):
            return found[1]
    raise AssertionError("the demo ended without an address")


async def be_patient(url: str) -> None:
    """Let the demo's Slack wait for its bot longer than Slack does: a busy machine is no failure."""
    settings = {"ack_seconds": 30.0, "trigger_seconds": 60.0}
    async with ClientSession() as http, http.post(urljoin(url, "/_local/test/settings"), json=settings) as answer:
        assert answer.status == 200


def thread(page: Page) -> Page:
    """The page, with patience for the tools of the agent."""
    page.set_default_timeout(LONG)
    expect.set_options(timeout=LONG)
    return page


async def become(page: Page, name: str) -> None:
    """Switch to another person."""
    await page.get_by_text("You are").click()
    await page.get_by_role("menuitemradio", name=re.compile(name)).click()


@pytest.mark.needs("chromium")
@pytest.mark.timeout(600)
async def test_a_newcomer_clicks_through_the_first_minute() -> None:
    """Prompt, plan, question, chart, card for a second person, kill and start, refusal, approval, answer."""
    async with demo() as (url, data), chromium() as browser:
        script = next(data.rglob("world/etl/import_orders.py"))
        before = script.read_text(encoding="utf-8")
        await be_patient(url)
        visitor = await visit(browser, url)
        page = thread(visitor.page)
        await expect(page.get_by_text("Scripted model: connect yours")).to_be_visible()
        await page.get_by_text("Why did last night's import drop rows?").first.click()
        await expect(page.get_by_text("Read the import log").first).to_be_visible()
        await page.get_by_role("button", name="Nightly").click()
        await expect(page.get_by_role("button", name="Approve")).to_be_visible()
        await expect(page.locator("img[src*='.png']").first).to_be_visible()

        await expect(page.get_by_text("Kill the bot now").first).to_be_visible()
        await page.get_by_role("button", name="Kill bot").first.click()
        await expect(page.get_by_text("Handrail is offline").first).to_be_visible()
        await page.get_by_role("button", name="Start bot").first.click()
        await expect(page.get_by_text("Handrail is online").first).to_be_visible()

        await page.get_by_role("button", name="Approve").click()
        await expect(page.get_by_text("Nothing happened; the card stays.")).to_be_visible()
        assert script.read_text(encoding="utf-8") == before
        await become(page, "Ben")
        await page.get_by_text(re.compile(r"\d+ replies")).first.click()
        await page.get_by_role("button", name="Approve").click()
        await expect(page.get_by_text("Fixed; 8 of 8 tests pass.").first).to_be_visible()
        await expect(page.get_by_text(re.compile(r"tokens · \$")).first).to_be_visible()
        assert "DATE_FORMATS" in script.read_text(encoding="utf-8")
        await expect(page.get_by_role("button", name="Approve")).to_have_count(0)
        assert visitor.errors == []
