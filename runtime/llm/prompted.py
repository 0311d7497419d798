"""Tools for a model that has no tool calling: told in the system prompt, called and answered in plain text.

The history is kept as it always is. Each message is translated on its way out, once, since translations are
remembered by the message's bytes.
"""

import json
from dataclasses import replace
from functools import lru_cache
from itertools import groupby
from typing import Any, cast

from runtime.llm.port import ModelRequest

HOW = """\


# Tools
You call a tool by writing exactly this and nothing after it:
<tool_call>
{"name": "TOOL", "arguments": {"KEY": "VALUE"}}
</tool_call>
One or several of these may end your message; the results come with the next message. To answer the person, write \
plain text without any of them. The tools, each with the JSON schema of its arguments:
"""


def without_tools(request: ModelRequest) -> ModelRequest:
    """The same request for a model that is offered no tools over the wire."""
    system = with_tools_told(request.system, request.tools) if request.tools else request.system
    return replace(request, system=system, tools="", messages=joined(request.messages))


@lru_cache(maxsize=64)
def with_tools_told(system: str, tools: str) -> str:
    """The system prompt with the tools in words."""
    specs = cast("list[dict[str, Any]]", json.loads(tools))
    return system + HOW + "\n".join(json.dumps(spec["function"], ensure_ascii=False) for spec in specs)


def joined(messages: tuple[str, ...]) -> tuple[str, ...]:
    """Every message as words; the results of one turn come as one message of the user's side."""
    said: list[str] = []
    for are_results, group in groupby(messages, key=is_result):
        together = tuple(group)
        said += [results(together)] if are_results else map(as_words, together)
    return tuple(said)


def is_result(message: str) -> bool:
    """Whether a message is the result of a call."""
    return message.startswith('{"role":"tool"')


@lru_cache(maxsize=4096)
def results(messages: tuple[str, ...]) -> str:
    """Results that follow each other, as one message: many chat templates refuse two of one side in a row."""
    contents = (cast("dict[str, Any]", json.loads(message))["content"] for message in messages)
    content = "\n".join(f"<tool_result>\n{content}\n</tool_result>" for content in contents)
    return json.dumps({"role": "user", "content": content}, ensure_ascii=False, separators=(",", ":"))


@lru_cache(maxsize=4096)
def as_words(message: str) -> str:
    """One message without calls, as such servers take it."""
    if '"tool_calls":' not in message:
        return message
    value = cast("dict[str, Any]", json.loads(message))
    lines = [str(value.get("content") or "")] if value.get("content") else []
    for call in cast("list[dict[str, Any]]", value.get("tool_calls") or []):
        function = call["function"]
        name, arguments = json.dumps(function["name"]), function["arguments"]
        lines.append(f'<tool_call>\n{{"name": {name}, "arguments": {arguments}}}\n</tool_call>')
    return json.dumps({"role": "assistant", "content": "\n".join(lines)}, ensure_ascii=False, separators=(",", ":"))
