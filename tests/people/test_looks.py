"""Each card in a browser, wide and on a phone; and each form as Slack would judge it."""

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser, ViewportSize, expect

from bot.listeners.people_modals import edit_modal, fields_modal, file_modal, which_modal
from bot.listeners.values import ButtonValue
from runtime.session.cards import parts
from scripts.machine import ROOT
from tests.bot.judge import check_content, check_view
from tests.page.browser import PHONE, WIDE, chromium, visit
from tests.page.wire import BotWire
from tests.people.cards import BASE, CARDS, FIELDS, KEY, SEVERAL, waiting
from tests.support.slack import LocalSlack

PEOPLE = frozenset({"U0ANA", "U0BEN", "U0CLEO", "U0HANDRAIL"})
VALUE = ButtonValue(session=KEY, about="a1")


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
    pictures = ROOT / "test-results" / "cards" / ("wide" if size is WIDE else "phone")
    ana = await visit(browser, slack.url, size=window)
    await ana.page.locator(f'[data-ts="{root.ts}"] .thread-link').click()
    await ana.page.set_viewport_size(tall)
    messages = ana.page.locator(".thread .message")
    await expect(messages).to_have_count(len(CARDS) + 1)
    await ana.page.mouse.move(window["width"] - 1, tall["height"] - 1)
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


def test_every_form_is_one_that_slack_takes() -> None:
    """The arguments of a call, the fields of a question, a file."""
    requested = BASE.model_copy(update={"arguments": '{"command":"ls \\u202e","timeout":5,"flags":["a"],"none":null}'})
    for view in (
        edit_modal(VALUE, parts(requested)[0]),
        which_modal(VALUE, SEVERAL, lambda call: call.call_id == "r1.1.1"),
        fields_modal(VALUE, waiting(fields=FIELDS).asked),
        file_modal(VALUE),
    ):
        assert len(view["blocks"]) >= 1
    check_view(fields_modal(VALUE, waiting(fields=FIELDS).asked))
    check_view(file_modal(VALUE))
