"""Models and servers that are not quite right: what is made whole, within how many requests, and what is left alone."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.rehearsal.wire import Call, Reply
from runtime.llm.careful import CarefulModel
from runtime.llm.openai_model import ModelOptions, OpenAIModel
from runtime.llm.port import ModelReply, ModelRequest
from runtime.llm.retry import RetryPolicy
from tests.support.model import ModelDouble, Turn, call, calls, fail, reply, say, scripted_model

TOOLS = json.dumps(
    [
        {"type": "function", "function": {"name": name, "description": "", "parameters": {"type": "object"}}}
        for name in ("bash", "write")
    ]
)
REQUEST = ModelRequest(system="S.", messages=('{"role":"user","content":"go"}',), tools=TOOLS, step_id="r1.1")


@asynccontextmanager
async def careful(*turns: Turn) -> AsyncGenerator[tuple[CarefulModel, ModelDouble]]:
    """A careful model on a scripted one."""
    async with scripted_model(turns) as server:
        options = ModelOptions(
            model="m", base_url=server.base_url, retries=RetryPolicy(tries=2, first_pause=timedelta(milliseconds=1))
        )
        model = CarefulModel(OpenAIModel(options))
        try:
            yield model, server
        finally:
            await model.aclose()


async def answered(*turns: Turn, request: ModelRequest = REQUEST) -> ModelReply:
    """The reply that a script leads to."""
    async with careful(*turns) as (model, _):
        return await model.reply(request)


def cut(text: str = "", *made: Call) -> Turn:
    """A reply that the output limit ended."""
    return reply(lambda _: Reply(text=text, calls=made, finish_reason="length"), name="cut off")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('<tool_call>\n{"name": "bash", "arguments": {"command": "ls"}}\n</tool_call>', ""),
        ('I look.\n<tool_call>{"name": "bash", "arguments": {"command": "ls"}}', "I look."),
        ("<function=bash><parameter=command>ls</parameter></function>", ""),
        ("<tool_call>\n<function=bash>\n<parameter=command>\nls\n</parameter>\n</function>\n</tool_call>", ""),
        ('<function_calls><invoke name="bash"><parameter name="command">ls</parameter></invoke></function_calls>', ""),
        ('[TOOL_CALLS] [{"name": "bash", "arguments": {"command": "ls"}}]', ""),
        ('Let me look.\n```json\n{"name": "bash", "arguments": {"command": "ls"}}\n```', "Let me look."),
        ('```tool_call\n{"tool": "bash", "args": {"command": "ls"}}\n```', ""),
        ('{"name": "bash", "parameters": {"command": "ls"}}', ""),
        ('{"tool_calls": [{"function": {"name": "bash", "arguments": "{\\"command\\": \\"ls\\"}"}}]}', ""),
        ('{"action": "bash", "action_input": {"command": "ls"}}', ""),
        ('I call it:\nbash(command="ls")', "I call it:"),
        ("```python\nbash(command='ls')\n```", ""),
    ],
)
async def test_a_call_printed_as_text_is_made(text: str, words: str) -> None:
    """Tags, fences, bare JSON and Python's form become a proper call, and the words before it stay words."""
    got = await answered(say(text))
    assert [(made.name, json.loads(made.arguments)) for made in got.calls] == [("bash", {"command": "ls"})]
    assert got.text == words
    assert json.loads(got.message)["tool_calls"][0]["id"] == got.calls[0].id


@pytest.mark.parametrize(
    "text",
    [
        'You could run `bash(command="ls")` yourself, but be careful.',
        'An example:\n```json\n{"name": "bash", "arguments": {"command": "ls"}}\n```\nThat is how a call looks.',
        '{"name": "Ana", "input": "none"}',
        '```json\n{"name": "Ana", "parameters": {"age": 3}}\n```',
        'print("bash")',
        "bash(command=open)",
        "Done: bash (the shell) works.",
        "{not json",
        "",
    ],
)
async def test_prose_and_data_are_not_taken_for_calls(text: str) -> None:
    """An explained call, data that looks like one and code that is no literal call stay an answer."""
    if not text:
        return
    got = await answered(say(text))
    assert got.calls == ()
    assert got.text == text


async def test_two_printed_calls_are_two_calls() -> None:
    """Each tag is a call with an id of its own, in the order they were written."""
    one = '<tool_call>{"name": "bash", "arguments": {"command": "%s"}}</tool_call>'
    got = await answered(say(one % "a" + "\n" + one % "b"))
    assert [json.loads(made.arguments)["command"] for made in got.calls] == ["a", "b"]
    assert len({made.id for made in got.calls}) == 2


