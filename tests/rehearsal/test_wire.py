"""Requests are judged as strictly as the service judges them."""

import pytest
from pydantic import JsonValue

from bot.rehearsal.replies import Envelope, chunks, completion
from bot.rehearsal.wire import Call, Reply, RequestRefused, parse_request

USER: JsonValue = {"role": "user", "content": "hello"}
TOOL: JsonValue = {"type": "function", "function": {"name": "bash", "parameters": {"type": "object"}}}


def assistant(*ids: str) -> JsonValue:
    """An assistant message with calls of these ids."""
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": one, "type": "function", "function": {"name": "bash", "arguments": "{}"}} for one in ids],
    }


def result(call_id: str) -> JsonValue:
    """The result of a call."""
    return {"role": "tool", "tool_call_id": call_id, "content": "ok"}


def request(*messages: JsonValue, **more: JsonValue) -> JsonValue:
    """A request's body."""
    return {"model": "m", "messages": list(messages), **more}


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ([], "could not parse"),
        ({"model": "m", "messages": []}, "at least 1 item"),
        (request(USER, temprature=1), "temprature"),
        (request(USER, tools=[]), "empty array"),
        (request(USER, tools=[TOOL, TOOL]), "Duplicate function name"),
        (request(USER, tool_choice="auto"), "only allowed when 'tools'"),
        (request(USER, stream_options={"include_usage": True}), "only allowed when 'stream'"),
        (request({"role": "user", "content": None}), "got null"),
        (request({"role": "user", "content": "x", "extra": 1}), "Extra inputs"),
        (request(USER, assistant("a")), "did not have response messages: a"),
        (request(USER, assistant("a", "b"), result("a"), USER), "did not have response messages: b"),
        (request(USER, assistant("a"), result("a"), result("a")), "must be a response"),
        (request(USER, result("a")), "must be a response"),
        (request(USER, assistant("a", "a"), result("a"), result("a")), "Duplicate tool call id"),
    ],
)
def test_a_malformed_request_is_refused_with_the_reason(body: JsonValue, words: str) -> None:
    """Each breach of the wire gets its own words."""
    with pytest.raises(RequestRefused, match=words) as refused:
        parse_request(body)
    assert refused.value.status == 400


def test_paired_calls_pass() -> None:
    """Results may come in any order, as long as each call has one."""
    parsed = parse_request(request(USER, assistant("a", "b"), result("b"), result("a"), USER, tools=[TOOL]))
    assert len(parsed.messages) == 5


def test_a_stream_says_what_the_object_says() -> None:
    """Pieces of arguments add up, usage comes last, and only when asked for."""
    reply = Reply(
        text="Looking now, for a while.", calls=(Call(id="a", name="bash", arguments='{"command": "ls -la"}'),)
    )
    envelope = Envelope(id="x", created=1, model="m")
    parsed = parse_request(request(USER, stream=True, stream_options={"include_usage": True}))
    events = list(chunks(envelope, parsed, reply))
    assert events[-1]["choices"] == []
    assert events[-1]["usage"] == completion(envelope, parsed, reply)["usage"]
    assert "tool_calls" in str(events[-2])
    silent = list(chunks(envelope, parse_request(request(USER, stream=True)), reply))
    assert all("usage" not in event for event in silent)
