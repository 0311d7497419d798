"""The tools an agent may call: their schemas for the model, and calls made into validated parameters.

Above: `runtime` sends `schemas()` with each request and gives each call of the model to `parse`.
Below: the tools themselves. A collection never runs anything and never decides whether something may run.
"""

import difflib
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, JsonValue, ValidationError

from tools.arguments import read_arguments, read_value
from tools.base import BaseTool, Params
from tools.builtin.ask_human import AskHuman
from tools.builtin.bash import Bash
from tools.builtin.planning import PlanningTool
from tools.builtin.publish import Publish
from tools.builtin.python_execute import PythonExecute
from tools.builtin.recall import Recall
from tools.builtin.search_files import SearchFiles
from tools.builtin.str_replace_editor import StrReplaceEditor
from tools.builtin.terminate import Terminate
from tools.errors import ToolInputError, UnknownTool
from tools.mounts import Mount
from tools.schema import JSON_OBJECT, Schema, canonical, field_lines

# Tools of different parameters stand in one collection; `parse` is where each meets parameters of its own class.
AnyTool = BaseTool[Any]

CONTAINER_ERRORS = frozenset({"list_type", "tuple_type", "dict_type", "model_type", "model_attributes_type"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """A call of the model that fits its tool."""

    tool: AnyTool
    params: Params
    canonical: bytes
    """The exact arguments in their one spelling, defaults written out; approvals and repeats are told by its hash."""


def canonical_params(params: BaseModel) -> bytes:
    """The one spelling of validated parameters, for hashing."""
    return canonical(JSON_OBJECT.validate_python(params.model_dump(mode="json")))


def builtin_tools(mounts: Sequence[Mount] = ()) -> tuple[AnyTool, ...]:
    """The tools that come with Handrail, in the order the model sees them; `publish` only where there are mounts."""
    tools: list[AnyTool] = [
        PlanningTool(),
        PythonExecute(mounts),
        Bash(mounts),
        StrReplaceEditor(),
        SearchFiles(),
        AskHuman(),
        Recall(),
        Terminate(),
    ]
    return (*tools, Publish(mounts)) if mounts else tuple(tools)


class ToolCollection:
    """An immutable set of tools in a fixed order."""

    def __init__(self, tools: Iterable[AnyTool]) -> None:
        """Take the tools in the order they are shown to the model.

        Raises:
            ValueError: two of them have the same name.
        """
        self._is_released = False
        self._tools: dict[str, AnyTool] = {}
        for tool in tools:
            if tool.name in self._tools:
                raise ValueError(f"two tools are called {tool.name}")
            self._tools[tool.name] = tool
        self._parameters = {name: tool.schema() for name, tool in self._tools.items()}
        self._schemas = tuple(self._announced(name) for name in self._tools)

    def _announced(self, name: str) -> Schema:
        return {"type": "function", "function": self._function(name)}

    def _function(self, name: str) -> dict[str, JsonValue]:
        tool = self._tools[name]
        return {"name": tool.name, "description": tool.description, "parameters": self._parameters[name]}

    def __iter__(self) -> Iterator[AnyTool]:
        """The tools in their order."""
        return iter(self._tools.values())

    def __len__(self) -> int:
        """How many tools there are."""
        return len(self._tools)

    def __contains__(self, name: object) -> bool:
        """True when a tool of this name is there."""
        return name in self._tools

    @property
    def names(self) -> tuple[str, ...]:
        """The names in their order."""
        return tuple(self._tools)

    def get(self, name: str) -> AnyTool:
        """The tool of this name.

        Raises:
            UnknownTool: there is none; the text names the near ones.
        """
        try:
            return self._tools[name]
        except KeyError:
            raise UnknownTool(self._unknown(name)) from None

    def _unknown(self, name: str) -> str:
        near = difflib.get_close_matches(name, self._tools, n=3, cutoff=0.5)
        hint = f"Did you mean {' or '.join(near)}? " if near else ""
        return f"There is no tool called {name[:80]!r}. {hint}The tools are: {', '.join(self._tools) or 'none'}."

    def with_tools(self, tools: Iterable[AnyTool]) -> "ToolCollection":
        """A collection with further tools at the end."""
        return ToolCollection([*self, *tools])

    def without(self, *names: str) -> "ToolCollection":
        """A collection that lacks the named tools."""
        return ToolCollection(tool for tool in self if tool.name not in names)

    def schemas(self) -> tuple[Schema, ...]:
        """The tools in the shape of OpenAI's `tools` field; the same objects at each call, so never change them."""
        return self._schemas

    def schema(self, name: str) -> Schema:
        """The schema of one tool's parameters.

        Raises:
            UnknownTool: there is none of this name.
        """
        self.get(name)
        return self._parameters[name]

    def definition_hash(self, name: str) -> str:
        """SHA-256 over what the model is told of a tool and over its risk and effect; grants are void when it changes.

        Raises:
            UnknownTool: there is none of this name.
        """
        tool = self.get(name)
        whole = {**self._function(name), "risk": tool.risk.value, "effect": tool.effect.value}
        if tool.fingerprint:
            whole["fingerprint"] = tool.fingerprint
        return hashlib.sha256(canonical(whole)).hexdigest()

    def parse(self, name: str, arguments: str | Mapping[str, JsonValue]) -> Parsed:
        """A call of the model made ready to be judged.

        Raises:
            UnknownTool: there is no such tool.
            ToolInputError: the arguments do not fit; the text says which field and what the tool takes.
        """
        tool = self.get(name)
        try:
            given = read_arguments(arguments)
        except ToolInputError as error:
            raise ToolInputError(f"{error}\n{self._takes(name)}") from error
        try:
            params = validated(tool.params, given)
        except ValidationError as error:
            raise ToolInputError(f"{self._misfit(name, error)}\n{self._takes(name)}") from error
        return Parsed(tool=tool, params=params, canonical=canonical_params(params))

    def _takes(self, name: str) -> str:
        return "\n".join([f"{name} takes:", *(field_lines(self._parameters[name]) or ["(no fields)"])])

    def _misfit(self, name: str, error: ValidationError) -> str:
        lines = [f"The arguments do not fit {name}; nothing was run."]
        for detail in error.errors(include_url=False, include_input=False)[:10]:
            where = ".".join(str(part) for part in detail["loc"]) or "arguments"
            message = detail["msg"].removeprefix("Value error, ")
            if detail["type"] == "extra_forbidden":
                near = difflib.get_close_matches(where, self.get(name).params.model_fields, n=1, cutoff=0.5)
                message = "unknown field" + (f", did you mean {near[0]}?" if near else "")
            lines.append(f"- {where[:80]}: {message}")
        return "\n".join(lines)

    async def cleanup(self) -> None:
        """Let every tool release what it holds, once, in reverse order, also when one of them fails."""
        if self._is_released:
            return
        self._is_released = True
        async with AsyncExitStack() as stack:
            for tool in self:
                stack.push_async_callback(tool.cleanup)


def validated(params: type[Params], given: dict[str, JsonValue]) -> Params:
    """Parameters from an object; a list or object that arrived as JSON text inside a field is read once.

    Raises:
        ValidationError: they do not fit.
    """
    try:
        return params.model_validate(given)
    except ValidationError as error:
        repaired = with_texts_read(given, error)
        if repaired is None:
            raise
        return params.model_validate(repaired)


def with_texts_read(given: dict[str, JsonValue], error: ValidationError) -> dict[str, JsonValue] | None:
    """The object with fields read that hold JSON text where a list or object belongs; None where that helps nothing."""
    repaired = dict(given)
    for detail in error.errors(include_url=False, include_input=False):
        where = detail["loc"]
        value = given.get(str(where[0])) if len(where) == 1 else None
        if detail["type"] not in CONTAINER_ERRORS or not isinstance(value, str):
            return None
        try:
            repaired.update(JSON_OBJECT.validate_python({str(where[0]): read_value(value)}))
        except (ToolInputError, ValidationError):
            return None
    return repaired
