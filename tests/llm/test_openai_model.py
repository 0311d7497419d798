"""The model adapter over real sockets: what is sent, what is retried, what each failure is called."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import cast

import pytest
from pydantic import JsonValue

from runtime.llm.errors import ContextTooLong, ModelError, ModelRejected, ModelUnavailable, ModelUnusable
from runtime.llm.openai_model import ModelOptions, OpenAIModel
from runtime.llm.port import ModelRequest
from runtime.llm.retry import RetryPolicy
from tests.support.model import Turn, call, calls, fail, hang, raw, say, scripted_model
from tools.redact import Redactor

KEY = "sk-test-0123456789abcdef"
TOOLS = json.dumps(
    [{"type": "function", "function": {"name": "bash", "description": "", "parameters": {"type": "object"}}}]
)
HELLO = ModelRequest(system="Be brief.", messages=('{"role":"user","content":"héllo"}',), tools=TOOLS, step_id="r1.1")


@asynccontextmanager
async def opened(
    base_url: str, *, tries: int = 3, silence: float = 30, whole: float = 30, limit: int | None = None
) -> AsyncGenerator[OpenAIModel]:
    """A model with quick retries."""
    options = ModelOptions(
        model="m-1",
        base_url=base_url,
        temperature=0.5,
        max_output_tokens=limit,
        silence=timedelta(seconds=silence),
        whole=timedelta(seconds=whole),
        retries=RetryPolicy(tries=tries, first_pause=timedelta(milliseconds=1), longest_pause=timedelta(seconds=5)),
    )
    model = OpenAIModel(options, api_key=KEY, redact=Redactor([KEY]))
    try:
        yield model
    finally:
        await model.aclose()


async def failure(turns: list[Turn], *, tries: int = 3) -> ModelError:
    """The error that the script leads to."""
    async with scripted_model(turns) as server, opened(server.base_url, tries=tries) as model:
        with pytest.raises(ModelError) as caught:
            await model.reply(HELLO)
    return caught.value


def body_with(message: JsonValue, **more: JsonValue) -> str:
    """A completion around a message as some server might write it."""
    return json.dumps({"choices": [{"message": message, "finish_reason": "stop"}], **more})


async def test_a_request_goes_out_as_the_bytes_it_was_given() -> None:
    """Messages and tools arrive unchanged behind the system prompt, with the key and the options."""
    async with scripted_model([say("Hi.")]) as server, opened(server.base_url, limit=100) as model:
        reply = await model.reply(HELLO)
    (body,) = server.bodies
    messages = cast("list[JsonValue]", body["messages"])
    assert messages == [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "héllo"}]
    assert body["tools"] == json.loads(TOOLS)
    assert (body["model"], body["tool_choice"], body["temperature"], body["max_tokens"]) == ("m-1", "auto", 0.5, 100)
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    assert server.headers[0]["content-type"] == "application/json"
    assert reply.text == "Hi."
    assert reply.usage.input > 0
    assert not reply.usage.estimated


async def test_a_reply_with_calls_can_be_sent_again() -> None:
    """The assistant message, with the results after it, is accepted by a strict server."""
    script = [calls(call("bash", command="ls"), call("bash", command="pwd"), text="Looking."), say("Done.")]
    async with scripted_model(script) as server, opened(server.base_url) as model:
        first = await model.reply(HELLO)
        results = [f'{{"role":"tool","tool_call_id":"{made.id}","content":"ok"}}' for made in first.calls]
        again = ModelRequest(system="", messages=(*HELLO.messages, first.message, *results), step_id="r1.2")
        assert (await model.reply(again)).text == "Done."
    assert [json.loads(made.arguments) for made in first.calls] == [{"command": "ls"}, {"command": "pwd"}]


async def test_a_400_is_asked_once_and_tells_what_the_server_said() -> None:
    """A refusal is never repeated; the sentence carries the server's words, without the key."""
    error = await failure([fail(400, f"Unsupported value for {KEY}")])
    assert isinstance(error, ModelRejected)
    assert error.code == "model_rejected"
    assert "Unsupported value for" in str(error)
    assert KEY not in error.detail


