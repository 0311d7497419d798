"""One conversation from mention to answer, with Slack's own Bolt app on the other side."""

import asyncio
from typing import Any

from tests.localslack.bolt import connected_app
from tests.support.slack import LocalSlack

BUTTONS = [
    {
        "type": "actions",
        "elements": [
            {
                "type": "button",
                "action_id": "approve",
                "text": {"type": "plain_text", "text": "Approve"},
                "value": "yes",
            },
            {"type": "button", "action_id": "why", "text": {"type": "plain_text", "text": "Deny"}},
        ],
    }
]
FORM = {
    "type": "modal",
    "callback_id": "reason",
    "title": {"type": "plain_text", "text": "Why"},
    "submit": {"type": "plain_text", "text": "Send"},
    "blocks": [
        {
            "type": "input",
            "block_id": "reason_block",
            "label": {"type": "plain_text", "text": "Reason"},
            "element": {"type": "plain_text_input", "action_id": "reason_text"},
        }
    ],
}


class Approver:
    """A small bot: it answers a mention with two buttons, tells of a click, and asks for a reason in a modal."""

    def __init__(self) -> None:
        self.payloads: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

    def register(self, app: Any) -> None:
        """Register the listeners."""
        app.event("app_mention")(self.mentioned)
        app.event("message")(self.ignored)
        app.action("approve")(self.approved)
        app.action("why")(self.asked_why)
        app.view("reason")(self.given_reason)

    async def mentioned(self, event: dict[str, Any], client: Any) -> None:
        """Answer in the thread."""
        await client.chat_postMessage(
            channel=event["channel"], thread_ts=event["ts"], text="May I?", blocks=BUTTONS, unfurl_links=False
        )

    async def ignored(self, body: dict[str, Any]) -> None:
        """Every subscribed event has a listener."""
        await self.payloads.put(body)

    async def approved(self, ack: Any, body: dict[str, Any], client: Any) -> None:
        """Show the decision in place of the buttons."""
        await ack()
        await self.payloads.put(body)
        channel, ts = body["channel"]["id"], body["message"]["ts"]
        await client.chat_update(channel=channel, ts=ts, text=f"Approved by <@{body['user']['id']}>", blocks=[])

    async def asked_why(self, ack: Any, body: dict[str, Any], client: Any) -> None:
        """Open the form."""
        await ack()
        await client.views_open(trigger_id=body["trigger_id"], view=FORM)

    async def given_reason(self, ack: Any, body: dict[str, Any], view: dict[str, Any]) -> None:
        """Refuse short reasons."""
        reason = view["state"]["values"]["reason_block"]["reason_text"]["value"]
        if len(reason) < 4:
            await ack(response_action="errors", errors={"reason_block": "Say more"})
            return
        await ack()
        await self.payloads.put(body)


async def test_a_mention_is_answered_and_its_button_works(slack: LocalSlack) -> None:
    """Mention, reply in the thread, click, update in place: each seen by the person as in Slack."""
    bot = Approver()
    async with connected_app(slack, bot.register):
        ana = slack.person("U0ANA")
        asked = await ana.send("C0DATA", "<@U0HANDRAIL> may you?")
        card = await slack.wait_message("C0DATA", asked.ts, lambda m: m.has_button("Approve"), "the card")
        await slack.person("U0BEN").click(card, "Approve")
        done = await slack.wait_message("C0DATA", asked.ts, lambda m: "Approved by" in m.text, "the decision")
        assert done.ts == card.ts
        assert done.text == "Approved by <@U0BEN>"
        await slack.wait_idle()


async def test_a_form_is_opened_refused_and_accepted(slack: LocalSlack) -> None:
    """A modal opened from a click shows the app's errors, then closes when the entry is good."""
    bot = Approver()
    async with connected_app(slack, bot.register):
        ana = slack.person("U0ANA")
        asked = await ana.send("C0DATA", "<@U0HANDRAIL> may you?")
        card = await slack.wait_message("C0DATA", asked.ts, lambda m: m.has_button("why"), "the card")
        await ana.click(card, "why")
        form = await ana.wait_view("the form")
        assert (await ana.submit_view(form, {}))["errors"] == {"reason_block": "Please complete this required field."}
        assert (await ana.submit_view(form, {"reason_text": "no"}))["errors"] == {"reason_block": "Say more"}
        assert (await ana.submit_view(form, {"reason_text": "too risky"}))["closed"] is True
        assert await ana.views() == []


async def test_a_mention_reaches_the_app_twice_with_two_event_ids(slack: LocalSlack) -> None:
    """One mention in a channel is an `app_mention` and a `message` of the same ts, as in Slack."""
    bot = Approver()
    async with connected_app(slack, bot.register):
        sent = await slack.person("U0ANA").send("C0DATA", "<@U0HANDRAIL> hello")
        await slack.wait_message("C0DATA", sent.ts, lambda m: m.has_button("Approve"), "the answer")
        events = [item["payload"] for item in await slack.deliveries() if item["payload"]["event"].get("ts") == sent.ts]
        assert [payload["event"]["type"] for payload in events] == ["app_mention", "message"]
        assert len({payload["event_id"] for payload in events}) == 2
        assert events[1]["event"]["blocks"][0]["elements"][0]["elements"] == [
            {"type": "user", "user_id": "U0HANDRAIL"},
            {"type": "text", "text": " hello"},
        ]
        await slack.wait_idle()
