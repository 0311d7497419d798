"""Delivery to the app: acknowledged once, redelivered when not, shared between sockets, kept while nobody listens."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import pytest
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.socket_mode.response import SocketModeResponse

from tests.localslack.bolt import connected_client
from tests.support.slack import LocalSlack, SlackRefused, local_slack
from tests.waiting import wait_until


class Listener:
    """A socket that records what it gets and acknowledges as long as it is told to."""

    def __init__(self) -> None:
        self.requests: list[SocketModeRequest] = []
        self.acknowledges = True

    async def receive(self, client: Any, request: SocketModeRequest) -> None:
        """Take one envelope."""
        self.requests.append(request)
        if self.acknowledges:
            await client.send_socket_mode_response(SocketModeResponse(envelope_id=request.envelope_id))

    def events(self) -> list[dict[str, Any]]:
        """The events that came."""
        return [payload["event"] for payload in self.payloads()]

    def payloads(self) -> list[dict[str, Any]]:
        """The payloads that came."""
        return [cast("dict[str, Any]", vars(request)["payload"]) for request in self.requests]

    def event_ids(self) -> list[str]:
        """The ids of the events that came."""
        return [str(payload["event_id"]) for payload in self.payloads()]


@asynccontextmanager
async def listening(slack: LocalSlack, listener: Listener) -> AsyncGenerator[SocketModeClient]:
    """Slack's own socket client, connected."""
    async with connected_client(slack) as web:
        socket: Any = SocketModeClient(app_token=slack.app_token, web_client=web)
        socket.socket_mode_request_listeners.append(listener.receive)
        await socket.connect()
        try:
            yield socket
        finally:
            await socket.close()
            await socket.aiohttp_client_session.close()


async def test_an_unacknowledged_event_comes_again_three_times(slack: LocalSlack) -> None:
    """The same event_id arrives with retry_attempt 0 to 3 and is then given up."""
    await slack.configure(redelivery_seconds=0.3)
    listener = Listener()
    listener.acknowledges = False
    async with listening(slack, listener):
        await slack.person("U0ANA").send("C0DATA", "hello")
        await wait_until("four deliveries", lambda: len(listener.requests) == 4)
        assert [request.retry_attempt for request in listener.requests] == [0, 1, 2, 3]
        assert [request.retry_reason for request in listener.requests] == ["", "timeout", "timeout", "timeout"]
        assert len(set(listener.event_ids())) == 1
        await slack.wait_idle()
    assert [item["state"] for item in await slack.deliveries()] == ["failed"]


async def test_an_acknowledged_event_comes_once(slack: LocalSlack) -> None:
    """After the acknowledgement there is no redelivery; before it, on a busy machine, there may be."""
    await slack.configure(redelivery_seconds=0.05)
    listener = Listener()

    async def attempts(text: str) -> int:
        sent = [item for item in await slack.deliveries() if item["payload"]["event"]["text"] == text]
        return int(sent[0]["attempt"])

    async def came_again() -> bool:
        return await attempts("again") > 0

    async with listening(slack, listener):
        await slack.person("U0ANA").send("C0DATA", "hello")
        await slack.wait_idle()
        before = await attempts("hello")
        listener.acknowledges = False
        await slack.person("U0ANA").send("C0DATA", "again")
        # So the time for a redelivery has passed.
        await wait_until("the one that is not acknowledged comes again", came_again)
        assert await attempts("hello") == before
        await slack.wait_idle()
    assert {event["text"] for event in listener.events()} == {"hello", "again"}


async def test_two_sockets_share_the_events(slack: LocalSlack) -> None:
    """Each event goes to exactly one of several connections."""
    await slack.configure(redelivery_seconds=60)
    first, second = Listener(), Listener()
    async with listening(slack, first), listening(slack, second):
        for number in range(6):
            await slack.person("U0ANA").send("C0DATA", str(number))
        await slack.wait_idle()
    assert sorted(event["text"] for event in first.events() + second.events()) == ["0", "1", "2", "3", "4", "5"]
    assert first.requests
    assert second.requests


async def test_events_wait_for_a_bot_that_is_away_also_over_a_restart(tmp_path: Path) -> None:
    """What is said while nothing is connected is delivered when the bot comes back."""
    listener = Listener()
    async with local_slack(tmp_path) as slack:
        await slack.person("U0ANA").send("C0DATA", "while you were away")
        await slack.restart(kill=True)
        async with listening(slack, listener):
            await slack.wait_idle()
    assert [event["text"] for event in listener.events()] == ["while you were away"]
    assert listener.requests[0].retry_attempt == 0


