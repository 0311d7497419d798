"""Each card in a browser, wide and on a phone, light and dark; and each form as Slack would judge it."""

from collections.abc import AsyncIterator
from typing import Any, Final, Literal

import pytest
from playwright.async_api import Browser, ViewportSize, expect

from bot.render.blocks import actions, button
from scripts.machine import ROOT
from tests.bot.judge import check_content, check_view
from tests.page.browser import PHONE, WIDE, chromium, visit
from tests.page.wire import BotWire, connected
from tests.people.cards import CARDS
from tests.people.forms import FORMS, UNSEEN_FORM
from tests.support.slack import LocalSlack

PEOPLE = frozenset({"U0ANA", "U0BEN", "U0CLEO", "U0HANDRAIL"})
SCHEMES: Final[tuple[Literal["light", "dark"], ...]] = ("light", "dark")


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    """A headless Chromium."""
    async with chromium() as running:
        yield running


@pytest.mark.needs("chromium")
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
async def test_every_card_is_drawn_whole(browser: Browser, slack: LocalSlack, size: object) -> None:
    """Nothing is unknown, nothing wider than the window, a group has its name; a picture of each is kept."""
    wire = BotWire(slack)
    root = await slack.person("U0ANA").send("C0DATA", "<@U0HANDRAIL> Set the day of the orders that have none")
    for content in CARDS.values():
        await wire.post(content.text, thread_ts=root.ts, blocks=list(content.blocks))
    window = WIDE if size is WIDE else PHONE
    # Whole cards, without what appears under the mouse.
    tall = ViewportSize(width=window["width"], height=2_400)
    ana = await visit(browser, slack.url, size=window)
    await ana.page.locator(f'[data-ts="{root.ts}"] .thread-link').click()
    await ana.page.set_viewport_size(tall)
    messages = ana.page.locator(".thread .message")
    await expect(messages).to_have_count(len(CARDS) + 1)
    await ana.page.mouse.move(window["width"] - 1, tall["height"] - 1)
    for scheme in SCHEMES:
        await ana.page.emulate_media(color_scheme=scheme)
        await expect(ana.page.locator("html")).to_have_attribute("data-theme", scheme)
        pictures = ROOT / "test-results" / "cards" / f"{'wide' if size is WIDE else 'phone'}-{scheme}"
        for number, name in enumerate(CARDS, start=1):
            await messages.nth(number).screenshot(path=pictures / f"{number:02d}-{name.replace(', ', '-')}.png")
    await expect(ana.page.locator(".unknown")).to_have_count(0)
    await expect(messages.nth(1).get_by_text("@oncall").first).to_be_visible()
    await ana.page.set_viewport_size(window)
    overflowing = "[...document.querySelectorAll('.messages')].filter(e => e.scrollWidth > e.clientWidth).length"
    assert await ana.page.evaluate(overflowing) == 0
    assert ana.errors == []
    await ana.page.context.close()


@pytest.mark.parametrize("name", [name for name in CARDS if not name.startswith(("allowance", "approval", "direct"))])
def test_every_card_is_one_that_slack_takes(name: str) -> None:
    """Within Slack's limits, and mentioning only people who are meant; those that mention groups and channels as well
    are judged by the local Slack when they are drawn.
    """
    check_content(CARDS[name], PEOPLE)


@pytest.mark.needs("chromium")
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
async def test_every_form_is_drawn_whole(browser: Browser, slack: LocalSlack, size: object) -> None:
    """Nothing is unknown, nothing wider than its form, its buttons are in view; a picture of each is kept."""
    wire = BotWire(slack)
    window = WIDE if size is WIDE else PHONE
    pictures = ROOT / "test-results" / "forms"
    shown = {**FORMS, "edit, unseen": UNSEEN_FORM}

    async def opens(payload: dict[str, Any]) -> None:
        if payload.get("type") == "block_actions":
            view = shown[payload["actions"][0]["value"]]
            await wire.call("views.open", trigger_id=payload["trigger_id"], view=view)

    async with connected(wire, opens):
        ana = await visit(browser, slack.url, size=window)
        for number, name in enumerate(shown, start=1):
            await wire.post("forms", blocks=[actions(f"forms-{number}", button(name, "form", name))])
            await ana.page.get_by_role("button", name=name, exact=True).click()
            form = ana.page.get_by_role("dialog")
            await expect(form).to_be_visible()
            await expect(form.locator(".unknown")).to_have_count(0)
            for scheme in SCHEMES:
                await ana.page.emulate_media(color_scheme=scheme)
                await expect(ana.page.locator("html")).to_have_attribute("data-theme", scheme)
                folder = pictures / f"{'wide' if size is WIDE else 'phone'}-{scheme}"
                await ana.page.screenshot(path=folder / f"{number:02d}-{name.replace(', ', '-')}.png")
            overflowing = "[...document.querySelectorAll('[role=dialog]')].filter(e => e.scrollWidth > e.clientWidth)"
            assert await ana.page.evaluate(f"{overflowing}.length") == 0, name
            for word in {shown[name].get("submit", {}).get("text"), shown[name]["close"]["text"]} - {None}:
                await expect(form.get_by_role("button", name=word, exact=True).first).to_be_in_viewport()
            await ana.page.keyboard.press("Escape")
            await expect(form).to_have_count(0)
        assert ana.errors == []
        await ana.page.context.close()


@pytest.mark.parametrize("name", FORMS)
def test_every_form_is_one_that_slack_takes(name: str) -> None:
    """The arguments of a call, the fields of a question, a file, a reason, and what is only to be read."""
    check_view(FORMS[name])


def test_an_edit_form_says_what_cannot_be_seen_in_it() -> None:
    """The field has to hold the exact characters; below it they stand in words. A number has a single line."""
    command, timeout, _ = UNSEEN_FORM["blocks"]
    assert command["element"]["initial_value"] == "ls \u202egpj\u200b"
    assert command["hint"]["text"] == "Holds what cannot be seen: ⟨U+202E⟩ ⟨U+200B⟩"
    assert "hint" not in timeout
    assert [block["element"]["multiline"] for block in (command, timeout)] == [True, False]
