"""Answers whose parts are of another type than they should be are taken for what they plainly mean."""

import json

import pytest
from pydantic import JsonValue

from runtime.llm.client import ModelOptions
from runtime.llm.openai_model import OpenAIModel
from runtime.llm.port import ModelReply, ModelRequest
from tests.support.model import raw, scripted_model

HELLO = ModelRequest(system="S.", messages=('{"role":"user","content":"hi"}',), step_id="r1.1")


async def answered(body: JsonValue) -> ModelReply:
    """What a server's answer is read as."""
    async with scripted_model([raw(json.dumps(body), content_type="application/json")]) as server:
        model = OpenAIModel(ModelOptions(model="m", base_url=server.base_url))
        try:
            return await model.reply(HELLO)
        finally:
            await model.aclose()


def choice(message: JsonValue) -> dict[str, JsonValue]:
    """A completion around a message."""
    return {"choices": [{"message": message, "finish_reason": "stop"}]}


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (choice("Four."), "Four."),
        (choice({"content": 4}), "4"),
        (choice({"content": ["Fo", {"type": "text", "text": "ur"}, 4, None]}), "Four4"),
        (choice({"content": "Four.", "tool_calls": "none"}), "Four."),
        (choice({"content": "Four.", "tool_calls": [None, 3]}), "Four."),
        (choice({"content": "Four.", "function_call": 0}), "Four."),
        ({"choices": {"message": {"content": "Four."}}}, "Four."),
        ({"choices": [{"message": {"content": "Four."}, "finish_reason": 7}]}, "Four."),
        ({**choice({"content": "Four."}), "usage": "much"}, "Four."),
        ({**choice({"content": "Four."}), "usage": [1, 2]}, "Four."),
        ({**choice({"content": "Four."}), "usage": {"prompt_tokens": "x", "completion_tokens": -1}}, "Four."),
    ],
)
async def test_words_are_read_whatever_they_come_in(body: JsonValue, text: str) -> None:
    """One request each; where the counts make no sense they are estimated."""
    reply = await answered(body)
    assert (reply.text, reply.calls) == (text, ())
    assert reply.usage.estimated


@pytest.mark.parametrize(
    ("made", "name", "arguments"),
    [
        ({"id": 7, "function": {"name": "bash", "arguments": {"command": "ls"}}}, "bash", '{"command":"ls"}'),
        ({"id": ["x"], "function": {"name": "bash", "arguments": "{}"}}, "bash", "{}"),
        ({"function": "bash"}, "bash", "{}"),
        ({"function": {"name": 3, "arguments": 4}}, "3", "4"),
        ({"function": {"name": "bash", "arguments": [1]}}, "bash", "[1]"),
        ({"function": {"name": "bash", "arguments": None}}, "bash", "{}"),
    ],
)
async def test_calls_are_read_whatever_they_come_in(made: JsonValue, name: str, arguments: str) -> None:
    """Each is a call with an id; arguments that are no object become an observation later."""
    for calls in ([made], made):
        reply = await answered(choice({"content": None, "tool_calls": calls}))
        (call,) = reply.calls
        assert (call.name, call.arguments) == (name, arguments)
        assert call.id
