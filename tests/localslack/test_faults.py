"""What goes wrong on purpose: injected faults, enforced rate limits, missing scopes, foreign pages."""

from typing import Any

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError, SlackRequestError

from bot.localslack.wire import METHODS
from tests.localslack.bolt import connected_client
from tests.support.slack import LocalSlack
from tests.support.slack_fixtures import SlackMaker


async def test_faults_strike_as_often_as_told(slack: LocalSlack, client: Any) -> None:
    """A fault takes the next calls of its method and no others."""
    await slack.fault("chat.postMessage", "ratelimited", retry_after=7)
    with pytest.raises(SlackApiError) as caught:
        await client.chat_postMessage(channel="C0DATA", text="x")
    response: Any = vars(caught.value)["response"]
    assert (response.status_code, response.headers["Retry-After"]) == (429, "7")
    await slack.fault("chat.postMessage", "error", error="fatal_error")
    with pytest.raises(SlackApiError, match="fatal_error"):
        await client.chat_postMessage(channel="C0DATA", text="x")
    await slack.fault("chat.postMessage", "http_500")
    with pytest.raises(SlackApiError):
        await client.chat_postMessage(channel="C0DATA", text="x")
    await slack.fault("chat.postMessage", "html")
    with pytest.raises((SlackApiError, SlackRequestError)):
        await client.chat_postMessage(channel="C0DATA", text="x")
    await client.chat_postMessage(channel="C0DATA", text="y")
    assert [message.text for message in await slack.messages("C0DATA")] == ["y"]


async def test_a_reset_before_and_after_the_work(slack: LocalSlack) -> None:
    """`reset` loses the call, `reset_after` only its answer: the message is there though the client saw an error."""
    body = {"channel": "C0DATA", "text": "lost"}
    token = {"Authorization": f"Bearer {slack.bot_token}"}
    for kind in ("reset", "reset_after"):
        await slack.fault("chat.postMessage", kind)
        with pytest.raises(aiohttp.ClientError):
            await slack.http.post(slack.api_url + "chat.postMessage", json={**body, "text": kind}, headers=token)
    assert [message.text for message in await slack.messages("C0DATA")] == ["reset_after"]
    calls = await slack.calls("chat.postMessage")
    assert [(call["ok"], call["args"].get("text")) for call in calls] == [(False, None), (True, "reset_after")]


async def test_slacks_rate_limits_are_enforced_on_request(slack: LocalSlack, client: Any) -> None:
    """One message a second per channel with a small burst, and a tier per method; other channels are free."""
    await slack.configure(rate_limits="slack", rate_speed=0.01)  # So that none becomes free meanwhile.
    for number in range(4):
        await client.chat_postMessage(channel="C0DATA", text=str(number))
    with pytest.raises(SlackApiError, match="ratelimited"):
        await client.chat_postMessage(channel="C0DATA", text="one too many")
    await client.chat_postMessage(channel="C0GENERAL", text="elsewhere")
    root = (await slack.messages("C0DATA"))[0]
    place = {"channel": "C0DATA", "thread_ts": root.ts, "recipient_user_id": "U0ANA", "recipient_team_id": "T0LOCAL"}
    outcomes = [(await client.api_call("chat.startStream", json=place))["ok"] for _ in range(20)]
    assert outcomes == [True] * 20
    with pytest.raises(SlackApiError, match="ratelimited"):
        await client.api_call("chat.startStream", json=place)


async def test_a_missing_scope_is_named(slack_with: SlackMaker) -> None:
    """The refusal says which scope is needed and which are there."""
    async with slack_with({"bot": {"scopes": ["chat:write"]}}) as slack, connected_client(slack) as client:
        await client.chat_postMessage(channel="C0DATA", text="x")
        with pytest.raises(SlackApiError) as caught:
            await client.reactions_add(channel="C0DATA", timestamp="1.000001", name="eyes")
        response: Any = vars(caught.value)["response"]
        assert (response["needed"], response["provided"]) == ("reactions:write", "chat:write")


async def test_pages_of_other_origins_are_refused(slack: LocalSlack) -> None:
    """A stranger's web page cannot speak as anybody, whatever it sends; the server's own page can."""
    body = {"user": "U0ANA", "channel": "C0DATA", "text": "<@U0HANDRAIL> do it"}
    address = f"{slack.url}/_local/api/send"
    async with slack.http.post(address, json=body, headers={"Origin": "https://evil.example"}) as response:
        assert response.status == 403
    async with slack.http.post(address, json=body, headers={"Host": "evil.example"}) as response:
        assert response.status == 403
    async with slack.http.post(address, json=body, headers={"Origin": slack.url}) as response:
        assert (await response.json())["ok"] is True


NAMES = (
    "channel", "channel_id", "ts", "thread_ts", "message_ts", "timestamp", "text", "blocks", "chunks", "metadata",
    "attachments", "user", "users", "view", "view_id", "trigger_id", "files", "file", "limit", "cursor", "oldest",
    "latest", "length", "filename", "status", "title", "prompts", "loading_messages", "name", "user_id", "usergroup",
    "markdown_text", "types", "session_status",
)  # fmt: skip
ODD: tuple[Any, ...] = (
    None, 0, -1, True, "", "x", "C0DATA", [], {}, [None], [[]], [{}], [{"type": None}], {"type": "modal"},
    {"type": "home", "blocks": [{"type": "input", "element": {"type": "static_select", "options": [1]}}]},
    [{"type": "section", "text": 1}], [{"type": "table", "rows": [[1]]}], [{"type": "markdown", "text": 5}],
    [{"type": "blocks", "blocks": "x"}], {"event_type": 1, "event_payload": 2}, "[", "{}", "[1]", "1.2", "page:x",
)  # fmt: skip


async def test_odd_arguments_are_refused_and_never_crash_the_server(slack: LocalSlack) -> None:
    """Whatever an argument holds, the answer is JSON with status 200."""
    root = await slack.person("U0ANA").send("C0DATA", "root")
    good: dict[str, Any] = {
        "channel": "C0DATA",
        "channel_id": "C0DATA",
        "ts": root.ts,
        "thread_ts": root.ts,
        "text": "x",
    }
    token = {"Authorization": f"Bearer {slack.bot_token}"}
    crashed: list[tuple[str, str, Any]] = []
    for method in sorted(METHODS):
        for odd in ODD:
            for args in ({**good, **dict.fromkeys(NAMES[7:], odd)}, dict.fromkeys(NAMES, odd)):
                async with slack.http.post(slack.api_url + method, json=args, headers=token) as response:
                    if response.status != 200 or response.content_type != "application/json":
                        crashed.append((method, str(response.status), odd))
    assert crashed == []
