"""Clicks, forms, commands, shortcuts, response URLs and the Home tab, in the shapes Slack sends."""

import asyncio
from typing import Any

import pytest
from slack_sdk.errors import SlackApiError

from tests.localslack.bolt import connected_app
from tests.support.slack import LocalSlack, SlackMessage, SlackRefused
from tests.waiting import BOUND

Json = dict[str, Any]


def plain(text: str) -> Json:
    """A plain text object."""
    return {"type": "plain_text", "text": text}


def modal(callback_id: str = "m", *blocks: Json, **more: Any) -> Json:
    """A modal."""
    return {"type": "modal", "callback_id": callback_id, "title": plain("T"), "blocks": list(blocks), **more}


BUTTON: Json = {"type": "button", "action_id": "go", "text": plain("Go"), "value": "v1", "style": "primary"}
OPTIONS = [{"text": plain("One"), "value": "1"}, {"text": plain("Two"), "value": "2"}]
SELECT: Json = {"type": "static_select", "action_id": "pick", "options": OPTIONS}
CARD = [{"type": "actions", "block_id": "b", "elements": [BUTTON, SELECT]}]


class Recorder:
    """A Bolt app that acknowledges everything, records it, and answers as told."""

    def __init__(self) -> None:
        self.bodies: asyncio.Queue[Json] = asyncio.Queue()
        self.clients: Any = None
        self.view_answer: Json = {}

    def register(self, app: Any) -> None:
        """Register the listeners."""
        self.clients = app.client
        app.action("go")(self.take)
        app.action("pick")(self.take)
        app.command("/handrail")(self.take)
        app.shortcut("ask")(self.take)
        app.view("m")(self.take_view)
        app.view_closed("m")(self.take)
        for name in ("message", "app_home_opened", "reaction_added", "agent_session_stopped"):
            app.event(name)(self.take_event)

    async def take(self, ack: Any, body: Json) -> None:
        """Acknowledge and record."""
        await ack()
        await self.bodies.put(body)

    async def take_view(self, ack: Any, body: Json) -> None:
        """Answer a submission as told."""
        await ack(**self.view_answer)
        await self.bodies.put(body)

    async def take_event(self, body: Json) -> None:
        """Record an event, apart from messages."""
        if body["event"]["type"] != "message":
            await self.bodies.put(body)

    async def next(self) -> Json:
        """The next recorded payload."""
        async with asyncio.timeout(BOUND):
            return await self.bodies.get()


async def card_in_thread(slack: LocalSlack, client: Any) -> SlackMessage:
    """A card of the bot in a thread of Ana's."""
    root = await slack.person("U0ANA").send("C0DATA", "root")
    await client.chat_postMessage(channel="C0DATA", thread_ts=root.ts, text="card", blocks=CARD)
    return await slack.wait_message("C0DATA", root.ts, lambda m: m.has_button("go"), "the card")


async def test_a_click_has_the_shape_slack_sends(slack: LocalSlack, client: Any) -> None:
    """User, team, container, channel, message, state, response_url and the action with its stored value."""
    recorder = Recorder()
    async with connected_app(slack, recorder.register):
        card = await card_in_thread(slack, client)
        await slack.person("U0BEN").click(card, "go", value="forged")
        body = await recorder.next()
    assert set(body) == {
        "type", "user", "api_app_id", "token", "container", "trigger_id", "team", "enterprise",
        "is_enterprise_install", "channel", "message", "state", "response_url", "actions",
    }  # fmt: skip
    assert body["user"] == {"id": "U0BEN", "username": "ben", "name": "ben", "team_id": "T0LOCAL"}
    assert body["container"] == {
        "type": "message",
        "message_ts": card.ts,
        "channel_id": "C0DATA",
        "is_ephemeral": False,
        "thread_ts": card.thread_ts,
    }
    assert body["channel"] == {"id": "C0DATA", "name": "data-imports"}
    assert body["message"]["blocks"] == card.blocks
    assert body["state"] == {"values": {"b": {"pick": {"type": "static_select", "selected_option": None}}}}
    action = body["actions"][0]
    assert action.pop("action_ts")
    assert action == {**BUTTON, "block_id": "b", "text": {**plain("Go"), "emoji": True}}


