"""Streamed messages and agent sessions."""

import asyncio
from typing import Any

import pytest
from slack_sdk.errors import SlackApiError

from tests.localslack.bolt import connected_app
from tests.support.slack import LocalSlack
from tests.waiting import BOUND

TO_ANA = {"recipient_user_id": "U0ANA", "recipient_team_id": "T0LOCAL"}


async def started(slack: LocalSlack, client: Any, **more: Any) -> tuple[str, str]:
    """Root and stream of a fresh thread."""
    root = await slack.person("U0ANA").send("C0DATA", "root")
    stream = await client.chat_startStream(channel="C0DATA", thread_ts=root.ts, **TO_ANA, **more)
    return root.ts, stream["ts"]


async def test_a_stream_grows_and_ends_as_one_message(slack: LocalSlack, client: Any) -> None:
    """Plan, tasks and markdown appended by Slack's own helper become one message with a plan block."""
    root = await slack.person("U0ANA").send("C0DATA", "root")
    stream = await client.chat_stream(
        channel="C0DATA", thread_ts=root.ts, task_display_mode="plan", buffer_size=1, **TO_ANA
    )
    await stream.append(chunks=[{"type": "plan_update", "title": "Looking"}])
    task = {"type": "task_update", "id": "t1", "title": "Read the log", "status": "in_progress", "details": "a"}
    await stream.append(chunks=[task])
    await stream.append(chunks=[{**task, "status": "complete", "details": "b"}])
    await stream.append(markdown_text="**Found** ")
    await stream.append(markdown_text="it.")
    await stream.stop(metadata={"event_type": "op", "event_payload": {"id": 7}})
    message = (await slack.messages("C0DATA", root.ts))[1]
    assert message.text == "**Found** it."
    assert [block["type"] for block in message.blocks] == ["plan", "markdown"]
    card = message.blocks[0]["tasks"][0]
    assert (card["title"], card["status"]) == ("Read the log", "complete")
    assert card["details"]["elements"][0]["elements"][0]["text"] == "ab"
    assert await slack.metadata(message) == {"event_type": "op", "event_payload": {"id": 7}}


async def test_a_stream_is_sealed_and_then_only_updated(slack: LocalSlack, client: Any) -> None:
    """While open it refuses update and delete; when sealed it refuses append and stop, and update works."""
    _, ts = await started(slack, client, markdown_text="one")
    for call, word in (
        (client.chat_update(channel="C0DATA", ts=ts, text="x"), "streaming_state_conflict"),
        (client.chat_delete(channel="C0DATA", ts=ts), "cant_delete_message"),
    ):
        with pytest.raises(SlackApiError, match=word):
            await call
    await slack.seal_streams()
    with pytest.raises(SlackApiError, match="message_not_in_streaming_state"):
        await client.chat_appendStream(channel="C0DATA", ts=ts, markdown_text="two")
    with pytest.raises(SlackApiError, match="message_not_in_streaming_state"):
        await client.chat_stopStream(channel="C0DATA", ts=ts)
    updated = await client.chat_update(channel="C0DATA", ts=ts, text="whole")
    assert updated["message"]["text"] == "whole"


async def test_wrong_streams_are_refused(slack: LocalSlack, client: Any) -> None:
    """Missing recipient or thread, long chunks and unknown chunk states each have their error."""
    root = await slack.person("U0ANA").send("C0DATA", "root")
    place = {"channel": "C0DATA", "thread_ts": root.ts}
    _, ts = await started(slack, client)
    long_task = {"type": "task_update", "id": "t", "title": "x" * 257, "status": "complete"}
    odd_task = {"type": "task_update", "id": "t", "title": "x", "status": "done"}
    wrong: list[tuple[str, dict[str, Any], str]] = [
        ("chat.startStream", place, "missing_recipient_user_id"),
        ("chat.startStream", {"channel": "C0DATA", "thread_ts": "", **TO_ANA}, "invalid_thread_ts"),
        ("chat.appendStream", {"channel": "C0DATA", "ts": ts, "markdown_text": "x" * 12_001}, "msg_too_long"),
        ("chat.appendStream", {"channel": "C0DATA", "ts": ts, "chunks": [long_task]}, "invalid_chunks"),
        ("chat.appendStream", {"channel": "C0DATA", "ts": ts, "chunks": [odd_task]}, "invalid_chunks"),
        ("chat.appendStream", {"channel": "C0DATA", "ts": root.ts, "markdown_text": "x"}, "message_not_in_streaming"),
    ]
    for method, args, word in wrong:
        with pytest.raises(SlackApiError, match=word):
            await client.api_call(method, json=args)


async def test_stop_is_told_and_later_appends_are_refused(slack: LocalSlack, client: Any) -> None:
    """The native Stop raises `agent_session_stopped` with the open streams; the status stays for the app to set."""
    events: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

    def register(app: Any) -> None:
        async def stopped(event: dict[str, Any]) -> None:
            await events.put(event)

        async def other() -> None: ...

        app.event("agent_session_stopped")(stopped)
        app.event("message")(other)

    async with connected_app(slack, register):
        root, ts = await started(slack, client)
        await slack.person("U0ANA").stop("C0DATA", root)
        async with asyncio.timeout(BOUND):
            event = await events.get()
        assert (event["thread_ts"], event["streaming_message_ts"]) == (root, [ts])
        with pytest.raises(SlackApiError, match="stopped_by_user"):
            await client.chat_appendStream(channel="C0DATA", ts=ts, markdown_text="more")
        await slack.wait_idle()


async def session_of(slack: LocalSlack, thread_ts: str) -> dict[str, Any]:
    """The session as the page sees it."""
    sessions = (await slack.page("GET", "state", {"user": "U0ANA"}))["sessions"]
    return next(entry for entry in sessions if entry["thread_ts"] == thread_ts)


async def test_the_session_follows_what_the_app_says(slack: LocalSlack, client: Any) -> None:
    """A stream sets processing, its end the asked status; setStatus and titles are kept and checked."""
    root, ts = await started(slack, client)
    assert (await session_of(slack, root))["status"] == "processing"
    await client.chat_stopStream(channel="C0DATA", ts=ts, markdown_text="?", session_status="suspended")
    assert (await session_of(slack, root))["status"] == "suspended"
    await client.agents_sessions_setStatus(channel_id="C0DATA", thread_ts=root, status="closed")
    await client.agents_sessions_rename(channel_id="C0DATA", thread_ts=root, title="Imports")
    seen = await session_of(slack, root)
    assert (seen["status"], seen["title"]) == ("closed", "Imports")
    with pytest.raises(SlackApiError, match="invalid_arguments"):
        await client.agents_sessions_setStatus(channel_id="C0DATA", thread_ts=root, status="busy")


async def test_a_status_line_goes_away_with_the_next_message(slack: LocalSlack, client: Any) -> None:
    """assistant.threads.setStatus shows a line that a reply clears."""
    root = await slack.person("U0ANA").send("C0DATA", "root")
    await client.assistant_threads_setStatus(channel_id="C0DATA", thread_ts=root.ts, status="is reading")
    assert (await session_of(slack, root.ts))["text"] == "is reading"
    await client.agents_sessions_setStatus(channel_id="C0DATA", thread_ts=root.ts, status="active")
    await client.chat_postMessage(channel="C0DATA", thread_ts=root.ts, text="done")
    assert (await session_of(slack, root.ts))["text"] == ""