async def test_a_printed_call_of_an_unknown_tool_is_handed_on_for_its_observation() -> None:
    """Tags are never prose, so a wrong name in them reaches the loop, which names the tools there are."""
    got = await answered(say('<tool_call>{"name": "shell", "arguments": {}}</tool_call>'))
    assert got.calls[0].name == "shell"


@pytest.mark.parametrize(
    "message",
    [
        "registry.ollama.ai/library/gemma:2b does not support tools",
        "Tool use is not supported with this model",
        "No endpoints found that support tool use",
        '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
        "Function calling is not enabled for this model",
    ],
)
async def test_a_server_without_tools_is_asked_in_words(message: str) -> None:
    """After one refusal the tools stand in the system prompt, and the model's written calls are made."""
    script = [fail(400, message), say('<tool_call>{"name": "bash", "arguments": {"command": "ls"}}</tool_call>')]
    async with careful(*script) as (model, server):
        first = await model.reply(REQUEST)
        assert first.calls[0].name == "bash"
        server.add(say("Two files."))
        result = f'{{"role":"tool","tool_call_id":"{first.calls[0].id}","content":"a b"}}'
        again = replace(REQUEST, messages=(*REQUEST.messages, first.message, result), step_id="r1.2")
        assert (await model.reply(again)).text == "Two files."
        assert len(server.bodies) == 3
        last = server.requests[-1]
        assert last.tools is None
        assert "You call a tool by writing" in last.messages[0].text
        assert [message.role for message in last.messages] == ["system", "user", "assistant", "user"]
        assert "a b" in last.messages[-1].text


async def test_a_refusal_for_another_reason_is_not_retried_in_words() -> None:
    """Only a sentence about tools leads to the second way."""
    async with careful(fail(400, "Unsupported value: temperature")) as (model, server):
        with pytest.raises(Exception, match="Unsupported value"):
            await model.reply(REQUEST)
        assert len(server.bodies) == 1


async def test_a_text_that_was_cut_off_is_continued_and_joined() -> None:
    """The parts come back as one text, with the cost of all requests, and the history holds the whole only."""
    got = await answered(cut("One, two"), cut(", three"), say(", four."))
    assert got.text == "One, two, three, four."
    assert json.loads(got.message) == {"role": "assistant", "content": "One, two, three, four."}
    assert not got.is_cut_off


async def test_continuing_ends_after_a_few_times() -> None:
    """A model that never comes to an end is not asked for ever; what it said is handed on as cut off."""
    got = await answered(cut("a"), cut("b"), cut("c"), cut("d"))
    assert got.text == "abcd"
    assert got.is_cut_off


async def test_a_call_that_was_cut_off_is_asked_for_again_and_leaves_no_trace() -> None:
    """Nothing of the half call stays in the history; the model is told to send less."""
    half = Call(id="c1", name="write", arguments='{"path": "a.txt", "text": "lor')
    async with careful(cut("", half), calls(call("write", path="a.txt", text="lorem"))) as (model, server):
        got = await model.reply(REQUEST)
        assert json.loads(got.calls[0].arguments) == {"path": "a.txt", "text": "lorem"}
        assert "several smaller calls" in server.requests[1].messages[-1].text
    assert "unreadable" not in got.message


async def test_a_call_that_stays_cut_off_is_handed_on_after_two_more_tries() -> None:
    """Its problem then becomes the observation."""
    half = Call(id="c1", name="write", arguments='{"path": "a.t')
    got = await answered(*[cut("", half)] * 3)
    assert got.calls[0].arguments == '{"path": "a.t'


async def test_a_whole_call_before_the_cut_is_kept() -> None:
    """Where the arguments are complete the call is made as it is."""
    whole = Call(id="c1", name="bash", arguments='{"command": "ls"}')
    got = await answered(cut("", whole))
    assert got.calls[0].id == "c1"


async def test_words_where_a_call_was_required_are_asked_for_once_more() -> None:
    """`required` is insisted on once; the words are not lost when it does not help."""
    required = replace(REQUEST, tool_choice="required")
    got = await answered(say("No."), calls(call("bash", command="ls")), request=required)
    assert got.calls[0].name == "bash"
    stubborn = await answered(say("No."), say("Still no."), request=required)
    assert stubborn.text == "Still no."
