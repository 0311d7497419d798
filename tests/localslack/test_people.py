"""What people do with messages, who they are, what is kept, and events over HTTP."""

import asyncio
from pathlib import Path
from typing import Any

from aiohttp import web
from slack_sdk.signature import SignatureVerifier

from tests.localslack.bolt import connected_client
from tests.support.slack import LocalSlack, local_slack
from tests.support.slack_fixtures import SlackMaker

PEOPLE = [
    {"id": "U0ANA", "name": "ana"},
    {"id": "U0GUS", "name": "gus", "is_restricted": True},
    {"id": "U0EVE", "name": "eve", "is_stranger": True},
]


async def test_edits_and_deletions_are_told_as_slack_tells_them(slack: LocalSlack) -> None:
    """An edit is message_changed with both versions (and a new app_mention), a deletion message_deleted."""
    ana = slack.person("U0ANA")
    sent = await ana.send("C0DATA", "hello")
    await ana.edit(sent, "<@U0HANDRAIL> hello")
    await ana.delete(sent)
    events = [item["payload"]["event"] for item in await slack.deliveries()]
    kinds = [(event["type"], event.get("subtype")) for event in events]
    assert kinds == [
        ("message", None),
        ("message", "message_changed"),
        ("app_mention", None),
        ("message", "message_deleted"),
    ]
    changed = events[1]
    assert (changed["message"]["text"], changed["previous_message"]["text"]) == ("<@U0HANDRAIL> hello", "hello")
    assert changed["message"]["edited"]["user"] == "U0ANA"
    assert events[2]["edited"]["user"] == "U0ANA"
    assert events[3]["deleted_ts"] == sent.ts
    assert await slack.messages("C0DATA") == []


async def test_a_deleted_root_with_replies_leaves_a_tombstone(slack: LocalSlack) -> None:
    """The thread stays readable below it."""
    ana = slack.person("U0ANA")
    root = await ana.send("C0DATA", "root")
    await ana.send("C0DATA", "reply", root.ts)
    await ana.delete(root)
    seen = await slack.messages("C0DATA", root.ts)
    assert [message.raw.get("subtype") for message in seen] == ["tombstone", None]


async def test_direct_messages_are_im_events_without_a_mention(slack: LocalSlack) -> None:
    """In a direct message even a mention is only a `message` of channel_type im."""
    ana = slack.person("U0ANA")
    await ana.send(ana.direct, "<@U0HANDRAIL> hello")
    payload = (await slack.deliveries())[0]["payload"]
    assert [item["event_type"] for item in await slack.deliveries()] == ["message"]
    assert (payload["event"]["channel_type"], payload["event"]["channel"]) == ("im", "D0ANA")
    assert payload["authorizations"][0]["user_id"] == "U0HANDRAIL"
    assert payload["event_context"].startswith("4-")


async def test_what_people_type_is_escaped(slack: LocalSlack) -> None:
    """`&`, `<`, `>` become entities, bare links become tokens, mentions stay."""
    sent = await slack.person("U0ANA").send("C0DATA", "a<b && <@U0BEN> see https://x.example/y.")
    assert sent.text == "a&lt;b &amp;&amp; <@U0BEN> see <https://x.example/y>."


async def test_guests_and_strangers_are_marked(slack_with: SlackMaker) -> None:
    """users.info says who is a guest and who belongs elsewhere."""
    async with slack_with({"users": PEOPLE}) as slack, connected_client(slack) as client:
        assert (await client.users_info(user="U0GUS"))["user"]["is_restricted"] is True
        assert (await client.users_info(user="U0EVE"))["user"]["is_stranger"] is True
        bot = (await client.users_info(user="U0HANDRAIL"))["user"]
        assert (bot["is_bot"], bot["profile"]["bot_id"]) == (True, "B0HANDRAIL")


async def test_everything_is_there_after_a_kill(tmp_path: Path) -> None:
    """Messages, reactions, files and Home tabs survive the death of the process; timestamps go on rising."""
    async with local_slack(tmp_path) as slack, connected_client(slack) as client:
        ana = slack.person("U0ANA")
        file_id = await ana.upload("a.txt", b"kept")
        root = await ana.send("C0DATA", "root", file_ids=[file_id])
        await client.chat_postMessage(
            channel="C0DATA", thread_ts=root.ts, text="reply", metadata={"event_type": "op", "event_payload": {}}
        )
        await ana.react(root, "eyes")
        await client.views_publish(user_id="U0ANA", view={"type": "home", "blocks": [{"type": "divider"}]})
        before = [message.raw for message in await slack.messages("C0DATA", root.ts)]
        await slack.restart(kill=True)
        after = await slack.messages("C0DATA", root.ts)
        assert [message.raw for message in after] == before
        assert await ana.download(after[0].files[0]) == b"kept"
        assert await slack.metadata(after[1]) == {"event_type": "op", "event_payload": {}}
        home = await ana.home()
        assert home is not None
        assert (await ana.send("C0DATA", "later")).ts > after[1].ts


async def test_events_can_be_posted_signed_to_a_url(slack_with: SlackMaker) -> None:
    """In HTTP mode events come as signed requests, again with retry headers after an error."""
    seen: asyncio.Queue[web.Request] = asyncio.Queue()
    verdicts: list[bool] = []

    async def receive(request: web.Request) -> web.Response:
        body = await request.text()
        verifier = SignatureVerifier("local-signing-secret")
        verdicts.append(verifier.is_valid_request(body, dict(request.headers)))
        await seen.put(request)
        return web.Response(status=500 if len(verdicts) == 1 else 200)

    app = web.Application()
    app.router.add_post("/slack/events", receive)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    scene: dict[str, Any] = {
        "events_url": f"http://127.0.0.1:{runner.addresses[0][1]}/slack/events",
        "settings": {"redelivery_seconds": 0.5},
    }
    try:
        async with slack_with(scene) as slack:
            await slack.person("U0ANA").send("C0DATA", "hello")
            await slack.wait_idle()
    finally:
        await runner.cleanup()
    requests = [seen.get_nowait(), seen.get_nowait()]
    # On a busy machine a slow answer is one more reason to come again.
    assert all(verdicts)
    assert [request.headers.get("X-Slack-Retry-Num") for request in requests] == [None, "1"]
