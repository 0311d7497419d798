"""Talking on the page: sending, live updates, threads, files, people."""

import asyncio
from pathlib import Path

import pytest
from playwright.async_api import Browser, WebSocketRoute, expect

from tests.page.bot import SmallBot
from tests.page.browser import Visitor, visit
from tests.page.wire import BotWire
from tests.support.slack import LocalSlack, local_slack

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.asyncio(loop_scope="session")]


async def test_a_mention_chosen_from_the_list_reaches_the_bot_as_a_mention(
    ana: Visitor, bot: SmallBot, slack: LocalSlack
) -> None:
    """Typing @ha, taking the offer and sending sends `<@U...>`, and the bot answers in the thread."""
    field = ana.page.get_by_label("Message #data-imports")
    await field.press_sequentially("@ha")
    await expect(ana.page.get_by_role("option", name="Handrail")).to_be_visible()
    await field.press("Enter")
    await field.press_sequentially("count the rows")
    await field.press("Enter")
    await ana.page.get_by_role("button", name="1 reply").click()
    await expect(ana.page.locator(".thread").get_by_role("button", name="Nightly")).to_be_visible()
    sent = (await slack.messages("C0DATA"))[0]
    assert sent.text == "<@U0HANDRAIL> count the rows"
    assert bot.payloads.empty()


LATE_FRAMES = "window.requestAnimationFrame = (draw) => setTimeout(draw, 500);"


async def test_whoever_types_on_after_choosing_a_mention_keeps_the_caret(browser: Browser, slack: LocalSlack) -> None:
    """The field is ready at once, however late the browser draws: no letter lands before one that was typed earlier."""
    page = await (await browser.new_context()).new_page()
    await page.add_init_script(LATE_FRAMES)
    await page.goto(f"{slack.url}/?user=U0ANA")
    field = page.get_by_label("Message #data-imports")
    await field.press_sequentially("@ha")
    await expect(page.get_by_role("option", name="Handrail")).to_be_visible()
    await field.press("Enter")
    await field.press_sequentially("count the rows", delay=60)
    await expect(field).to_have_value("@Handrail count the rows")


async def test_shift_enter_breaks_the_line_and_what_was_typed_is_escaped(ana: Visitor, slack: LocalSlack) -> None:
    """A message of two lines with angle brackets arrives as Slack would send it and is shown as it was typed."""
    field = ana.page.get_by_label("Message #data-imports")
    await field.press_sequentially("a < b & c")
    await field.press("Shift+Enter")
    await field.press_sequentially("second *line*")
    await field.press("Enter")
    message = ana.page.locator(".message").last
    await expect(message).to_contain_text("a < b & c")
    await expect(message.locator("strong", has_text="line")).to_be_visible()
    assert (await slack.messages("C0DATA"))[0].text == "a &lt; b &amp; c\nsecond *line*"


async def test_what_others_post_change_and_delete_is_shown_at_once(ana: Visitor, wire: BotWire) -> None:
    """A message of the bot appears, changes and disappears without a reload."""
    posted = await wire.post("Import *started*")
    await expect(ana.page.locator(".message")).to_contain_text("Import started")
    await expect(ana.page.locator(".badge-app")).to_have_text("APP")
    await wire.change(posted, "Import finished")
    await expect(ana.page.locator(".message")).to_contain_text("Import finished")
    await wire.call("chat.delete", channel="C0DATA", ts=posted)
    await expect(ana.page.locator(".message")).to_have_count(0)


async def test_a_prompt_is_sent_with_one_click_and_its_thread_opens(ana: Visitor, bot: SmallBot) -> None:
    """The big button at the channel's start sends the prepared message and shows the thread with the answer."""
    await ana.page.get_by_role("button", name="Count the rows").click()
    thread = ana.page.get_by_role("complementary", name="Thread")
    await expect(thread).to_contain_text("@Handrail Count the rows of orders.csv")
    await expect(thread).to_contain_text("Which import: nightly or hourly?")
    await ana.page.keyboard.press("Escape")
    await expect(thread).to_have_count(0)
    assert bot.payloads.empty()


async def test_files_are_attached_with_previews_and_shown_with_the_message(ana: Visitor, slack: LocalSlack) -> None:
    """A chosen file is shown before sending and stands as a card with a download afterwards."""
    files = [{"name": "orders.csv", "mimeType": "text/csv", "buffer": b"day,orders\nmon,3\n"}]
    await ana.page.get_by_label("Choose files").set_input_files(files)  # pyright: ignore[reportArgumentType] - plain dict
    await expect(ana.page.locator(".draft")).to_contain_text("orders.csv")
    await ana.page.get_by_label("Message #data-imports").press_sequentially("have a look")
    await expect(ana.page.get_by_role("button", name="Send")).to_be_enabled()
    await ana.page.get_by_role("button", name="Send").click()
    card = ana.page.get_by_role("link", name="Download orders.csv")
    await expect(card).to_be_visible()
    async with slack.http.get(f"{slack.url}{await card.get_attribute('href')}") as response:
        assert await response.read() == b"day,orders\nmon,3\n"


async def test_a_mentioned_person_is_marked_and_sees_it_after_the_switch(ana: Visitor, wire: BotWire) -> None:
    """A mention of Ben puts a badge on the person menu; after switching, the page is Ben's."""
    await wire.post("<@U0BEN>, please decide")
    person = ana.page.get_by_role("button", name="You are Ana Ruiz")
    await expect(person.locator(".badge")).to_have_text("1")
    await person.click()
    await ana.page.get_by_role("menuitemradio", name="Ben Okafor").click()
    await expect(ana.page.get_by_role("button", name="You are Ben Okafor")).to_be_visible()
    await expect(ana.page.locator(".mention-me")).to_have_text("@Ben Okafor")
    await expect(ana.page.locator(".person .badge")).to_have_count(0)


