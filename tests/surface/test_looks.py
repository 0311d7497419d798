"""Every surface in a browser, wide and on a phone, light and dark: whole, and with nothing that axe finds wrong.

Pictures are kept in `test-results/surface`.
"""

from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Final, Literal

import aiohttp
import pytest
from playwright.async_api import Browser, Locator, Page, ViewportSize, expect

from bot import texts_web
from bot.home.service import HomeService
from bot.localslack.validation import checked_view
from bot.oauth.pages import page as oauth_page
from runtime.settings import Settings
from runtime.store.redis_store import SessionStore
from scripts.machine import ROOT
from tests.bot.judge import check_content
from tests.page.browser import PHONE, WIDE, chromium, visit
from tests.page.wire import BotWire, Json, connected
from tests.support.pixels import png
from tests.support.slack import LocalSlack
from tests.surface.looks import MESSAGES, QUESTION, homes, modals, replies

AXE: Final = ROOT / "tests" / "types" / "node_modules" / "axe-core" / "axe.min.js"
PICTURES: Final = ROOT / "test-results" / "surface"
PEOPLE = frozenset({"U0ANA", "U0BEN", "U0HANDRAIL"})
WINDOWS: Final[Mapping[str, tuple[ViewportSize, Literal["light", "dark"]]]] = {
    "wide-light": (WIDE, "light"),
    "wide-dark": (WIDE, "dark"),
    "phone-light": (PHONE, "light"),
    "phone-dark": (PHONE, "dark"),
}
TALL = 2_400
SCROLLING: Final = ".messages, .home-scroll, .modal-body"
OVERFLOWING: Final = f"[...document.querySelectorAll('{SCROLLING}')].filter(e => e.scrollWidth > e.clientWidth).length"


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    """A headless Chromium."""
    async with chromium() as running:
        yield running


@pytest.fixture
def facts(store: SessionStore) -> Mapping[str, str]:
    """How a workspace with the usual settings is set up."""
    return HomeService(store=store, settings=Settings(), workspaces=Path(), team="T0LOCAL").facts()


async def share(wire: BotWire, name: str, data: bytes, thread_ts: str) -> None:
    """Upload a file as the bot does."""
    given = await wire.call("files.getUploadURLExternal", filename=name, length=len(data))
    async with aiohttp.ClientSession() as http, http.post(given["upload_url"], data=data) as taken:
        assert taken.status == 200
    files = [{"id": given["file_id"], "title": name}]
    await wire.call("files.completeUploadExternal", files=files, channel_id="C0DATA", thread_ts=thread_ts)


async def judged(page: Page, where: str) -> None:
    """Nothing that axe knows is wrong: names, roles, contrast. The order of headings is the answers' own.

    Of a page under a dialog only the dialog is looked at.
    """
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(AXE.read_text(encoding="utf-8"))
    options = {"resultTypes": ["violations"], "rules": {"heading-order": {"enabled": False}}}
    run = "options => axe.run(document.querySelector('[role=dialog]') ?? document, options)"
    found = await page.evaluate(run, options)
    wrong = [(one["id"], node["html"], node["failureSummary"]) for one in found["violations"] for node in one["nodes"]]
    assert wrong == [], where


async def whole_page_in_every_window(page: Page, name: str) -> None:
    """The same for a page that follows the system's theme by itself and scrolls as a whole."""
    for window, (size, scheme) in WINDOWS.items():
        await page.emulate_media(color_scheme=scheme)
        await page.set_viewport_size(size)
        await page.screenshot(path=PICTURES / window / f"{name}.png", full_page=True)
        await judged(page, f"{name}, {window}")
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (name, window)


async def in_every_window(
    page: Page, name: str, element: str = "", *, tall: int = 0, open_: Locator | None = None
) -> None:
    """Take a picture in each window, of what a button opens where one is given; nothing is wider than the window."""
    for window, (size, scheme) in WINDOWS.items():
        await page.emulate_media(color_scheme=scheme)
        await page.set_viewport_size(ViewportSize(width=size["width"], height=tall or size["height"]))
        await expect(page.locator("html")).to_have_attribute("data-theme", scheme)
        if open_ is not None:
            await open_.click()
        path = PICTURES / window / f"{name}.png"
        shown = page.locator(element).last.screenshot(path=path) if element else page.screenshot(path=path)
        await shown
        if size is WIDE:
            await judged(page, f"{name}, {window}")
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (name, window)
        assert await page.evaluate(OVERFLOWING) == 0, (name, window)
        if open_ is not None:
            await page.keyboard.press("Escape")


