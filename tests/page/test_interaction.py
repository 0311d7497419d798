"""Acting on the page: buttons, selects, forms, the session's Stop, the bot's Kill and Start."""

import pytest
from playwright.async_api import expect

from tests.page.bot import HOME, QUESTION, SmallBot
from tests.page.browser import Control, Visitor
from tests.page.gallery import APPROVAL
from tests.page.wire import BotWire, connected
from tests.support.slack import LocalSlack

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.asyncio(loop_scope="session")]


async def test_a_click_arrives_as_slack_sends_it(ana: Visitor, bot: SmallBot, wire: BotWire) -> None:
    """The button's payload names person, message, block and value, and the message changes in place."""
    posted = await wire.post("Which?", blocks=QUESTION)
    await ana.page.get_by_role("button", name="Nightly").click()
    body = await bot.next()
    assert body["type"] == "block_actions"
    assert body["user"]["id"] == "U0ANA"
    assert body["container"]["message_ts"] == posted
    chosen = {key: body["actions"][0][key] for key in ("type", "action_id", "block_id", "value")}
    assert chosen == {"type": "button", "action_id": "answer_nightly", "block_id": "answers", "value": "nightly"}
    await expect(ana.page.locator(".message")).to_contain_text("Answered: nightly")


async def test_a_select_sends_the_chosen_option(ana: Visitor, bot: SmallBot, wire: BotWire) -> None:
    """Opening the select and choosing with the keyboard sends the option."""
    await wire.post("Which?", blocks=QUESTION)
    await ana.page.get_by_role("button", name="A day").click()
    await ana.page.keyboard.press("ArrowDown")
    await ana.page.keyboard.press("Enter")
    body = await bot.next()
    assert body["actions"][0]["selected_option"]["value"] == "tue"
    await expect(ana.page.locator(".message")).to_contain_text("Answered: tue")


async def test_a_form_shows_the_apps_refusal_and_closes_on_success(ana: Visitor, bot: SmallBot, wire: BotWire) -> None:
    """An empty field is refused by the page, a short one by the app, and a good one closes the form."""
    await wire.post("Which?", blocks=QUESTION)
    await ana.page.get_by_role("button", name="Other…").click()
    form = ana.page.get_by_role("dialog", name="Another import")
    answer = form.get_by_role("button", name="Answer")
    await answer.click()
    await expect(form.get_by_role("alert")).to_contain_text("Please complete this required field.")
    await form.get_by_label("Which one?").fill("no")
    await answer.click()
    await expect(form.get_by_role("alert")).to_contain_text("Say a little more.")
    await form.get_by_label("Which one?").fill("the weekly one")
    await answer.click()
    await expect(form).to_have_count(0)
    body = await bot.next()
    assert body["view"]["state"]["values"]["reason_block"]["reason_text"]["value"] == "the weekly one"


async def test_a_form_closes_with_escape(ana: Visitor, bot: SmallBot, wire: BotWire) -> None:
    """Escape closes the form and sends nothing."""
    await wire.post("Which?", blocks=QUESTION)
    await ana.page.get_by_role("button", name="Other…").click()
    form = ana.page.get_by_role("dialog", name="Another import")
    await expect(form).to_be_visible()
    await ana.page.keyboard.press("Escape")
    await expect(form).to_have_count(0)
    assert bot.payloads.empty()


async def test_a_click_nobody_hears_says_so(ana: Visitor, wire: BotWire) -> None:
    """Without a connected bot the button is busy at first, then free again with a warning beside it."""
    await wire.post("Which?", blocks=QUESTION)
    button = ana.page.get_by_role("button", name="Nightly")
    await button.click()
    await expect(ana.page.get_by_role("alert")).to_have_text("Slack could not reach the app. Try again.")
    await expect(button).to_be_enabled()


async def test_a_confirmation_comes_before_the_click(ana: Visitor, wire: BotWire) -> None:
    """A button with a `confirm` object asks first; keeping it sends nothing."""
    await wire.post("May I?", blocks=APPROVAL)
    await ana.page.get_by_role("button", name="Deny").click()
    dialog = ana.page.get_by_role("dialog", name="Deny this change?")
    await expect(dialog).to_contain_text("The agent goes on without it.")
    await dialog.get_by_role("button", name="Keep").click()
    await expect(dialog).to_have_count(0)
    await expect(ana.page.get_by_role("alert")).to_have_count(0)


