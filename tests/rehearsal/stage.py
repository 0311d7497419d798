"""A minute runtime for the scripted model: the real client, a real server process, tools without a sandbox.

It says what each tool says in the way the real runtime does, so that the scripts meet the words they look for.
"""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import openai
from openai.types.chat import ChatCompletionMessageParam, ChatCompletionToolParam
from pydantic import JsonValue, TypeAdapter

from tests.parts import PREPARED, requires

ARGUMENTS = TypeAdapter(dict[str, JsonValue])
TOOLS = ("python_execute", "bash", "str_replace_editor", "ask_human", "terminate", "planning", "publish")
MAX_REQUESTS = 20


def offered(*names: str) -> list[ChatCompletionToolParam]:
    """Tools as the request announces them."""
    return [{"type": "function", "function": {"name": name, "parameters": {"type": "object"}}} for name in names]


def prepared_python() -> tuple[str, dict[str, str]]:
    """The interpreter with pandas and matplotlib, and its variables; the test is skipped where there is none."""
    requires("python-for-code")
    found = json.loads(PREPARED["python-for-code"].read_text(encoding="utf-8"))
    # Without a list of fonts matplotlib would make one in each test.
    return found["python"], {"PYTHONPATH": found["site"], "MPLCONFIGDIR": found.get("mplconfig", "")}


@contextmanager
def rehearsal() -> Generator[str]:
    """The address of a server process, which keeps nothing of a conversation."""
    command = [sys.executable, "-m", "bot.rehearsal", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        name, address = process.stdout.readline().split()
        assert name == "rehearsal"
        yield address
        process.terminate()


@dataclass(slots=True, kw_only=True)
class Stage:
    """One conversation: where it works, what people answer, and what was said and called."""

    client: openai.AsyncOpenAI
    workspace: Path
    answers: dict[str, str] = field(default_factory=dict[str, str])
    tools: tuple[str, ...] = TOOLS
    messages: list[ChatCompletionMessageParam] = field(default_factory=list[ChatCompletionMessageParam])
    called: list[tuple[str, dict[str, JsonValue]]] = field(default_factory=list[tuple[str, dict[str, JsonValue]]])
    said: list[str] = field(default_factory=list[str])

    async def perform(self, task: str) -> str:
        """Run a task to its answer."""
        self.messages.append({"role": "user", "content": f"Ana (U0ANA) says:\n{task}"})
        for _ in range(MAX_REQUESTS):
            answer = await self.step()
            if answer is not None:
                return answer
        raise AssertionError(f"no end after {MAX_REQUESTS} requests")

    async def step(self) -> str | None:
        """One request and the calls it led to; the answer where it was the last."""
        tools = offered(*self.tools) if self.tools else openai.omit
        reply = await self.client.chat.completions.create(model="rehearsal", messages=self.messages, tools=tools)
        message = reply.choices[0].message
        self.messages.append({"role": "assistant", "content": message.content})
        if message.content:
            self.said.append(message.content)
        if not message.tool_calls:
            return message.content or ""
        self.messages[-1] = cast("ChatCompletionMessageParam", message.model_dump(mode="json", exclude_none=True))
        answer: str | None = None
        for call in message.tool_calls:
            assert call.type == "function"
            arguments = ARGUMENTS.validate_json(call.function.arguments)
            self.called.append((call.function.name, arguments))
            text = await self.run(call.function.name, arguments)
            self.messages.append({"role": "tool", "tool_call_id": call.id, "content": text})
            if call.function.name == "terminate":
                answer = str(arguments["answer"])
        return answer

    async def run(self, tool: str, arguments: dict[str, JsonValue]) -> str:
        """What a tool answers: the scripted answer where there is one, else the work itself."""
        if tool in self.answers:
            return self.answers[tool]
        if tool == "bash":
            return await self.process("/bin/bash", "-c", str(arguments["command"]))
        if tool == "python_execute":
            python, variables = prepared_python()
            return await self.process(python, "-c", str(arguments["code"]), **variables)
        if tool == "str_replace_editor":
            return self.edit(arguments)
        return "ok"

    async def process(self, *command: str, **environment: str) -> str:
        """Run a program in the workspace."""
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=self.workspace,
            env={"PATH": os.defpath, "HOME": str(self.workspace), **environment},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        output, _ = await process.communicate()
        return f"exit code {process.returncode}\n{output.decode()}"

    def edit(self, arguments: dict[str, JsonValue]) -> str:
        """View a file or replace a passage that occurs once."""
        path = self.workspace / str(arguments["path"])
        text = path.read_text()
        if arguments["command"] == "view":
            return text
        if text.count(str(arguments["old_str"])) != 1:
            return "[error] old_str does not occur exactly once"
        path.write_text(text.replace(str(arguments["old_str"]), str(arguments["new_str"])))
        return "edited"

    def calls_of(self, tool: str) -> list[dict[str, JsonValue]]:
        """The arguments of every call of a tool."""
        return [arguments for name, arguments in self.called if name == tool]
