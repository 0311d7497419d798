"""Answers as streams: silence means no byte, what breaks off is billed, and servers that take less get less."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest
from aiohttp import web
from pydantic import JsonValue

from bot.rehearsal import replies
from runtime.llm.errors import ModelUnavailable, ModelUnusable
from runtime.llm.openai_model import ModelOptions, OpenAIModel
from runtime.llm.port import ModelRequest
from runtime.llm.retry import RetryPolicy
from tests.support.model import Asked, Turn, breaks_off, call, calls, fail, say, scripted_model

HELLO = ModelRequest(system="Be brief.", messages=('{"role":"user","content":"hello"}',), step_id="r1.1")


@asynccontextmanager
async def opened(base_url: str, *, tries: int = 2, silence: float = 30) -> AsyncGenerator[OpenAIModel]:
    """A model with quick retries."""
    options = ModelOptions(
        model="m-1",
        base_url=base_url,
        silence=timedelta(seconds=silence),
        retries=RetryPolicy(tries=tries, first_pause=timedelta(milliseconds=1)),
    )
    model = OpenAIModel(options)
    try:
        yield model
    finally:
        await model.aclose()


def events(*chunks: JsonValue, pause: float = 0, then_hang: bool = False) -> Turn:
    """Stream these objects as they are, with a pause before each."""

    async def play(asked: Asked) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(asked.http)
        for chunk in chunks:
            await asyncio.sleep(pause)
            await response.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")
        if then_hang:
            await asked.model.closing.wait()
        await response.write(replies.SSE_END)
        return response

    return Turn(name="events", play=play)


def delta(**parts: JsonValue) -> JsonValue:
    """One chunk."""
    return {"choices": [{"index": 0, "delta": dict(parts)}]}


async def test_a_request_asks_for_a_stream_with_its_usage() -> None:
    """Text, calls and token counts come out as they do in one piece."""
    script = [calls(call("bash", command="echo " + "x" * 50), text="Looking at it now.")]
    async with scripted_model(script) as server, opened(server.base_url) as model:
        reply = await model.reply(HELLO)
    assert server.bodies[0]["stream"] is True
    assert server.bodies[0]["stream_options"] == {"include_usage": True}
    assert reply.text == "Looking at it now."
    assert json.loads(reply.calls[0].arguments) == {"command": "echo " + "x" * 50}
    assert not reply.usage.estimated


async def test_a_long_answer_is_not_silence() -> None:
    """An answer that takes longer in all than the silence allowed is read to its end."""
    chunks = [delta(content=f"{number} ") for number in range(11)]
    async with scripted_model([events(*chunks, pause=0.2)]) as server, opened(server.base_url, silence=2) as model:
        assert (await model.reply(HELLO)).text == "0 1 2 3 4 5 6 7 8 9 10"


async def test_silence_in_the_middle_ends_the_request_and_is_billed() -> None:
    """No byte for so long: the error names the setting and carries what was asked and what had come."""
    turn = breaks_off("a very long answer that never ends " * 20, silent=True)
    async with scripted_model([turn]) as server, opened(server.base_url, silence=1) as model:
        with pytest.raises(ModelUnavailable, match=r"timeouts\.model_silence") as caught:
            await model.reply(HELLO)
    assert caught.value.code == "model_silent"
    assert caught.value.usage.input > 0
    assert caught.value.usage.output > 0
    assert caught.value.usage.estimated


async def test_an_answer_that_breaks_off_is_asked_for_again_and_both_are_billed() -> None:
    """A lost connection may pass; the half that came is added to the cost."""
    async with scripted_model([say("Whole.")]) as server, opened(server.base_url) as model:
        whole = await model.reply(HELLO)
    script = [breaks_off("half an answer, and then", after_chunks=4), say("Whole.")]
    async with scripted_model(script) as server, opened(server.base_url) as model:
        reply = await model.reply(HELLO)
    assert reply.text == "Whole."
    assert reply.usage.total > whole.usage.total


async def test_a_server_that_knows_no_stream_options_is_asked_without() -> None:
    """Its refusal costs one request, once; usage is estimated from then on where it does not say."""
    refusal = fail(400, "Unrecognized request argument supplied: stream_options")
    async with scripted_model([refusal, say("One."), say("Two.")]) as server, opened(server.base_url) as model:
        assert (await model.reply(HELLO)).text == "One."
        assert (await model.reply(HELLO)).text == "Two."
    assert ["stream_options" in body for body in server.bodies] == [True, False, False]
    assert all(body["stream"] for body in server.bodies)


async def test_a_server_that_cannot_stream_is_asked_in_one_piece() -> None:
    """Also when it says so with a status of its own."""
    script = [fail(501, "streaming is not supported"), say("One.")]
    async with scripted_model(script) as server, opened(server.base_url) as model:
        assert (await model.reply(HELLO)).text == "One."
    assert "stream" not in server.bodies[1]


def half_in_one_piece(*, silent: bool = False) -> Turn:
    """A server that does not stream whatever it is asked for, and whose answer ends, or stays away, halfway."""

    async def play(asked: Asked) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": "1000"})
        await response.prepare(asked.http)
        await response.write(b'{"choices": [')
        if silent:
            await asked.model.closing.wait()
        elif asked.http.transport is not None:
            asked.http.transport.close()
        return response

    return Turn(name="half", play=play)


async def test_an_answer_in_one_piece_that_breaks_off_is_asked_for_again() -> None:
    """Where a stream was asked for and the server sends none; what broke off is billed."""
    async with scripted_model([half_in_one_piece(), say("Whole.")]) as server, opened(server.base_url) as model:
        reply = await model.reply(HELLO)
    assert reply.text == "Whole."
    async with scripted_model([say("Whole.")]) as server, opened(server.base_url) as model:
        assert (await model.reply(HELLO)).usage.total < reply.usage.total


async def test_silence_in_an_answer_in_one_piece_names_the_setting() -> None:
    """As it does in a stream."""
    turn = half_in_one_piece(silent=True)
    async with scripted_model([turn]) as server, opened(server.base_url, tries=1, silence=1) as model:
        with pytest.raises(ModelUnavailable, match=r"timeouts\.model_silence"):
            await model.reply(HELLO)


async def test_a_chunk_that_is_nested_too_deeply_is_no_answer() -> None:
    """It is told as what it is, not as an error inside."""

    async def play(asked: Asked) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(asked.http)
        await response.write(b'data: {"choices": ' + b"[" * 20_000 + b"]" * 20_000 + b"}\n\n" + replies.SSE_END)
        return response

    script = [Turn(name="deep", play=play)]
    async with scripted_model(script) as server, opened(server.base_url) as model:
        with pytest.raises(ModelUnusable, match="not a chat completion"):
            await model.reply(HELLO)


async def test_calls_without_numbers_are_told_apart_by_their_ids() -> None:
    """Some servers leave the index out, send arguments as an object, or the last chunk as a message."""
    first: JsonValue = {"id": "a", "function": {"name": "bash", "arguments": '{"command":'}}
    rest: JsonValue = {"id": "a", "function": {"arguments": '"ls"}'}}
    second: JsonValue = {"id": "b", "function": {"name": "bash", "arguments": {"command": "pwd"}}}
    turn = events(delta(tool_calls=[first]), delta(tool_calls=[rest]), delta(tool_calls=[second]))
    async with scripted_model([turn]) as server, opened(server.base_url) as model:
        reply = await model.reply(HELLO)
    assert [(made.id, json.loads(made.arguments)) for made in reply.calls] == [
        ("a", {"command": "ls"}),
        ("b", {"command": "pwd"}),
    ]


async def test_an_error_inside_a_stream_is_a_failure_of_the_service() -> None:
    """It is told apart from an address where nobody listens."""
    turn = events(delta(content="so"), {"error": {"message": "overloaded"}})
    async with scripted_model([turn]) as server, opened(server.base_url) as model:
        with pytest.raises(ModelUnavailable) as caught:
            await model.reply(HELLO)
    assert caught.value.code == "model_failing"
    assert caught.value.usage.total > 0


async def test_cancelling_in_the_middle_of_a_stream_leaves_nothing_running() -> None:
    """The connection is closed and the server's handler ends."""
    turn = events(delta(content="so"), then_hang=True)
    async with scripted_model([turn]) as server, opened(server.base_url) as model:
        task = asyncio.create_task(model.reply(HELLO))
        await server.wait_for_requests(1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