async def test_unread_channels_are_marked_until_they_are_opened(ana: Visitor, wire: BotWire) -> None:
    """A message elsewhere makes the channel bold, a mention adds a number, opening it removes both."""
    await wire.post("<@U0ANA> hello", channel="C0GENERAL")
    row = ana.page.locator("[data-channel=C0GENERAL]")
    await expect(row).to_contain_class("is-unread")
    await expect(row.locator(".badge")).to_have_text("1")
    await row.click()
    await expect(ana.page.locator(".mention-me")).to_be_visible()
    await expect(row).not_to_contain_class("is-unread")


async def test_a_private_message_is_seen_by_its_person_only(
    ana: Visitor, browser: Browser, slack: LocalSlack, wire: BotWire
) -> None:
    """An ephemeral message is labelled on Ana's page and absent from Ben's."""
    ben = await visit(browser, slack.url, "U0BEN")
    await wire.call("chat.postEphemeral", channel="C0DATA", user="U0ANA", text="Only Ben can decide this.")
    await wire.post("Next")
    await expect(ana.page.locator(".is-ephemeral")).to_contain_text("Only visible to you")
    await expect(ben.page.locator(".message")).to_contain_text("Next")
    await expect(ben.page.locator(".is-ephemeral")).to_have_count(0)


async def test_own_messages_can_be_edited_reacted_to_and_deleted(ana: Visitor, slack: LocalSlack) -> None:
    """The bar over a message edits it with an (edited) mark, adds a reaction, and deletes it."""
    await slack.person("U0ANA").send("C0DATA", "frist")
    message = ana.page.locator(".message")
    await message.hover()
    await ana.page.get_by_role("button", name="More actions").click()
    await ana.page.get_by_role("menuitem", name="Edit message").click()
    await ana.page.get_by_label("Edit message").fill("first")
    await ana.page.get_by_label("Edit message").press("Enter")
    await expect(message).to_contain_text("first (edited)")
    await message.hover()
    await ana.page.get_by_role("button", name="React with white_check_mark").click()
    await expect(ana.page.locator(".reaction.is-mine")).to_contain_text("1")
    await ana.page.get_by_role("button", name="More actions").click()
    await ana.page.get_by_role("menuitem", name="Delete message").click()
    await expect(message).to_have_count(0)


async def test_the_page_says_that_it_reconnects_and_catches_up(browser: Browser, tmp_path: Path) -> None:
    """While the server is away a notice stands on the page; afterwards everything is fetched again."""
    async with local_slack(tmp_path) as slack:
        ana = await visit(browser, slack.url)
        await slack.person("U0ANA").send("C0DATA", "before")
        await expect(ana.page.locator(".message")).to_have_count(1)
        await slack.halt()
        await expect(ana.page.locator(".toast-warn")).to_contain_text("Reconnecting")
        await slack.launch(int(slack.url.rpartition(":")[2]))
        await slack.person("U0BEN").send("C0DATA", "after")
        await expect(ana.page.locator(".message")).to_have_count(2)
        await expect(ana.page.locator(".toast-warn")).to_have_count(0)


async def test_what_is_posted_while_the_page_still_connects_is_shown(
    browser: Browser, slack: LocalSlack, wire: BotWire
) -> None:
    """A message that comes after the page's first questions and before its live updates is not lost."""
    context = await browser.new_context()
    page, posted = await context.new_page(), asyncio.Event()

    async def hold(route: WebSocketRoute) -> None:
        await posted.wait()
        route.connect_to_server()

    await page.route_web_socket("**/_local/api/ws?*", hold)
    await page.goto(f"{slack.url}/?user=U0ANA", wait_until="networkidle")
    await wire.post("just in between")
    posted.set()
    await expect(page.locator(".message")).to_contain_text("just in between")


PASTE = """(field) => {
  const data = new DataTransfer();
  data.items.add(new File(["a,b\\n1,2\\n"], "pasted.csv", { type: "text/csv" }));
  field.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
}"""
DROP = """(field) => {
  const data = new DataTransfer();
  data.items.add(new File(["c,d\\n"], "dropped.csv", { type: "text/csv" }));
  field.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
}"""


async def test_files_can_be_pasted_and_dropped(ana: Visitor) -> None:
    """Both stand as previews, one is taken away again, and the other is sent without any text."""
    field = ana.page.get_by_label("Message #data-imports")
    await field.evaluate(PASTE)
    await field.evaluate(DROP)
    await expect(ana.page.locator(".draft")).to_have_count(2)
    await ana.page.get_by_role("button", name="Remove dropped.csv").click()
    await field.press("Enter")
    await expect(ana.page.locator(".draft")).to_have_count(0)
    await expect(ana.page.locator(".snippet pre")).to_have_text("a,b\n1,2")


async def test_a_copied_link_opens_the_thread_at_the_message(ana: Visitor, slack: LocalSlack, wire: BotWire) -> None:
    """The address of a reply opens its thread and marks the reply."""
    root = await slack.person("U0ANA").send("C0DATA", "root")
    reply = await wire.post("the reply meant", thread_ts=root.ts)
    await ana.page.goto(f"{slack.url}/?user=U0ANA#/C0DATA/{root.ts}?at={reply}")
    await expect(ana.page.locator(".thread .is-target")).to_contain_text("the reply meant")