@pytest.mark.parametrize(
    ("turn", "code"),
    [
        (fail(401, "bad key"), "model_auth"),
        (fail(403), "model_auth"),
        (fail(404, "no such model"), "model_unknown"),
        (fail(422), "model_rejected"),
        (fail(429, code="insufficient_quota"), "model_quota"),
        (fail(400, "too many tokens", code="context_length_exceeded"), "model_context"),
        (fail(413), "model_context"),
    ],
)
async def test_what_cannot_succeed_is_asked_once(turn: Turn, code: str) -> None:
    """Each refusal gets its own code after a single request."""
    error = await failure([turn])
    assert isinstance(error, ModelRejected)
    assert error.code == code
    assert isinstance(error, ContextTooLong) == (code == "model_context")


async def test_a_429_is_repeated_when_its_header_allows() -> None:
    """A full service that says how long to wait is asked again after that."""
    async with scripted_model([fail(429, Retry_After="0"), say("now")]) as server, opened(server.base_url) as model:
        assert (await model.reply(HELLO)).text == "now"


async def test_a_429_that_asks_for_a_long_pause_is_not_waited_for() -> None:
    """What the service asks is carried by the error instead of holding a worker."""
    error = await failure([fail(429, Retry_After="3600")])
    assert isinstance(error, ModelUnavailable)
    assert (error.code, error.retry_after) == ("model_busy", timedelta(hours=1))


async def test_a_failing_service_is_asked_a_bounded_number_of_times() -> None:
    """Three tries mean three requests."""
    error = await failure([fail(500), fail(502), fail(503)], tries=3)
    assert isinstance(error, ModelUnavailable)
    assert error.code == "model_failing"


async def test_a_failing_service_that_recovers_gives_its_answer() -> None:
    """Failures that pass are not seen above."""
    async with scripted_model([fail(500), say("back")]) as server, opened(server.base_url) as model:
        assert (await model.reply(HELLO)).text == "back"


async def test_an_address_where_nobody_listens_names_the_setting() -> None:
    """The sentence says which variable to look at."""
    async with opened("http://127.0.0.1:1/v1") as model:
        with pytest.raises(ModelUnavailable, match="OPENAI_BASE_URL") as caught:
            await model.reply(HELLO)
    assert caught.value.code == "model_unreachable"


async def test_silence_ends_the_request() -> None:
    """A server that takes the request and says nothing is given up, and not asked again."""
    async with scripted_model([hang()]) as server, opened(server.base_url, silence=1) as model:
        with pytest.raises(ModelUnavailable) as caught:
            await model.reply(HELLO)
    assert caught.value.code == "model_silent"


async def test_the_whole_time_bounds_all_tries() -> None:
    """A service that keeps asking for patience is given up when the time for one request is over."""
    script = [fail(429, Retry_After="4")]
    async with scripted_model(script) as server, opened(server.base_url, whole=1.5) as model:
        with pytest.raises(ModelUnavailable) as caught:
            await model.reply(HELLO)
    assert caught.value.code == "model_slow"


