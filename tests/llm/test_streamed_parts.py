"""Streams of servers with ways of their own: whose part of a call is whose, and texts in other shapes than a text."""

import json

import pytest
from pydantic import JsonValue

from runtime.llm.port import ModelReply
from runtime.llm.streaming import Streamed
from tests.llm.test_streaming import HELLO, delta, events, opened
from tests.support.model import scripted_model

LS, PWD = '{"command":"ls"}', '{"command":"pwd"}'


def part(arguments: str, **more: JsonValue) -> JsonValue:
    """Part of a call of bash, with its name."""
    return {"type": "function", "function": {"name": "bash", "arguments": arguments}, **more}


def rest(arguments: str, **more: JsonValue) -> JsonValue:
    """A later part, without a name."""
    return {"function": {"arguments": arguments}, **more}


async def streamed(*chunks: JsonValue) -> ModelReply:
    """What these chunks come to."""
    async with scripted_model([events(*chunks)]) as server, opened(server.base_url, tries=1) as model:
        return await model.reply(HELLO)


@pytest.mark.parametrize(
    "chunks",
    [
        pytest.param(
            [delta(tool_calls=[part(LS, index=0, id="a")]), delta(tool_calls=[part(PWD, index=0, id="b")])],
            id="one number for all, ids apart",
        ),
        pytest.param([delta(tool_calls=[part(LS, index=0, id="a"), part(PWD, index=0, id="b")])], id="in one chunk"),
        pytest.param([delta(tool_calls=[part(LS), part(PWD)])], id="no number and no id"),
        pytest.param([delta(tool_calls=[part(LS, id="x"), part(PWD, id="x")])], id="no number and one id for all"),
        pytest.param(
            [
                delta(tool_calls=[part('{"command":', index=0, id="a"), part('{"command":', index=0, id="b")]),
                delta(tool_calls=[rest('"pwd"}', index=0, id="b"), rest('"ls"}', index=0, id="a")]),
            ],
            id="one number, parts in turn",
        ),
        pytest.param(
            [
                delta(tool_calls=[part('{"command":', index=0, id="a")]),
                delta(tool_calls=[part('"ls"}', index=0, id="a")]),
                delta(tool_calls=[part("", index=0, id="a")]),
                delta(tool_calls=[part('{"command":', index=1, id="b")]),
                delta(tool_calls=[part('"pwd"}', index=1, id="b")]),
            ],
            id="the name with each part",
        ),
        pytest.param(
            [
                delta(tool_calls=[part("", index=0, id="r1")]),
                delta(tool_calls=[rest(LS, index=0, id="r2")]),
                delta(tool_calls=[part("", index=1, id="r3")]),
                delta(tool_calls=[rest(PWD, index=1, id="r4")]),
            ],
            id="another id with each part",
        ),
    ],
)
async def test_two_streamed_calls_are_two_calls(chunks: list[JsonValue]) -> None:
    """However a server numbers and names the parts, each call has its own arguments and the name once."""
    got = await streamed(*chunks)
    assert [(made.name, made.arguments) for made in got.calls] == [("bash", LS), ("bash", PWD)]


@pytest.mark.parametrize(
    "chunk",
    [
        delta(tool_calls=part(LS, index=0, id="a")),
        {"choices": {"index": 0, "delta": {"tool_calls": [part(LS, id="a")]}}},
    ],
)
async def test_an_object_in_place_of_a_list_stands_for_itself(chunk: JsonValue) -> None:
    """One call, or one choice, as it is in an answer that comes in one piece."""
    got = await streamed(chunk)
    assert [(made.id, made.arguments) for made in got.calls] == [("a", LS)]


@pytest.mark.parametrize(
    ("chunks", "text"),
    [
        ([delta(content=4), delta(content=2)], "42"),
        ([delta(content=["Fo", {"type": "text", "text": "ur"}])], "Four"),
        ([{"choices": [{"index": 0, "message": "Four."}]}], "Four."),
        ([delta(content="Fo"), delta(content=None), delta(content="ur")], "Four"),
    ],
)
async def test_a_text_in_another_shape_is_read(chunks: list[JsonValue], text: str) -> None:
    """Numbers, lists of texts and a bare message are what was said; null is nothing."""
    assert (await streamed(*chunks)).text == text


def test_a_long_call_in_many_parts_is_joined_once() -> None:
    """Twenty thousand parts of one call are kept as they came, not joined and parsed at each of them."""
    streamed = Streamed()
    for index in range(20_000):
        streamed.add({"choices": [{"delta": {"tool_calls": [part(f"{index},", index=0, id="a")]}}]})
    assert [(call.name, len(call.arguments)) for call in streamed.calls] == [("bash", 20_000)]
    assert len(json.dumps(streamed.body())) > 100_000