async def test_a_choice_carries_the_chosen_option(slack: LocalSlack, client: Any) -> None:
    """A select's action holds `selected_option`."""
    recorder = Recorder()
    async with connected_app(slack, recorder.register):
        card = await card_in_thread(slack, client)
        await slack.person("U0BEN").click(card, "pick", selected_option=OPTIONS[1])
        body = await recorder.next()
    assert body["actions"][0]["selected_option"] == OPTIONS[1]


async def test_a_response_url_replaces_and_answers_five_times(slack: LocalSlack, client: Any) -> None:
    """The URL of a click replaces the card, answers privately, and is used up after five uses."""
    recorder = Recorder()
    async with connected_app(slack, recorder.register):
        card = await card_in_thread(slack, client)
        await slack.person("U0BEN").click(card, "go")
        url = (await recorder.next())["response_url"]
        await slack.http.post(url, json={"replace_original": True, "text": "done"})
        await slack.http.post(url, json={"text": "only Ben"})
        statuses = [(await slack.http.post(url, json={"text": "more"})).status for _ in range(4)]
        assert statuses == [200, 200, 200, 404]
        seen = await slack.messages("C0DATA", card.thread_ts, user="U0BEN")
        assert [message.text for message in seen] == ["root", "done", "only Ben", "more", "more", "more"]
        assert [message.text for message in await slack.messages("C0DATA", card.thread_ts)] == ["root", "done"]
        await slack.wait_idle()


async def test_a_trigger_opens_one_view_and_expires(slack: LocalSlack, client: Any) -> None:
    """A trigger id is used once, and only within its few seconds."""
    recorder = Recorder()
    async with connected_app(slack, recorder.register):
        card = await card_in_thread(slack, client)
        await slack.person("U0BEN").click(card, "go")
        trigger = (await recorder.next())["trigger_id"]
        opened = (await client.views_open(trigger_id=trigger, view=modal()))["view"]
        assert opened["root_view_id"] == opened["id"]
        with pytest.raises(SlackApiError, match="exchanged_trigger_id"):
            await client.views_open(trigger_id=trigger, view=modal())
        await slack.configure(trigger_seconds=-1)
        await slack.person("U0BEN").click(card, "go")
        late = (await recorder.next())["trigger_id"]
        with pytest.raises(SlackApiError, match="expired_trigger_id"):
            await client.views_open(trigger_id=late, view=modal())


async def test_a_submission_carries_metadata_and_state_and_may_update_the_view(slack: LocalSlack, client: Any) -> None:
    """view_submission has private_metadata and complete state; the answer `update` keeps the modal open."""
    entry = {"type": "input", "block_id": "i", "label": plain("L"), "element": {**SELECT, "action_id": "s"}}
    note = {
        "type": "input",
        "block_id": "n",
        "optional": True,
        "label": plain("N"),
        "element": {"type": "plain_text_input", "action_id": "t"},
    }
    recorder = Recorder()
    recorder.view_answer = {"response_action": "update", "view": modal("m2", {"type": "divider"})}
    async with connected_app(slack, recorder.register):
        card = await card_in_thread(slack, client)
        ben = slack.person("U0BEN")
        await ben.click(card, "go")
        trigger = (await recorder.next())["trigger_id"]
        view = modal("m", entry, note, submit=plain("Go"), private_metadata="run-1", external_id="form-1")
        await client.views_open(trigger_id=trigger, view=view)
        answer = await ben.submit_view(await ben.wait_view("the form"), {"s": "2"})
        body = await recorder.next()
        assert answer["closed"] is False
        assert (await ben.views())[0].raw["callback_id"] == "m2"
    assert body["type"] == "view_submission"
    assert body["view"]["private_metadata"] == "run-1"
    assert body["view"]["state"]["values"] == {
        "i": {
            "s": {"type": "static_select", "selected_option": {**OPTIONS[1], "text": {**plain("Two"), "emoji": True}}}
        },
        "n": {"t": {"type": "plain_text_input", "value": None}},
    }
    assert body["response_urls"] == []


