"""What a tool is: name, parameters, risk, effect, preview, and one asynchronous run.

Above this boundary: `runtime` validates arguments, asks policy, journals intent and result, enforces the timeout.
Below it: the tool does its work with what `ToolContext` hands it and returns one of four outcomes.
A tool never decides whether it may run.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, JsonValue

from tools.context import ToolContext
from tools.errors import ToolInputError, ToolRefused
from tools.plan import Plan
from tools.question import FormField, PersonAsked
from tools.schema import Schema, schema_of

__all__ = [
    "BaseTool",
    "CallPreview",
    "Effect",
    "FinishProposed",
    "FormField",
    "Params",
    "PersonAsked",
    "PreparedCall",
    "ProducedFile",
    "Risk",
    "ToolInputError",
    "ToolOutcome",
    "ToolRefused",
    "ToolResult",
]


class Risk(StrEnum):
    """The worst a call of the tool can touch. Policy reads it; it grants nothing."""

    READ = "read"
    WORKSPACE = "workspace"
    NETWORK = "network"
    OUTSIDE = "outside"


class Effect(StrEnum):
    """What may be done with a call whose result was lost in a crash."""

    PURE = "pure"
    IDEMPOTENT = "idempotent"
    AT_MOST_ONCE = "at_most_once"


class Params(BaseModel):
    """Base of every tool's arguments: unknown keys are refused, values are immutable."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ProducedFile(BaseModel):
    """A file in the session's workspace that the person should be offered."""

    model_config = ConfigDict(frozen=True)

    path: str
    """Relative to the workspace, with forward slashes."""
    title: str = ""
    size: int = 0
    """Bytes."""


class ToolResult(BaseModel):
    """The observation of one call: what the model reads, and in brief what people read."""

    model_config = ConfigDict(frozen=True)

    kind: Literal["result"] = "result"
    output: str
    """Full text for the model, already capped by the tool with an honest marker."""
    brief: str = ""
    """One line for people; empty means the first line of `output`."""
    is_error: bool = False
    exit_code: int | None = None
    files: tuple[ProducedFile, ...] = ()
    images: tuple[str, ...] = ()
    """Paths of images in the workspace that the model is to be shown once."""
    plan: Plan | None = None
    """A new version of the plan, where the tool changed it."""


class FinishProposed(BaseModel):
    """The model proposes to end the run; the runtime decides."""

    model_config = ConfigDict(frozen=True)

    kind: Literal["finish"] = "finish"
    status: Literal["success", "failure"]
    answer: str


ToolOutcome = ToolResult | PersonAsked | FinishProposed


P = TypeVar("P", bound=Params)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallPreview:
    """What a person reads before deciding. `body` is the exact call or difference, never a summary of it."""

    title: str
    """What will happen, in words: "Change 2 files in etl/ (+9 -3)"."""
    body: str
    language: Literal["diff", "python", "bash", "json", "text"] = "json"
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedCall:
    """A call made ready to be judged: its preview and everything outside its arguments that the verdict must cover.

    `binding` is hashed together with the arguments, journalled with the approval and handed back to `run` in
    `ToolContext.binding`, so that what was shown is what happens, or nothing does.
    """

    preview: CallPreview
    binding: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])


class BaseTool(ABC, Generic[P]):
    """A named ability. One file and one line in `tools.collection.builtin_tools` add it."""

    name: ClassVar[str]
    description: ClassVar[str]
    risk: ClassVar[Risk]
    effect: ClassVar[Effect]
    params: ClassVar[type[Params]]
    shown_chars: ClassVar[int] = 4_000
    """Up to so many characters of an output are shown to the model whole; of a longer one, head, tail and a handle."""
    polls: ClassVar[bool] = False
    """True where asking the same again and again is meant; else it counts as getting nowhere."""
    origin: str = ""
    """Empty for a tool that ships with Handrail; else whose it is, such as an MCP server's name."""
    fingerprint: str = ""
    """Of a foreign tool: the hash of everything its owner says of it; an approval is void when it changes."""
    is_accepted_read: ClassVar[bool] = False
    """Of a foreign tool: the operator said that it only reads and need not ask."""

    def asks_once_for(self, params: P) -> str:
        """What one approval covers for the rest of the thread, such as a host; empty: only the call itself."""
        return ""

    def schema(self) -> Schema:
        """The JSON schema of the arguments as the model is told it."""
        return schema_of(self.params)

    async def prepare(self, params: P, context: ToolContext) -> PreparedCall:
        """Describe the call for the person who decides; called before policy. Must have no effects.

        Raises:
            ToolInputError: the arguments cannot work.
            ToolRefused: the call cannot be made here.
        """
        return PreparedCall(preview=CallPreview(title=self.name, body=params.model_dump_json(indent=2)))

    @abstractmethod
    async def run(self, params: P, context: ToolContext) -> ToolOutcome:
        """Do it. Cancellation must kill whatever was started before it propagates.

        Raises:
            ToolInputError: the arguments cannot work.
            ToolRefused: the call cannot be made here.
        """

    async def cleanup(self) -> None:
        """Release what the tool holds for the process; runs once, whatever happened."""