async def test_what_a_lost_socket_had_not_acknowledged_goes_to_the_next(slack: LocalSlack) -> None:
    """A bot that dies with an event in hand gets it again."""
    await slack.configure(redelivery_seconds=60)
    dying, next_one = Listener(), Listener()
    dying.acknowledges = False
    async with listening(slack, dying):
        await slack.person("U0ANA").send("C0DATA", "hello")
        await wait_until("the event", lambda: dying.requests)
    async with listening(slack, next_one):
        await slack.wait_idle()
    assert next_one.events()[0]["text"] == "hello"
    assert next_one.requests[0].retry_attempt == 1


async def test_a_click_with_no_bot_fails_at_once_and_is_not_repeated(slack: LocalSlack) -> None:
    """The person sees a warning; the click never arrives later."""
    async with connected_client(slack) as client:
        button = {"type": "button", "action_id": "a", "text": {"type": "plain_text", "text": "Go"}}
        await client.chat_postMessage(channel="C0DATA", text="x", blocks=[{"type": "actions", "elements": [button]}])
    card = (await slack.messages("C0DATA"))[0]
    with pytest.raises(SlackRefused, match="no_connection"):
        await slack.person("U0ANA").click(card, "a")
    listener = Listener()
    async with listening(slack, listener):
        await slack.wait_idle()
    assert "interactive" not in {request.type for request in listener.requests}


async def test_an_unanswered_click_fails_and_is_not_repeated(slack: LocalSlack) -> None:
    """A bot that does not acknowledge a click within the time gets it once."""
    await slack.configure(ack_seconds=0.1, redelivery_seconds=0.05, echo_own_events=False)
    listener = Listener()
    listener.acknowledges = False
    async with listening(slack, listener), connected_client(slack) as client:
        button = {"type": "button", "action_id": "a", "text": {"type": "plain_text", "text": "Go"}}
        await client.chat_postMessage(channel="C0DATA", text="x", blocks=[{"type": "actions", "elements": [button]}])
        card = (await slack.messages("C0DATA"))[0]
        with pytest.raises(SlackRefused, match="no_acknowledgement"):
            await slack.person("U0ANA").click(card, "a")
        await wait_until("the click", lambda: listener.requests)
        await slack.wait_idle()
    assert [request.type for request in listener.requests] == ["interactive"]


async def test_an_announced_disconnect_makes_the_client_reconnect(slack: LocalSlack) -> None:
    """After the warning Slack's client opens a new socket and goes on receiving."""
    listener = Listener()
    async with listening(slack, listener) as socket:
        before: Any = await socket.session_id()
        await slack.warn_sockets()

        async def renewed() -> bool:
            return bool(await socket.session_id() != before and await socket.is_connected())

        await wait_until("a new session", renewed)
        await slack.person("U0ANA").send("C0DATA", "hello")
        await wait_until("the event", lambda: listener.requests)
        await slack.wait_idle()


async def test_raw_deliveries_can_be_repeated_with_the_same_or_a_new_id(slack: LocalSlack) -> None:
    """Tests send duplicates: the same event_id by default, a fresh one on request."""
    listener = Listener()
    event = {
        "type": "app_mention",
        "channel": "C0DATA",
        "user": "U0ANA",
        "ts": "1.000001",
        "text": "x",
        "event_ts": "1.000001",
    }
    async with listening(slack, listener):
        await slack.deliver(event, times=2)
        await slack.deliver(event, times=2, fresh_event_id=True)
        await slack.wait_idle()
    ids = listener.event_ids()
    assert ids[0] == ids[1]
    assert len(set(ids)) == 3


async def test_no_more_than_ten_sockets(slack: LocalSlack) -> None:
    """The eleventh socket is told `too_many_websockets` and closed."""
    async with connected_client(slack, slack.app_token) as client:
        sockets: list[Any] = []
        for _ in range(11):
            url = (await client.apps_connections_open(app_token=slack.app_token))["url"]
            sockets.append(await slack.http.ws_connect(url))
        hellos = [await socket.receive_json() for socket in sockets]
        assert [hello["type"] for hello in hellos] == ["hello"] * 10 + ["disconnect"]
        assert hellos[9]["num_connections"] == 10
        assert hellos[10]["reason"] == "too_many_websockets"
        await asyncio.gather(*(socket.close() for socket in sockets))
