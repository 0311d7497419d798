"""How a demonstration is written: a generator that yields turns, receives the results of their calls, and ends.

A script must depend on nothing but what it receives, because it is played again from its start at each request:
the results come from the messages of the request, so a restart of anything loses nothing.
"""

import json
import re
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pydantic import JsonValue

LABEL = "(scripted model)"
ANSWER_LEAD = re.compile(r"^.{0,80}?\banswer(?:s|ed)?:\s*", re.IGNORECASE | re.DOTALL)
FAILED = re.compile(r"^\[(error|denied|cancelled|unknown)]")


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a real tool."""

    tool: str
    arguments: dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Turn:
    """One reply of the model that goes on: words beside one or more calls."""

    calls: tuple[ToolCall, ...]
    text: str = ""


@dataclass(frozen=True, slots=True)
class Ending:
    """The last reply: the answer in Markdown, and whether the task was done."""

    answer: str
    status: Literal["success", "failure"] = "success"


class OffScriptError(Exception):
    """A tool answered something the script has no words for; the performer ends honestly with what was said."""

    def __init__(self, wanted: str, said: str) -> None:
        super().__init__(wanted)
        self.wanted = wanted
        self.said = said


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool answered."""

    text: str

    @property
    def failed(self) -> bool:
        """True when the runtime marked the result as anything but done."""
        return FAILED.match(self.text) is not None

    @property
    def first_line(self) -> str:
        """The first line with words in it, cut to a sentence's length."""
        lines = [line.strip() for line in self.text.splitlines() if line.strip()]
        return lines[0][:200] if lines else "nothing"

    def number(self, key: str) -> int:
        """The whole number that the tool printed as `key=number`.

        Raises:
            OffScriptError: there is none.
        """
        found = re.search(rf"\b{re.escape(key)}=(-?\d+)", self.text)
        if found is None:
            raise OffScriptError(f"a number called {key}", self.text)
        return int(found[1])

    def rows(self, *keys: str) -> list[dict[str, str]]:
        """Each line the tool printed as `key=value; key=value` with these keys in this order.

        Raises:
            OffScriptError: there is none.
        """
        pattern = "; ".join(rf"{re.escape(key)}=([^;\n]*)" for key in keys)
        rows = [dict(zip(keys, found, strict=True)) for found in tuples(pattern, self.text)]
        if not rows:
            raise OffScriptError(f"lines with {', '.join(keys)}", self.text)
        return rows

    def choice(self, choices: Sequence[str]) -> str:
        """The answer of a person: one of the choices where it is one, else their own words."""
        words = ANSWER_LEAD.sub("", self.text, count=1).strip().strip('"')
        for choice in choices:
            if choice.casefold() in words.casefold():
                return choice
        return words


def tuples(pattern: str, text: str) -> list[tuple[str, ...]]:
    """Every match as its groups."""
    return [match.groups() for match in re.finditer(pattern, text)]


Script = Generator[Turn, tuple[Result, ...], Ending]


@dataclass(frozen=True, slots=True, kw_only=True)
class Demonstration:
    """A script with the words that call it up."""

    key: str
    title: str
    """At most 75 characters: it is the text of a button."""
    pattern: str
    """A regular expression over the task in lower case."""
    perform: Callable[[], Script]
    tools: frozenset[str] = field(default_factory=frozenset[str])
    """What it needs to be offered."""


def python(code: str, *, timeout: int | None = None) -> ToolCall:
    """Run Python in the sandbox."""
    arguments: dict[str, JsonValue] = {"code": code}
    return ToolCall("python_execute", arguments if timeout is None else {**arguments, "timeout": timeout})


def bash(command: str) -> ToolCall:
    """Run a command in the sandbox."""
    return ToolCall("bash", {"command": command})


def ask(question: str, choices: Sequence[str] = ()) -> ToolCall:
    """Ask a person."""
    return ToolCall("ask_human", {"question": f"{question} {LABEL}", "choices": list(choices)})


def replace(path: str, old: str, new: str) -> ToolCall:
    """Replace one passage of a file."""
    return ToolCall("str_replace_editor", {"command": "str_replace", "path": path, "old_str": old, "new_str": new})


def view(path: str) -> ToolCall:
    """Read a file."""
    return ToolCall("str_replace_editor", {"command": "view", "path": path})


def plan(title: str, *steps: str) -> ToolCall:
    """Make a plan."""
    return ToolCall("planning", {"command": "create", "title": title, "steps": list(steps)})


def mark(step: int, status: str, note: str = "") -> ToolCall:
    """Say where a step of the plan stands."""
    arguments: dict[str, JsonValue] = {"command": "mark", "step_index": step, "step_status": status}
    return ToolCall("planning", {**arguments, "note": note} if note else arguments)


def publish(mount: str, message: str) -> ToolCall:
    """Propose the changes of a mounted directory."""
    return ToolCall("publish", {"mount": mount, "message": message})


def arguments_text(call: ToolCall) -> str:
    """The arguments as a model writes them."""
    return json.dumps(call.arguments, ensure_ascii=False)