async def test_views_stack_to_three_and_closing_is_told_on_request(slack: LocalSlack, client: Any) -> None:
    """views.push adds up to two views; the fourth is `push_limit_reached`; `notify_on_close` tells the app."""
    recorder = Recorder()
    async with connected_app(slack, recorder.register):
        card = await card_in_thread(slack, client)
        ben = slack.person("U0BEN")
        buttons = {"type": "actions", "block_id": "b", "elements": [BUTTON]}
        await ben.click(card, "go")
        trigger = (await recorder.next())["trigger_id"]
        await client.views_open(trigger_id=trigger, view=modal("m", buttons, notify_on_close=True))
        for _ in range(2):
            await ben.click_in_view((await ben.views())[-1], "go")
            body = await recorder.next()
            assert body["container"] == {"type": "view", "view_id": (await ben.views())[-1].view_id}
            await client.views_push(trigger_id=body["trigger_id"], view=modal("m", buttons, notify_on_close=True))
        await ben.click_in_view((await ben.views())[-1], "go")
        with pytest.raises(SlackApiError, match="push_limit_reached"):
            await client.views_push(trigger_id=(await recorder.next())["trigger_id"], view=modal())
        await ben.close_view((await ben.views())[-1])
        closed = await recorder.next()
    assert closed["type"] == "view_closed"
    assert closed["is_cleared"] is False


async def test_a_slash_command_has_slacks_fields(slack: LocalSlack) -> None:
    """A command comes with channel, user, text, trigger and a response URL that answers privately."""
    recorder = Recorder()
    async with connected_app(slack, recorder.register):
        await slack.person("U0ANA").slash("C0DATA", "/handrail", "status")
        body = await recorder.next()
        assert (body["command"], body["text"], body["channel_name"]) == ("/handrail", "status", "data-imports")
        await slack.http.post(body["response_url"], json={"text": "all well"})
        assert [message.is_ephemeral for message in await slack.messages("C0DATA")] == [True]


async def test_shortcuts_carry_the_message_they_were_used_on(slack: LocalSlack) -> None:
    """A message shortcut is a `message_action`; a global one a `shortcut` without message."""
    recorder = Recorder()
    async with connected_app(slack, recorder.register):
        ana = slack.person("U0ANA")
        sent = await ana.send("C0DATA", "look")
        await ana.shortcut("ask", sent)
        body = await recorder.next()
        assert (body["type"], body["message"]["text"], body["message_ts"]) == ("message_action", "look", sent.ts)
        await ana.shortcut("ask")
        assert (await recorder.next())["type"] == "shortcut"
        await slack.wait_idle()


async def test_the_home_tab_is_opened_published_and_kept(slack: LocalSlack, client: Any) -> None:
    """Opening the tab tells the app; what it publishes is there from then on."""
    recorder = Recorder()
    async with connected_app(slack, recorder.register):
        ana = slack.person("U0ANA")
        assert await ana.home() is None
        event = (await recorder.next())["event"]
        assert (event["type"], event["tab"], event["user"]) == ("app_home_opened", "home", "U0ANA")
        home = {"type": "home", "blocks": [{"type": "header", "text": plain("Running")}]}
        await client.views_publish(user_id="U0ANA", view=home)
        shown = await ana.home()
        assert shown is not None
        assert "Running" in shown.words
        await slack.wait_idle()


async def test_somebody_outside_a_channel_cannot_click_there(slack: LocalSlack, client: Any) -> None:
    """The server, not the page, decides who sees a message."""
    answer = await client.chat_postMessage(channel="D0ANA", text="card", blocks=CARD)
    card = SlackMessage(channel="D0ANA", raw=answer["message"])
    with pytest.raises(SlackRefused, match="not_in_channel"):
        await slack.person("U0BEN").click(card, "go")
