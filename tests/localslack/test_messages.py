"""Messages over the Web API: what Slack accepts, stores, shows and refuses."""

import json
from typing import Any

import aiohttp
from slack_sdk.errors import SlackApiError

from tests.localslack.bolt import connected_client
from tests.support.slack import LocalSlack


async def refused(call: Any) -> str:
    """The error word of a call, or `ok` when it was not refused."""
    try:
        await call
    except SlackApiError as error:
        response: Any = vars(error)["response"]
        return str(response["error"])
    return "ok"


async def test_a_posted_message_comes_back_whole(slack: LocalSlack, client: Any) -> None:
    """The answer of chat.postMessage holds the message as stored: ids, bot, blocks with block_id, metadata."""
    root = await slack.person("U0ANA").send("C0DATA", "hello")
    answer = await client.chat_postMessage(
        channel="C0DATA",
        thread_ts=root.ts,
        text="a & b <@U0ANA> https://example.com/x",
        blocks=[{"type": "section", "text": {"type": "mrkdwn", "text": "*a*"}}],
        metadata={"event_type": "op", "event_payload": {"id": "1"}},
    )
    message = answer["message"]
    assert answer["ts"] == message["ts"]
    assert message["text"] == "a &amp; b <@U0ANA> <https://example.com/x>"
    assert message["thread_ts"] == root.ts
    assert message["parent_user_id"] == "U0ANA"
    assert message["bot_id"] == "B0HANDRAIL"
    assert message["blocks"][0]["block_id"]
    assert message["blocks"][0]["text"]["verbatim"] is False
    assert message["metadata"] == {"event_type": "op", "event_payload": {"id": "1"}}


async def test_replies_are_paged_and_metadata_comes_only_on_request(slack: LocalSlack, client: Any) -> None:
    """conversations.replies gives the root first, counts its replies, pages by cursor and hides metadata by default."""
    root = await slack.person("U0ANA").send("C0DATA", "root")
    for number in range(3):
        metadata = {"event_type": "op", "event_payload": {"n": number}}
        await client.chat_postMessage(channel="C0DATA", thread_ts=root.ts, text=f"r{number}", metadata=metadata)
    first = await client.conversations_replies(channel="C0DATA", ts=root.ts, limit=2)
    assert [message["text"] for message in first["messages"]] == ["root", "r0"]
    assert first["messages"][0]["reply_count"] == 3
    assert first["has_more"] is True
    assert "metadata" not in first["messages"][1]
    cursor = first["response_metadata"]["next_cursor"]
    rest = await client.conversations_replies(
        channel="C0DATA", ts=root.ts, limit=2, cursor=cursor, include_all_metadata=True
    )
    assert [message["metadata"]["event_payload"]["n"] for message in rest["messages"]] == [1, 2]
    assert rest["has_more"] is False
    history = await client.conversations_history(channel="C0DATA")
    assert [message["text"] for message in history["messages"]] == ["root"]


async def test_arguments_arrive_as_query_form_and_json(slack: LocalSlack) -> None:
    """Slack reads arguments wherever a client puts them, with GET and with POST."""
    blocks = json.dumps([{"type": "divider"}])
    token = {"Authorization": f"Bearer {slack.bot_token}"}
    args = {"channel": "C0DATA", "text": "hi", "blocks": blocks}
    async with aiohttp.ClientSession(headers=token) as http:
        sent = [
            await http.post(slack.api_url + "chat.postMessage", json={**args, "blocks": json.loads(blocks)}),
            await http.post(slack.api_url + "chat.postMessage", data=args),
            await http.post(slack.api_url + "chat.postMessage", params=args),
            await http.get(slack.api_url + "chat.postMessage", params=args),
        ]
        answers = [await response.json() for response in sent]
    assert [answer["ok"] for answer in answers] == [True] * 4
    assert {answer["message"]["blocks"][0]["type"] for answer in answers} == {"divider"}


