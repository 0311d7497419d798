"""What the output limit cut off, and replies of the wrong kind: nothing said is lost and everything asked is billed."""

import json
from dataclasses import replace

import pytest

from bot.rehearsal.wire import Call
from runtime.llm.errors import ModelRejected, ModelUnusable
from tests.llm.test_careful import REQUEST, answered, careful, cut
from tests.support.model import Turn, call, calls, fail, raw, say

WORDS_ONLY = replace(REQUEST, tool_choice="none")
EMPTY = raw('{"choices": []}', content_type="application/json")


@pytest.mark.parametrize(
    ("first", "rest", "whole"),
    [
        ("One two", " three.", "One two three."),
        ("a line\n", "another\n", "a line\nanother"),
        ("def f():", "\n    return 1", "def f():\n    return 1"),
        ("  One,", "two  ", "One,two"),
    ],
)
async def test_the_seam_of_a_continued_text_keeps_its_spaces(first: str, rest: str, whole: str) -> None:
    """White space counts where the parts meet, and is taken off the ends of the whole only."""
    async with careful(cut(first), say(rest)) as (model, server):
        got = await model.reply(REQUEST)
        assert server.requests[1].messages[-2].text == first
    assert got.text == whole
    assert json.loads(got.message) == {"role": "assistant", "content": whole}


async def test_a_call_that_ends_the_continuation_is_made() -> None:
    """With all of the words before it, and in the history too."""
    got = await answered(cut("I save it"), calls(call("bash", command="ls"), text=" now."))
    assert got.text == "I save it now."
    assert [made.name for made in got.calls] == ["bash"]
    assert json.loads(got.message)["tool_calls"][0]["id"] == got.calls[0].id


async def test_a_call_that_is_cut_off_in_the_continuation_is_asked_for_again() -> None:
    """As one that is cut off at once."""
    half = Call(id="c1", name="bash", arguments='{"command": "l')
    got = await answered(cut("I save it"), cut(" now.", half), calls(call("bash", command="ls")))
    assert json.loads(got.calls[0].arguments) == {"command": "ls"}


@pytest.mark.parametrize(
    ("begin", "end"),
    [("```json\n", "\n```"), ("<tool_call>", "</tool_call>"), ('<tool_call>\n{"name": "bash"}</tool_call>\n', "")],
)
async def test_a_printed_call_that_was_cut_off_and_continued_is_made(begin: str, end: str) -> None:
    """The parts are read together, not each by itself."""
    first, rest = '{"name": "bash", "arguments": {"comm', 'and": "ls"}}'
    if not end:
        first, rest = f"<tool_call>{first}", f"{rest}</tool_call>"
    got = await answered(cut(f"I look.\n{begin}{first}"), say(f"{rest}{end}"))
    assert (got.calls[-1].name, json.loads(got.calls[-1].arguments)) == ("bash", {"command": "ls"})
    assert len(got.calls) == begin.count("bash") + 1
    assert got.text == "I look."


async def test_a_printed_call_that_stays_cut_off_is_asked_for_again_in_smaller_parts() -> None:
    """After the continuations; what is still half then is handed on as the call that it would be."""
    half = '<tool_call>{"name": "write", "arguments": {"text": "lor'
    script = [cut(half), cut("em"), cut("em"), cut("em")]
    got = await answered(*script, calls(call("write", text="lorem")))
    assert json.loads(got.calls[0].arguments) == {"text": "lorem"}
    stubborn = await answered(*script, cut(half), cut(half))
    assert [made.name for made in stubborn.calls] == ["write"]


@pytest.mark.parametrize("failing", [(fail(503), fail(503)), (EMPTY, EMPTY), (fail(401),)])
async def test_a_continuation_that_fails_keeps_what_had_come(failing: tuple[Turn, ...]) -> None:
    """The text is handed on as cut off, with what the failed request cost."""
    async with careful(cut("One, two"), *failing) as (model, _):
        got = await model.reply(REQUEST)
    assert (got.text, got.is_cut_off) == ("One, two", True)


async def test_calls_where_none_were_wanted_are_dropped() -> None:
    """With `none`, which is what goes out, only the words count."""
    async with careful(calls(call("bash", command="ls"), text="Here.")) as (model, server):
        got = await model.reply(WORDS_ONLY)
        assert server.bodies[0]["tool_choice"] == "none"
    assert (got.calls, got.text) == ((), "Here.")
    assert "tool_calls" not in json.loads(got.message)


async def test_calls_alone_where_none_were_wanted_lead_to_one_more_request() -> None:
    """The model is told to use words, both requests are billed, and nothing is called."""
    async with careful(say("Words.")) as (model, _):
        once = await model.reply(WORDS_ONLY)
    async with careful(calls(call("bash", command="ls")), say("Words.")) as (model, server):
        got = await model.reply(WORDS_ONLY)
        assert "answer with text" in server.requests[1].messages[-1].text
    assert (got.calls, got.text) == ((), "Words.")
    assert got.usage.total > once.usage.total * 1.5


async def test_a_model_that_only_calls_where_words_were_wanted_is_unusable() -> None:
    """After the second time; where no tools were offered the empty text is judged by who asked."""
    stubborn = calls(call("bash", command="ls"))
    async with careful(stubborn, stubborn) as (model, _):
        with pytest.raises(ModelUnusable, match="asked for words") as caught:
            await model.reply(WORDS_ONLY)
    assert caught.value.usage.total > 0
    got = await answered(stubborn, stubborn, request=replace(WORDS_ONLY, tools=""))
    assert (got.calls, got.text) == ((), "")


async def test_a_second_request_that_fails_carries_the_cost_of_the_first() -> None:
    """Words where a call was required were paid for, whatever comes after them."""
    async with careful(say("No."), fail(401)) as (model, _):
        with pytest.raises(ModelRejected) as caught:
            await model.reply(replace(REQUEST, tool_choice="required"))
    assert caught.value.usage.total > 0