async def test_cancelling_closes_the_connection() -> None:
    """A cancelled request leaves no task and no open connection behind."""
    async with scripted_model([hang()]) as server, opened(server.base_url) as model:
        task = asyncio.create_task(model.reply(HELLO))
        await server.wait_for_requests(1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


async def test_a_web_page_is_one_clear_sentence() -> None:
    """HTML with status 200 names the setting that points to the wrong place, after one request."""
    error = await failure([raw("<!doctype html><title>Sign in</title>")])
    assert isinstance(error, ModelUnusable)
    assert "OPENAI_BASE_URL" in str(error)
    assert "Sign in" not in str(error)


async def test_a_web_page_with_an_error_status_is_not_quoted() -> None:
    """A gateway's error page is named by its status alone."""
    error = await failure([raw("<html>502 nginx</html>", status=502)], tries=1)
    assert str(error).endswith("fails (502).")


@pytest.mark.parametrize("body", ["", "null", "[]", '{"choices": 3}', "{", '"text"', '{"error": {"message": "x"}}'])
async def test_a_body_that_is_no_completion_is_one_sentence(body: str) -> None:
    """Whatever else comes with status 200 is called unusable after at most two requests."""
    script = [raw(body, content_type="application/json")]
    assert isinstance(await failure(script), ModelUnusable)


@pytest.mark.parametrize(
    "body", ['{"choices": []}', '{"choices": [{"message": null}]}', body_with({"role": "assistant", "content": None})]
)
async def test_an_empty_answer_is_asked_for_once_more_and_both_are_paid(body: str) -> None:
    """An answer without choices or content is repeated once, and its tokens are added to the next one's."""
    empty = raw(body, content_type="application/json")
    async with scripted_model([empty, say("There.")]) as server, opened(server.base_url) as model:
        reply = await model.reply(HELLO)
    assert reply.text == "There."
    assert reply.usage.estimated
    error = await failure([empty, empty])
    assert isinstance(error, ModelUnusable)


@pytest.mark.parametrize("second", [None, fail(401)])
async def test_an_empty_answer_is_paid_also_where_the_second_request_helps_no_more(second: Turn | None) -> None:
    """The failure carries the cost of both, or of the first where the second one was refused."""
    empty = raw('{"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 1}}')
    error = await failure([empty, second or empty])
    assert error.usage.total == (6 if second else 12)


async def test_missing_usage_is_estimated_on_the_safe_side() -> None:
    """Where the server does not count, a third of the bytes is taken for both directions."""
    script = [raw(body_with({"role": "assistant", "content": "four"}), content_type="application/json")]
    async with scripted_model(script) as server, opened(server.base_url) as model:
        usage = (await model.reply(HELLO)).usage
    assert usage.estimated
    assert usage.input >= len(HELLO.messages[0] + TOOLS) // 3
    assert usage.output > 0


async def test_odd_shapes_of_calls_are_repaired() -> None:
    """Missing, used and doubled ids, arguments as an object, garbled arguments and odd names can all be sent again."""
    message: JsonValue = {
        "role": "assistant",
        "content": [{"type": "text", "text": "Two "}, {"type": "text", "text": "parts"}],
        "tool_calls": [
            {"type": "function", "function": {"name": "bash", "arguments": {"command": "ls"}}},
            {"id": "old", "type": "function", "function": {"name": "bash", "arguments": '{"command": "ls'}},
            {"id": "same", "type": "function", "function": {"name": "functions.bash", "arguments": ""}},
            {"id": "same", "type": "function", "function": {"name": None, "arguments": None}},
        ],
    }
    asked = ModelRequest(system="s", messages=HELLO.messages, step_id="r1.1", used_ids=frozenset({"old"}))
    script = [raw(body_with(message), content_type="application/json"), say("ok")]
    async with scripted_model(script) as server, opened(server.base_url) as model:
        reply = await model.reply(asked)
        results = [f'{{"role":"tool","tool_call_id":"{made.id}","content":"ok"}}' for made in reply.calls]
        again = ModelRequest(system="", messages=(*HELLO.messages, reply.message, *results), step_id="r1.2")
        await model.reply(again)
    assert reply.text == "Two parts"
    ids = [made.id for made in reply.calls]
    assert len(set(ids)) == 4
    assert "old" not in ids
    sent = [item["function"] for item in json.loads(reply.message)["tool_calls"]]
    assert sent[0] == {"name": "bash", "arguments": '{"command":"ls"}'}
    assert json.loads(sent[1]["arguments"]) == {"unreadable": '{"command": "ls'}
    assert (sent[2]["name"], sent[3]["name"]) == ("functions_bash", "unnamed")
    assert reply.calls[1].arguments == '{"command": "ls'


async def test_thoughts_are_not_part_of_the_text_and_half_characters_are_replaced() -> None:
    """What a local model thinks aloud in front of its answer is left out; a lone surrogate does not break the reply."""
    body = body_with({"role": "assistant", "content": "<think>hm\n</think>\n\nIt is 4\ud800"})
    script = [raw(body, content_type="application/json")]
    async with scripted_model(script) as server, opened(server.base_url) as model:
        assert (await model.reply(HELLO)).text == "It is 4?"
