"""Reports of pairing errors, odd arguments and models without tool calling."""

import json
from dataclasses import replace

import pytest

from runtime.llm.careful import CarefulModel
from runtime.session.events import CallFinished, CallStatus, RunOutcome
from tests.agent.conftest import desk
from tests.agent.desk import Desk
from tests.support.model import Invocation, call, calls, fail, raw, say
from tests.support.redis import redis_server, redis_url, store

__all__ = ["desk", "redis_server", "redis_url", "store"]


async def results(desk: Desk) -> list[CallFinished]:
    """Every result, in order."""
    return [event for event in await desk.journal() if isinstance(event, CallFinished)]


async def test_744_910_300_four_calls_a_turn_over_many_turns_stay_paired(desk: Desk) -> None:
    """A strict server takes thirty turns of four parallel calls without a complaint."""
    desk.script(*[calls(*(call("echo", text=f"{n}.{k}") for k in range(4))) for n in range(30)], say("Done."))
    await desk.hear("go")
    assert (await desk.work()).answer == "Done."
    assert desk.model.refused == []


@pytest.mark.parametrize("content", [None, ""])
async def test_627_80_913_866_an_empty_turn_is_never_sent_back(desk: Desk, content: str | None) -> None:
    """Neither content nor calls: asked once more, and nothing empty enters the history."""
    empty = json.dumps(
        {
            "choices": [{"message": {"role": "assistant", "content": content}}],
            "usage": {"prompt_tokens": 5, "completion_tokens": 0},
        }
    )
    desk.script(raw(empty, content_type="application/json"), say("Here."))
    await desk.hear("go")
    assert (await desk.work()).answer == "Here."
    assert all(message.content for message in desk.model.requests[-1].messages)


async def test_1115_arguments_as_an_object_are_taken(desk: Desk) -> None:
    """A server that does not write them as text is understood."""
    made = {"id": "c1", "type": "function", "function": {"name": "echo", "arguments": {"text": "hi"}}}
    body = json.dumps({"choices": [{"message": {"role": "assistant", "content": None, "tool_calls": [made]}}]})
    desk.script(raw(body, content_type="application/json"), say("Done."))
    await desk.hear("go")
    await desk.work()
    assert [result.output for result in await results(desk)] == ["hi"]


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        ("<html>Sign in</html>", "text/html"),
        ("The gateway is up.", "text/plain"),
        ('"The gateway is up."', "application/json"),
    ],
)
async def test_873_29_a_page_or_plain_text_in_place_of_an_answer_is_one_clear_end(
    desk: Desk, body: str, content_type: str
) -> None:
    """It is asked once, and the run ends with the code that leads to the address."""
    desk.script(raw(body, content_type=content_type))
    await desk.hear("go")
    run = await desk.work()
    assert run.outcome is RunOutcome.FAILED
    assert run.detail.startswith("model_unusable")
    assert len(desk.model.bodies) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        '{"text": "a\nb"}',
        "{'text': 'a\\nb'}",
        '{"text": "a\\nb",}',
        '```json\n{"text": "a\\nb"}\n```',
        json.dumps(json.dumps({"text": "a\nb"})),
    ],
)
async def test_107_336_395_588_989_arguments_with_one_meaning_are_repaired(desk: Desk, arguments: str) -> None:
    """Raw line breaks, single quotes, a comma too many, a fence, JSON in JSON."""
    desk.script(calls(Invocation("echo", arguments)), say("Done."))
    await desk.hear("go")
    await desk.work()
    assert [result.output for result in await results(desk)] == ["a\nb"]


async def test_107_truncated_arguments_run_nothing_and_say_where_they_end(desk: Desk) -> None:
    """The observation names the character and the way out."""
    desk.script(calls(Invocation("echo", '{"text": "lorem')), say("Sorry."))
    await desk.hear("go")
    await desk.work()
    (result,) = await results(desk)
    assert result.status is CallStatus.ERROR
    assert "cut off by the output limit" in result.output


async def test_504_a_missing_argument_three_times_is_noticed(desk: Desk) -> None:
    """Each observation names the field, and the third one comes with a hint."""
    desk.script(*[calls(call("ask_human"))] * 3, say("I cannot."))
    await desk.hear("go")
    await desk.work()
    assert all("question" in result.output for result in await results(desk))
    assert [doubt.doubted.rung for doubt in desk.run.doubts] == ["hint"]


@pytest.mark.parametrize(
    "text",
    [
        'echo(text="hi")',
        '```json\n{"name": "echo", "arguments": {"text": "hi"}}\n```',
        '<tool_call>{"name": "echo", "arguments": {"text": "hi"}}</tool_call>',
    ],
)
async def test_976_583_405_500_370_667_a_call_written_as_text_runs_through_the_gate(desk: Desk, text: str) -> None:
    """It is journalled and judged like any other call."""
    desk.context = replace(desk.context, model=CarefulModel(desk.context.model))
    desk.script(say(text), say("Done."))
    await desk.hear("go")
    assert (await desk.work()).answer == "Done."
    assert [result.output for result in await results(desk)] == ["hi"]
    assert "call_started" in await desk.kinds()


async def test_a_risky_call_written_as_text_is_asked_for_like_any_other(desk: Desk) -> None:
    """Printing a call is no way around approval."""
    desk.context = replace(desk.context, model=CarefulModel(desk.context.model))
    desk.script(say('pays(text="Bob")'))
    await desk.hear("go")
    run = await desk.work()
    assert run.open_approval
    assert desk.pays.paid == []


async def test_33_34_617_a_model_without_tools_works_in_words(desk: Desk) -> None:
    """The refusal is met once; from then on calls and results are text."""
    desk.context = replace(desk.context, model=CarefulModel(desk.context.model))
    written = '<tool_call>{"name": "echo", "arguments": {"text": "hi"}}</tool_call>'
    desk.script(fail(400, "gemma:2b does not support tools"), say(written), say("Done."))
    await desk.hear("go")
    assert (await desk.work()).answer == "Done."
    assert [result.output for result in await results(desk)] == ["hi"]