async def test_the_hint_stands_while_a_matching_button_is_armed(ana: Visitor, wire: BotWire) -> None:
    """The scene's hint appears with the card and goes when the card is decided."""
    posted = await wire.post("May I?", blocks=APPROVAL)
    await expect(ana.page.locator(".hint")).to_contain_text("Kill the bot now.")
    await wire.change(posted, "Approved by Ben", blocks=[])
    await expect(ana.page.locator(".hint")).to_have_count(0)


async def test_kill_and_start_reach_whoever_runs_the_bot(
    ana: Visitor, bot: SmallBot, wire: BotWire, control: Control
) -> None:
    """The control sends kill, shows offline, and offers start; a started bot is online once it is connected."""
    await ana.page.get_by_role("button", name="Kill bot").click()
    await expect(ana.page.get_by_text("Handrail is offline")).to_be_visible()
    await ana.page.get_by_role("button", name="Start bot").click()
    await expect(ana.page.get_by_text("Handrail is starting")).to_be_visible()
    async with connected(wire, bot.hear):
        await expect(ana.page.get_by_text("Handrail is online")).to_be_visible()
    assert control.commands == ["kill", "start"]
    assert bot.payloads.empty()


async def test_stop_tells_the_app_which_session(ana: Visitor, bot: SmallBot, wire: BotWire) -> None:
    """While a session is processing its thread has a Stop button, and pressing it sends the native event."""
    root = await wire.post("Working on it")
    await wire.post("Step 1", thread_ts=root)
    await wire.call("agents.sessions.setStatus", channel_id="C0DATA", thread_ts=root, status="processing")
    await ana.page.get_by_role("button", name="1 reply").click()
    await expect(ana.page.locator(".session-status")).to_contain_text("Handrail is working")
    await ana.page.get_by_role("button", name="Stop").click()
    event = await bot.next()
    assert (event["type"], event["thread_ts"], event["user"]) == ("agent_session_stopped", root, "U0ANA")


async def test_the_shortcut_carries_the_message(ana: Visitor, bot: SmallBot, slack: LocalSlack) -> None:
    """The menu item Ask Handrail about this sends a message shortcut with the message it was used on."""
    sent = await slack.person("U0BEN").send("C0DATA", "numbers look odd")
    await ana.page.locator(".message").hover()
    await ana.page.get_by_role("button", name="More actions").click()
    await ana.page.get_by_role("menuitem", name="Ask Handrail about this").click()
    body = await bot.next()
    assert (body["type"], body["message"]["ts"]) == ("message_action", sent.ts)


async def test_a_view_pushed_on_a_form_keeps_what_was_entered_below(ana: Visitor, bot: SmallBot, wire: BotWire) -> None:
    """The pushed view lies on top; closing it brings the form back with its text."""
    await wire.post("Which?", blocks=QUESTION)
    await ana.page.get_by_role("button", name="Other…").click()
    form = ana.page.get_by_role("dialog", name="Another import")
    await form.get_by_label("Which one?").fill("the weekly one")
    await form.get_by_role("button", name="Help").click()
    pushed = ana.page.get_by_role("dialog", name="Help")
    await expect(pushed).to_contain_text("Nightly runs at two")
    await ana.page.keyboard.press("Escape")
    await expect(pushed).to_have_count(0)
    await expect(form.get_by_label("Which one?")).to_have_value("the weekly one")
    assert bot.payloads.empty()


async def test_the_home_tab_shows_what_the_app_published_and_its_buttons_work(
    ana: Visitor, bot: SmallBot, wire: BotWire
) -> None:
    """The app's direct message has a Home tab; a click there names the view."""
    await ana.page.locator("[data-channel=D0ANA]").click()
    await ana.page.get_by_role("tab", name="Home").click()
    await wire.call("views.publish", user_id="U0ANA", view=HOME)
    await ana.page.get_by_role("button", name="Open it").click()
    body = await bot.next()
    assert (body["container"]["type"], body["actions"][0]["action_id"]) == ("view", "home_open")


async def test_a_private_answer_to_a_click_frees_the_button(ana: Visitor, bot: SmallBot, wire: BotWire) -> None:
    """A card that does not change is usable again as soon as the app has told the person something."""
    await wire.post("May I?", blocks=APPROVAL)
    approve = ana.page.locator("[data-action=approval_yes]")
    await approve.click()
    await expect(approve).to_have_attribute("aria-busy", "true")
    await bot.next()
    await wire.call("chat.postEphemeral", channel="C0DATA", user="U0ANA", text="Only Ben can decide this.")
    await expect(approve).to_have_attribute("aria-busy", "false")
