"""A small bot for the page's tests: it asks with buttons and a select, opens a form, and notes every payload."""

import asyncio

from tests.page.gallery import button, option, plain, section
from tests.page.wire import BotWire, Json
from tests.waiting import BOUND

QUESTION = [
    section("Which import: *nightly* or *hourly*?"),
    {
        "type": "actions",
        "block_id": "answers",
        "elements": [
            button("Nightly", "answer_nightly", value="nightly"),
            button("Other…", "answer_other"),
            {
                "type": "static_select",
                "action_id": "answer_select",
                "placeholder": plain("A day"),
                "options": [option("Monday", "mon"), option("Tuesday", "tue")],
            },
        ],
    },
]
FORM = {
    "type": "modal",
    "callback_id": "reason",
    "title": plain("Another import"),
    "submit": plain("Answer"),
    "close": plain("Back"),
    "blocks": [
        {
            "type": "input",
            "block_id": "reason_block",
            "label": plain("Which one?"),
            "element": {"type": "plain_text_input", "action_id": "reason_text"},
        },
        section("Not sure?", accessory=button("Help", "help")),
    ],
}
HELP = {"type": "modal", "title": plain("Help"), "blocks": [section("Nightly runs at two, hourly on the hour.")]}
HOME = {"type": "home", "blocks": [section("One run waits for you.", accessory=button("Open it", "home_open"))]}


class SmallBot:
    """Answers each mention with a question in the thread; payloads wait in `payloads` in order of arrival."""

    def __init__(self, wire: BotWire) -> None:
        self.wire = wire
        self.payloads: asyncio.Queue[Json] = asyncio.Queue()

    async def next(self) -> Json:
        """The next payload, waited for within bounds."""
        async with asyncio.timeout(BOUND):
            return await self.payloads.get()

    async def hear(self, payload: Json) -> Json | None:
        """Do what the payload asks for; the result goes with the acknowledgement."""
        match payload["type"]:
            case "event_callback":
                await self.hear_event(payload["event"])
            case "block_actions":
                await self.hear_action(payload)
            case "view_submission":
                return await self.hear_form(payload)
            case _:
                await self.payloads.put(payload)
        return None

    async def hear_event(self, event: Json) -> None:
        """Ask in the thread of a mention, and keep a Stop."""
        if event["type"] == "app_mention":
            await self.wire.post("Which import?", channel=event["channel"], thread_ts=event["ts"], blocks=QUESTION)
        if event["type"] == "agent_session_stopped":
            await self.payloads.put(event)

    async def hear_action(self, payload: Json) -> None:
        """Open the form, or put the answer in the question's place."""
        action = payload["actions"][0]
        if action["action_id"] == "answer_other":
            await self.wire.call("views.open", trigger_id=payload["trigger_id"], view=FORM)
            return
        if action["action_id"] == "help":
            await self.wire.call("views.push", trigger_id=payload["trigger_id"], view=HELP)
            return
        await self.payloads.put(payload)
        if payload["container"]["type"] == "view" or not action["action_id"].startswith("answer_"):
            return
        text = f"Answered: {action['selected_option']['value'] if 'selected_option' in action else action['value']}"
        await self.wire.change(payload["message"]["ts"], text, blocks=[section(text)])

    async def hear_form(self, payload: Json) -> Json | None:
        """Refuse a short answer, keep a longer one."""
        given = payload["view"]["state"]["values"]["reason_block"]["reason_text"]["value"]
        if len(given) < 5:
            return {"response_action": "errors", "errors": {"reason_block": "Say a little more."}}
        await self.payloads.put(payload)
        return None
