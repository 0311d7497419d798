"""Tools told in words: how a history with calls and results looks to a model that has no tool calling."""

import json

from runtime.llm.port import ModelRequest
from runtime.llm.prompted import without_tools

CALLS = [{"id": made, "type": "function", "function": {"name": "bash", "arguments": "{}"}} for made in ("a", "b")]
HISTORY = (
    {"role": "user", "content": "go"},
    {"role": "assistant", "content": None, "tool_calls": CALLS},
    {"role": "tool", "tool_call_id": "a", "content": "one"},
    {"role": "tool", "tool_call_id": "b", "content": "two"},
    {"role": "assistant", "content": "Again.", "tool_calls": CALLS[:1]},
    {"role": "tool", "tool_call_id": "a", "content": "three"},
    {"role": "assistant", "content": "Done."},
)


def test_the_results_of_one_turn_come_as_one_message() -> None:
    """Templates that want the two sides by turns refuse two messages of one side in a row."""
    messages = tuple(json.dumps(message, separators=(",", ":")) for message in HISTORY)
    told = without_tools(ModelRequest(system="S.", messages=messages, step_id="r1.1")).messages
    read = [json.loads(message) for message in told]
    assert [message["role"] for message in read] == ["user", "assistant", "user", "assistant", "user", "assistant"]
    assert read[2]["content"] == "<tool_result>\none\n</tool_result>\n<tool_result>\ntwo\n</tool_result>"
    assert read[4]["content"] == "<tool_result>\nthree\n</tool_result>"
    assert (told[0], told[-1]) == (messages[0], messages[-1])
