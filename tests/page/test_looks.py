"""Every block the page knows, drawn in both themes, wide and on a phone."""

from pathlib import Path
from typing import Literal

import pytest
from playwright.async_api import Browser, ViewportSize, expect

from tests.page.bot import QUESTION
from tests.page.browser import PHONE, WIDE, visit
from tests.page.gallery import ANSWER, APPROVAL, KIT, OUTPUT, PLAN
from tests.page.wire import BotWire
from tests.support.slack import LocalSlack

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.asyncio(loop_scope="session")]

WINDOWS: list[tuple[str, ViewportSize, Literal["light", "dark"]]] = [
    ("wide-light", WIDE, "light"),
    ("wide-dark", WIDE, "dark"),
    ("phone-light", PHONE, "light"),
    ("phone-dark", PHONE, "dark"),
]


async def post_gallery(slack: LocalSlack, wire: BotWire) -> str:
    """Post one message of each kind and return the root of the thread."""
    await wire.post("Settings", blocks=KIT)
    root = await slack.person("U0ANA").send("C0DATA", "<@U0HANDRAIL> Why did last night's import drop rows?")
    for blocks in (PLAN, QUESTION, OUTPUT, APPROVAL, ANSWER):
        await wire.post("A part of the journey", thread_ts=root.ts, blocks=blocks)
    return root.ts


async def test_the_gallery_is_drawn_whole_in_every_window(
    browser: Browser, slack: LocalSlack, wire: BotWire, tmp_path: Path
) -> None:
    """No block is unknown, nothing is wider than the window, the theme follows the system; pictures are kept beside."""
    root = await post_gallery(slack, wire)
    for name, size, scheme in WINDOWS:
        ana = await visit(browser, slack.url, size=size, scheme=scheme)
        await expect(ana.page.locator(".message")).to_have_count(2)
        await ana.page.screenshot(path=tmp_path / f"{name}-channel.png")
        await ana.page.locator(f'[data-ts="{root}"] .thread-link').click()
        await expect(ana.page.locator(".thread .message")).to_have_count(6)
        await ana.page.screenshot(path=tmp_path / f"{name}-thread.png")
        await expect(ana.page.locator(".unknown")).to_have_count(0)
        await expect(ana.page.locator("html")).to_have_attribute("data-theme", scheme)
        assert await ana.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
        overflowing = "[...document.querySelectorAll('.messages')].filter(e => e.scrollWidth > e.clientWidth).length"
        assert await ana.page.evaluate(overflowing) == 0, name
        assert ana.errors == []
        await ana.page.context.close()


async def test_the_theme_can_be_chosen_and_is_remembered(browser: Browser, slack: LocalSlack) -> None:
    """The toggle wins over the system and survives a reload."""
    ana = await visit(browser, slack.url)
    await ana.page.get_by_role("button", name="Use the dark theme").click()
    await ana.page.reload()
    await expect(ana.page.locator("html")).to_have_attribute("data-theme", "dark")


async def test_on_a_phone_the_thread_covers_the_channel(browser: Browser, slack: LocalSlack, wire: BotWire) -> None:
    """The sidebar is a drawer; an open thread hides the channel until one goes back."""
    await post_gallery(slack, wire)
    ana = await visit(browser, slack.url, size=PHONE)
    await ana.page.get_by_role("button", name="Open menu").click()
    await ana.page.locator("[data-channel=C0GENERAL]").click()
    await expect(ana.page.get_by_role("heading", name="general", exact=True)).to_be_visible()
    await ana.page.get_by_role("button", name="Open menu").click()
    await ana.page.locator("[data-channel=C0DATA]").click()
    await ana.page.locator(".thread-link").click()
    await expect(ana.page.locator("main.pane")).to_be_hidden()
    await ana.page.get_by_role("button", name="Back to channel").click()
    await expect(ana.page.locator("main.pane")).to_be_visible()
