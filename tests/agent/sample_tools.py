"""Small real tools that make every kind of outcome, for tests of the loop around them."""

import asyncio
from collections.abc import Callable
from typing import ClassVar

from tools.base import (
    BaseTool,
    CallPreview,
    Effect,
    Params,
    PreparedCall,
    ProducedFile,
    Risk,
    ToolInputError,
    ToolResult,
)
from tools.context import ToolContext


class Words(Params):
    """Some text."""

    text: str = ""


class Echo(BaseTool[Words]):
    """Says back what it is told."""

    name: ClassVar[str] = "echo"
    description: ClassVar[str] = "Say it back."
    risk: ClassVar[Risk] = Risk.WORKSPACE
    effect: ClassVar[Effect] = Effect.PURE
    params: ClassVar[type[Params]] = Words

    async def run(self, params: Words, context: ToolContext) -> ToolResult:
        """The same text, and a file of that name."""
        files = (ProducedFile(path=params.text),) if params.text.endswith(".txt") else ()
        return ToolResult(output=params.text, files=files)


class Visits(Echo):
    """Goes to a place; having been there once with approval is enough for the thread."""

    name: ClassVar[str] = "visits"
    risk: ClassVar[Risk] = Risk.NETWORK

    def asks_once_for(self, params: Words) -> str:
        """The first word."""
        return params.text.partition(" ")[0]


class Looks(Echo):
    """Only reads; says by `tell` when it begins, and may `wait` then."""

    name: ClassVar[str] = "looks"
    risk: ClassVar[Risk] = Risk.READ

    def __init__(self, tell: Callable[[], None], *, wait: asyncio.Event | None = None) -> None:
        self.tell = tell
        self.wait = wait

    async def run(self, params: Words, context: ToolContext) -> ToolResult:
        """Tell, then say it back."""
        self.tell()
        if self.wait is not None:
            await self.wait.wait()
        return await super().run(params, context)


class Foreign(Looks):
    """The same as a server of tools says it, and an operator believes it."""

    origin = "server"
    is_accepted_read: ClassVar[bool] = True


class Writes(Looks):
    """The same, and changes something."""

    name: ClassVar[str] = "writes"
    effect: ClassVar[Effect] = Effect.IDEMPOTENT


class Breaks(Echo):
    """Fails in a way it did not foresee, or refuses."""

    name: ClassVar[str] = "breaks"

    async def run(self, params: Words, context: ToolContext) -> ToolResult:
        """Raise."""
        if params.text:
            raise ToolInputError(params.text)
        raise KeyError("hunter2-secret")


class Hangs(Echo):
    """Begins and never ends, unless it began before; knows how often it began and was cancelled."""

    name: ClassVar[str] = "hangs"

    def __init__(self) -> None:
        self.began = 0
        self.beginning = asyncio.Event()
        self.cancelled = 0

    async def run(self, params: Words, context: ToolContext) -> ToolResult:
        """Wait for ever the first time."""
        self.began += 1
        self.beginning.set()
        if self.began > 1:
            return ToolResult(output="done at last")
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return ToolResult(output="never")


class Launches(Hangs):
    """The same with an effect that must not happen twice."""

    name: ClassVar[str] = "launches"
    effect: ClassVar[Effect] = Effect.AT_MOST_ONCE


class Pays(BaseTool[Words]):
    """Has an effect outside; keeps what it did and what it was bound to."""

    name: ClassVar[str] = "pays"
    description: ClassVar[str] = "Pay."
    risk: ClassVar[Risk] = Risk.OUTSIDE
    effect: ClassVar[Effect] = Effect.AT_MOST_ONCE
    params: ClassVar[type[Params]] = Words

    def __init__(self) -> None:
        self.paid: list[tuple[str, object]] = []
        self.price = 3
        self.dies = False
        """Whether the process is lost after the first payment, before its result is recorded."""
        self.beginning = asyncio.Event()

    async def prepare(self, params: Words, context: ToolContext) -> PreparedCall:
        """Bind the price of today."""
        if params.text == "nobody":
            raise ToolInputError("there is nobody to pay")
        preview = CallPreview(title=f"Pay {params.text}", body="3 coins")
        return PreparedCall(preview=preview, binding={"price": self.price})

    async def run(self, params: Words, context: ToolContext) -> ToolResult:
        """Pay what was bound."""
        self.paid.append((params.text, context.binding.get("price")))
        if self.dies and len(self.paid) == 1:
            self.beginning.set()
            await asyncio.Event().wait()
        return ToolResult(output="paid")


class PaysAtOnce(Pays):
    """The same name for something else."""

    description: ClassVar[str] = "Pay at once, without a receipt."
