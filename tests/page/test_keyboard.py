"""The page without a mouse, in a real browser: write, answer, fill in a form; and the control page."""

import pytest
from playwright.async_api import Browser, Page, expect

from tests.page.bot import QUESTION, SmallBot
from tests.page.browser import PHONE, WIDE, Visitor
from tests.page.gallery import option
from tests.page.wire import BotWire
from tests.support.slack import LocalSlack

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.asyncio(loop_scope="session")]

FOCUSED = """() => {
  const at = document.activeElement;
  const ring = getComputedStyle(at);
  return {
    name: (at.getAttribute("aria-label") || at.innerText || at.getAttribute("placeholder") || "").trim(),
    ring: ring.outlineStyle !== "none" || ring.boxShadow !== "none" || at.matches("input, textarea, [contenteditable]"),
  };
}"""
MOST = 80
"""Tabs from anywhere to anything."""


async def tab_to(page: Page, name: str) -> None:
    """Press Tab until something of that name has the focus; whatever has it on the way shows that it has."""
    passed: list[str] = []
    for _ in range(MOST):
        await page.keyboard.press("Tab")
        focused = await page.evaluate(FOCUSED)
        passed.append(focused["name"])
        assert focused["ring"] or not focused["name"], f"{focused['name']!r} does not show the focus"
        if focused["name"] == name:
            return
    raise AssertionError(f"{name!r} is not reached by Tab; on the way: {passed}")


async def test_a_question_is_asked_and_answered_with_the_keyboard(ana: Visitor, bot: SmallBot) -> None:
    """Write to the bot, open the thread, open the form, fill it in, send it."""
    page = ana.page
    await page.locator("main .composer [contenteditable], main .composer textarea").first.focus()
    await page.keyboard.type("@Handrail")
    await expect(page.get_by_role("option", name="Handrail")).to_be_visible()
    await page.keyboard.press("Enter")
    await page.keyboard.type(" which import?")
    await page.keyboard.press("Enter")
    await expect(page.locator(".thread-link")).to_have_count(1)
    await page.locator(".thread-link").focus()
    await page.keyboard.press("Enter")
    await expect(page.locator(".thread .message")).to_have_count(2)
    await tab_to(page, "Other…")
    await page.keyboard.press("Enter")
    form = page.get_by_role("dialog", name="Another import")
    await expect(form.get_by_label("Which one?")).to_be_focused()
    await page.keyboard.type("the weekly one")
    await tab_to(page, "Answer")
    await page.keyboard.press("Enter")
    await expect(form).to_have_count(0)
    body = await bot.next()
    assert body["view"]["state"]["values"]["reason_block"]["reason_text"]["value"] == "the weekly one"


async def test_what_is_closed_gives_the_focus_back(ana: Visitor, bot: SmallBot, wire: BotWire) -> None:
    """A form, a menu, a select, a question and a thread: Escape closes each, and the focus is where it was before.

    Within a form Tab goes round, Shift+Tab too; Enter in its single line sends it.
    """
    page = ana.page
    menu = {"type": "overflow", "action_id": "more", "options": [option("Every call", "all"), option("Quiet", "quiet")]}
    root = await wire.post("Which?", blocks=[*QUESTION, {"type": "actions", "elements": [menu]}])
    for name, opened in (
        ("Other…", page.get_by_role("dialog", name="Another import")),
        ("More options", page.get_by_role("menu")),
        ("A day", page.get_by_role("listbox")),
    ):
        button = page.locator(f'[data-ts="{root}"]').get_by_role("button", name=name)
        await button.press("Enter")
        await expect(opened).to_be_visible()
        await page.keyboard.press("Escape")
        await expect(opened).to_have_count(0)
        await expect(button).to_be_focused()
    more = page.locator(f'[data-ts="{root}"]').get_by_role("button", name="More options")
    await more.press("Enter")
    await expect(page.get_by_role("menuitem", name="Every call")).to_be_focused()
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await expect(more).to_be_focused()
    assert (await bot.next())["actions"][0]["selected_option"]["value"] == "quiet"
    await page.get_by_role("button", name="Other…").press("Enter")
    form = page.get_by_role("dialog", name="Another import")
    await expect(form.get_by_label("Which one?")).to_be_focused()
    for key in ("Tab", "Shift+Tab"):
        for _ in range(8):
            await page.keyboard.press(key)
            assert await form.evaluate("form => form.contains(document.activeElement)"), key
    await form.get_by_label("Which one?").fill("the weekly one")
    await form.get_by_label("Which one?").press("Enter")
    await expect(form).to_have_count(0)
    await bot.next()
    await wire.post("One", thread_ts=root)
    link = page.locator(".thread-link")
    await link.press("Enter")
    thread = page.get_by_role("complementary", name="Thread")
    await expect(thread).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(thread).to_have_count(0)
    await expect(link).to_be_focused()


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_the_control_page_breaks_things_with_the_keyboard(
    browser: Browser, slack: LocalSlack, size: object, scheme: str
) -> None:
    """A fault is chosen and set without a mouse, in each window; nothing is wider than it."""
    window = WIDE if size is WIDE else PHONE
    context = await browser.new_context(viewport=window, color_scheme="dark" if scheme == "dark" else "light")
    page = await context.new_page()
    await page.goto(f"{slack.url}/_local/control")
    await page.get_by_label("Method (* is any)").focus()
    await page.keyboard.press("Control+A")
    await page.keyboard.type("chat.postMessage")
    await page.keyboard.press("Tab")
    await page.keyboard.type("200 with")
    await tab_to(page, "Let it go wrong")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("status")).to_contain_text("Done")
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    body = await slack.http.post(
        f"{slack.api_url}chat.postMessage",
        json={"channel": "C0DATA", "text": "x"},
        headers={"Authorization": f"Bearer {slack.bot_token}"},
    )
    assert (await body.json())["error"] == "internal_error"
    await tab_to(page, "All calls go well again")
    await page.keyboard.press("Enter")
    await context.close()