@pytest.mark.needs("chromium", "axe-core")
async def test_every_message_is_drawn_whole(browser: Browser, slack: LocalSlack) -> None:
    """Plans, replies, notes, limits, answers of every kind, files and images; none has an unknown part."""
    wire = BotWire(slack)
    root = await slack.person("U0ANA").send("C0DATA", f"<@U0HANDRAIL> {QUESTION}")
    for contents in MESSAGES.values():
        for content in contents:
            await wire.post(content.text, thread_ts=root.ts, blocks=list(content.blocks))
    await share(wire, "share.png", png(400, 240), root.ts)
    await share(wire, "dropped.csv", b"day,orders\n2026-11-29,301\n", root.ts)
    await share(wire, "answer.md", b"# Long\n\n" + b"All of it. " * 400, root.ts)
    ana = await visit(browser, slack.url)
    await ana.page.locator(f'[data-ts="{root.ts}"] .thread-link').click()
    await expect(ana.page.locator(".thread .message")).to_have_count(sum(map(len, MESSAGES.values())) + 4)
    await in_every_window(ana.page, "thread", ".thread", tall=2 * TALL)
    menu = ana.page.locator(".thread .message").nth(2).get_by_role("button", name="More options")
    await in_every_window(ana.page, "plan-menu", open_=menu)
    await expect(ana.page.locator(".unknown")).to_have_count(0)
    assert ana.errors == []


class Shelf:
    """A bot whose command shows what its word names: a form or window, an answer, or App Home."""

    def __init__(self, wire: BotWire, facts: Mapping[str, str]) -> None:
        self.wire = wire
        self.views = modals()
        self.homes = homes(facts)
        self.replies = replies(facts)

    async def hear(self, payload: Json) -> Json | None:
        """Do what is asked for."""
        word = str(payload.get("text", ""))
        if word in self.views:
            await self.wire.call("views.open", trigger_id=payload["trigger_id"], view=self.views[word])
        elif word in self.homes:
            await self.wire.call("views.publish", user_id="U0ANA", view=self.homes[word])
        elif word in self.replies:
            text, blocks = self.replies[word]
            return {"text": text, **({"blocks": list(blocks)} if blocks else {})}
        return None


@pytest.mark.needs("chromium", "axe-core")
async def test_every_form_and_answer_is_drawn_whole(
    browser: Browser, slack: LocalSlack, facts: Mapping[str, str]
) -> None:
    """What the command answers, each form and window, App Home with nothing in it and full."""
    wire = BotWire(slack)
    shelf = Shelf(wire, facts)
    person = slack.person("U0ANA")
    async with connected(wire, shelf.hear):
        ana = await visit(browser, slack.url)
        for number, word in enumerate(shelf.replies, start=1):
            await person.slash("C0DATA", "/handrail", word)
            await expect(ana.page.locator(".message")).to_have_count(number)
        await in_every_window(ana.page, "commands", tall=TALL)
        for word in shelf.views:
            await person.slash("C0DATA", "/handrail", word)
            dialog = ana.page.get_by_role("dialog")
            await expect(dialog).to_be_visible()
            await in_every_window(ana.page, f"form-{word}")
            await ana.page.keyboard.press("Escape")
            await expect(dialog).to_have_count(0)
        await ana.page.set_viewport_size(WIDE)
        await ana.page.locator('[data-channel^="D"]').first.click()
        await ana.page.get_by_role("tab", name="Home").click()
        for word, view in shelf.homes.items():
            await person.slash("C0DATA", "/handrail", word)
            await expect(ana.page.locator(".home-tab .block")).to_have_count(len(view["blocks"]))
            await in_every_window(ana.page, f"home-{word}", tall=TALL)
        assert ana.errors == []


@pytest.mark.needs("chromium", "axe-core")
async def test_every_page_of_its_own_is_drawn_whole(browser: Browser, slack: LocalSlack) -> None:
    """The control page, which lists what is still to go wrong, and what an installation says."""
    await slack.fault("chat.postMessage", "ratelimited", times=3, retry_after=5)
    await slack.fault("*", "http_500")
    visitor = await visit(browser, slack.url)
    page = visitor.page
    await page.goto(f"{slack.url}/_local/control")
    armed = page.locator("#armed li")
    await expect(armed).to_have_text(
        ["chat.postMessage, 3 more: 429: too many calls", "any call, 1 more: 500: the server fails"]
    )
    await whole_page_in_every_window(page, "control")
    await page.get_by_role("button", name="All calls go well again").click()
    await expect(armed).to_have_text(["Nothing: every call goes well."])
    for name, words in {"installed": texts_web.installed("Harbor Coffee"), "expired": texts_web.STATE_GONE}.items():
        await page.set_content(str(oauth_page(200, words).text))
        await expect(page.get_by_text(words)).to_be_visible()
        await whole_page_in_every_window(page, f"install-{name}")


def test_every_surface_is_one_that_slack_takes(facts: Mapping[str, str]) -> None:
    """Within Slack's limits, and mentioning only people who are meant."""
    for contents in MESSAGES.values():
        for content in contents:
            check_content(content, PEOPLE)
    for view in modals().values():
        checked_view(dict(view))
    for view in homes(facts).values():
        checked_view(dict(view), surfaces=("home",))
