"""The scripted double of other tests keeps to the wire: shown with the real client."""

import asyncio

import openai
import pytest
from openai.types.chat import ChatCompletionMessageParam

from tests.support.model import breaks_off, call, calls, fail, hang, held, raw, say, scripted_model

HELLO: list[ChatCompletionMessageParam] = [{"role": "user", "content": "hello"}]


def client_of(base_url: str, *, retries: int = 0) -> openai.AsyncOpenAI:
    """The real client, pointed at the double."""
    return openai.AsyncOpenAI(base_url=base_url, api_key="test", max_retries=retries)


async def test_turns_are_played_in_order_with_and_without_a_stream() -> None:
    """A call and a text arrive through the real client, as one object and as chunks with usage at the end."""
    script = [calls(call("bash", command="ls"), text="Looking."), say("Two files.")]
    async with scripted_model(script) as model, client_of(model.base_url) as client:
        first = await client.chat.completions.create(model="m", messages=HELLO)
        made = first.choices[0].message.tool_calls
        assert made is not None
        assert made[0].type == "function"
        assert made[0].function.arguments == '{"command": "ls"}'
        assert first.choices[0].finish_reason == "tool_calls"
        stream = await client.chat.completions.create(
            model="m", messages=HELLO, stream=True, stream_options={"include_usage": True}
        )
        chunks = [chunk async for chunk in stream]
        assert "".join(c.choices[0].delta.content or "" for c in chunks if c.choices) == "Two files."
        assert chunks[-1].usage is not None
        assert chunks[-1].usage.total_tokens > 0
        assert [request.messages[0].text for request in model.requests] == ["hello", "hello"]


async def test_a_request_nobody_scripted_is_an_error() -> None:
    """The surplus request gets a 400 and the block ends with an assertion that quotes it."""
    with pytest.raises(AssertionError, match="unexpected request"):
        async with scripted_model() as model, client_of(model.base_url) as client:
            with pytest.raises(openai.BadRequestError):
                await client.chat.completions.create(model="m", messages=HELLO)


async def test_a_turn_nobody_requested_is_an_error() -> None:
    """What is left of the script is named at the end."""
    with pytest.raises(AssertionError, match="never requested: say 'unheard'"):
        async with scripted_model([say("unheard")]):
            pass


async def test_an_unanswered_call_in_the_history_is_refused() -> None:
    """Pairing is judged as the service judges it, and the test that caused it fails."""
    broken: list[ChatCompletionMessageParam] = [
        *HELLO,
        {
            "role": "assistant",
            "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "bash", "arguments": "{}"}}],
        },
        {"role": "user", "content": "and?"},
    ]
    with pytest.raises(AssertionError, match="would refuse"):
        async with scripted_model() as model, client_of(model.base_url) as client:
            with pytest.raises(openai.BadRequestError, match="call_1"):
                await client.chat.completions.create(model="m", messages=broken)


async def test_failures_reach_the_client_as_its_own_errors() -> None:
    """A 429 is retried by the header, a 500 and a page of HTML surface."""
    script = [fail(429, Retry_After="0"), say("now"), fail(500), raw("<html>sign in</html>")]
    async with scripted_model(script) as model:
        async with client_of(model.base_url, retries=1) as patient:
            answer = await patient.chat.completions.create(model="m", messages=HELLO)
            assert answer.choices[0].message.content == "now"
        async with client_of(model.base_url) as client:
            with pytest.raises(openai.InternalServerError):
                await client.chat.completions.create(model="m", messages=HELLO)
            odd: object = await client.chat.completions.create(model="m", messages=HELLO)
            assert odd == "<html>sign in</html>"


async def test_slowness_is_a_gate_and_not_a_clock() -> None:
    """A held turn answers when the gate opens, a hanging one never, and neither keeps the block from ending."""
    gate = asyncio.Event()
    async with scripted_model([held(gate, say("done")), hang()]) as model, client_of(model.base_url) as client:
        waiting = asyncio.create_task(client.chat.completions.create(model="m", messages=HELLO))
        await model.wait_for_requests(1)
        assert not waiting.done()
        gate.set()
        assert (await waiting).choices[0].message.content == "done"
        lost = asyncio.create_task(client.chat.completions.create(model="m", messages=HELLO))
        await model.wait_for_requests(2)
        lost.cancel()
        with pytest.raises(asyncio.CancelledError):
            await lost


async def test_a_stream_can_break_off() -> None:
    """The client sees a few chunks and then a connection that ended."""
    async with scripted_model([breaks_off("a" * 200)]) as model, client_of(model.base_url) as client:
        stream = await client.chat.completions.create(model="m", messages=HELLO, stream=True)
        text = ""
        with pytest.raises(openai.APIError):
            async for chunk in stream:
                text += chunk.choices[0].delta.content or ""
        assert text.startswith("aaa")