async def test_wrong_calls_get_slacks_error_words(slack: LocalSlack, client: Any) -> None:
    """Each mistake has the error code that Slack gives it."""
    root = await slack.person("U0ANA").send("C0DATA", "root")
    theirs = {"channel": "C0DATA", "ts": root.ts}
    reply = (await client.chat_postMessage(channel="C0DATA", thread_ts=root.ts, text="r"))["ts"]
    wrong: dict[str, Any] = {
        "channel_not_found": client.chat_postMessage(channel="C0NOWHERE", text="x"),
        "no_text": client.api_call("chat.postMessage", json={"channel": "C0DATA", "text": ""}),
        "invalid_thread_ts": client.chat_postMessage(channel="C0DATA", text="x", thread_ts="soon"),
        "thread_not_found": client.chat_postMessage(channel="C0DATA", text="x", thread_ts="1111111111.000001"),
        "cannot_reply_to_message": client.chat_postMessage(channel="C0DATA", text="x", thread_ts=reply),
        "invalid_blocks_format": client.chat_postMessage(channel="C0DATA", text="x", blocks="{"),
        "message_not_found": client.chat_update(channel="C0DATA", ts="1111111111.000001", text="x"),
        "cant_update_message": client.chat_update(**theirs, text="x"),
        "cant_delete_message": client.chat_delete(**theirs),
        "msg_too_long": client.chat_update(channel="C0DATA", ts=reply, text="x" * 4_001),
        "markdown_text_conflict": client.chat_postMessage(channel="C0DATA", text="x", markdown_text="y"),
        "invalid_metadata_format": client.chat_postMessage(channel="C0DATA", text="x", metadata={"a": 1}),
        "user_not_found": client.users_info(user="U0NOBODY"),
        "user_not_in_channel": client.chat_postEphemeral(channel="D0ANA", user="U0BEN", text="x"),
        "unknown_method": client.api_call("chat.sing"),
        "no_such_subteam": client.usergroups_users_list(usergroup="S0NONE"),
        "not_allowed_token_type": client.apps_connections_open(app_token=slack.bot_token),
        "invalid_trigger_id": client.views_open(
            trigger_id="1.2.x", view={"type": "modal", "title": {"type": "plain_text", "text": "T"}, "blocks": []}
        ),
    }
    assert {word: await refused(call) for word, call in wrong.items()} == {word: word for word in wrong}


async def test_reactions_are_counted_and_not_given_twice(slack: LocalSlack, client: Any) -> None:
    """A reaction is there once per user; giving or taking it again is an error."""
    root = await slack.person("U0ANA").send("C0DATA", "root")
    await client.reactions_add(channel="C0DATA", timestamp=root.ts, name="eyes")
    assert await refused(client.reactions_add(channel="C0DATA", timestamp=root.ts, name="eyes")) == "already_reacted"
    await slack.person("U0BEN").react(root, "eyes")
    seen = (await slack.messages("C0DATA"))[0]
    assert seen.reactions == {"eyes": ["U0HANDRAIL", "U0BEN"]}
    await client.reactions_remove(channel="C0DATA", timestamp=root.ts, name="eyes")
    assert await refused(client.reactions_remove(channel="C0DATA", timestamp=root.ts, name="eyes")) == "no_reaction"


async def test_tokens_are_checked(slack: LocalSlack) -> None:
    """A wrong token is `invalid_auth`, none at all `not_authed`."""
    async with connected_client(slack, "xoxb-wrong") as wrong:
        assert await refused(wrong.auth_test()) == "invalid_auth"
    async with aiohttp.ClientSession() as http, http.post(slack.api_url + "auth.test") as response:
        assert (await response.json())["error"] == "not_authed"


async def test_a_private_message_is_seen_by_one_person(slack: LocalSlack, client: Any) -> None:
    """chat.postEphemeral shows a message to its addressee only and keeps it out of the history."""
    root = await slack.person("U0ANA").send("C0DATA", "root")
    await client.chat_postEphemeral(channel="C0DATA", user="U0BEN", thread_ts=root.ts, text="only you")
    bens = await slack.messages("C0DATA", root.ts, user="U0BEN")
    assert [(message.text, message.is_ephemeral) for message in bens][1:] == [("only you", True)]
    assert len(await slack.messages("C0DATA", root.ts, user="U0ANA")) == 1
    assert len((await client.conversations_replies(channel="C0DATA", ts=root.ts))["messages"]) == 1


async def test_a_bot_outside_a_channel_may_not_post(slack: LocalSlack, client: Any) -> None:
    """Without membership posting is `not_in_channel`, and no event of the channel arrives."""
    await slack.set_member("C0DATA", "U0HANDRAIL", member=False)
    assert await refused(client.chat_postMessage(channel="C0DATA", text="x")) == "not_in_channel"
    await slack.person("U0ANA").send("C0DATA", "<@U0HANDRAIL> hello")
    assert await slack.deliveries() == []


async def test_texts_above_the_limit_are_cut_as_slack_cuts_them(slack: LocalSlack, client: Any) -> None:
    """chat.postMessage keeps 40,000 characters and drops the rest without a word."""
    answer = await client.chat_postMessage(channel="C0DATA", text="x" * 40_010)
    assert len(answer["message"]["text"]) == 40_000
    assert slack.url
