"""Runs inside a bot process of a test: counts what it does to the outside, ends it at the planned point.

Nothing of this is in the product: a few functions of it are wrapped from here before the command starts.
"""

import asyncio
import json
import os
import signal
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

from slack_sdk.web.async_client import AsyncWebClient

import bot.assembly
import bot.delivery.conversation
import bot.delivery.poster
import runtime.agent.calling
import runtime.session.writer
from bot.delivery.shared_pace import SharedPace
from runtime.store.redis_store import SessionStore
from tests.durability.plan import SPEAKING, Plan, Point
from tools.base import BaseTool, CallPreview, Effect, Params, PreparedCall, ProducedFile, Risk, ToolResult
from tools.collection import AnyTool
from tools.context import ToolContext
from tools.mounts import Mount
from tools.sandbox.port import Level
from tools.sandbox.unavailable import Unavailable

WRITES = ("chat.", "reactions.", "files.getUpload", "files.complete", "views.")
Function = Callable[..., Awaitable[Any]]


def rewrap(owner: object, name: str, wrap: Callable[[Any], object]) -> None:
    """Put something in the place of an attribute, made from what was there."""
    setattr(owner, name, wrap(getattr(owner, name)))


class Payee(Params):
    """Whom to pay."""

    to: str


class Pay(BaseTool[Payee]):
    """Pays by adding a line to a ledger outside the workspace; a second line is a second payment."""

    name: ClassVar[str] = "pay"
    description: ClassVar[str] = "Pay somebody."
    risk: ClassVar[Risk] = Risk.OUTSIDE
    effect: ClassVar[Effect] = Effect.AT_MOST_ONCE
    params: ClassVar[type[Params]] = Payee

    def __init__(self, ledger: Path) -> None:
        self.ledger = ledger

    async def prepare(self, params: Payee, context: ToolContext) -> PreparedCall:
        """What would be paid."""
        return PreparedCall(preview=CallPreview(title=f"Pay {params.to}", body=f"3 coins to {params.to}"))

    async def run(self, params: Payee, context: ToolContext) -> ToolResult:
        """Pay, and leave a receipt."""
        append(self.ledger, f"{context.session_id} {params.to}")
        context.workspace.write_bytes("receipt.txt", b"3 coins")
        return ToolResult(output="paid", files=(ProducedFile(path="receipt.txt"),))


class Contained(Unavailable):
    """A sandbox that counts as one; the journeys run no code."""

    @property
    def level(self) -> Level:
        """As if there were one."""
        return Level.BUBBLEWRAP


def append(path: Path, line: str) -> None:
    """Add a line in one write, so that a death leaves a whole line or none."""
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(descriptor, f"{line}\n".encode())
    os.close(descriptor)


class Toll:
    """Counts each passage and exacts the planned end."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.passed = Counter[str]()
        self.counted = 0
        """Points of the kind and the name that the plan means."""
        self.record = Path(plan.folder) / "toll"
        self.speaking = 0
        """Calls of Slack under way."""
        self.mark = os.open(Path(plan.folder) / SPEAKING, os.O_WRONLY | os.O_CREAT, 0o600)

    def is_due(self, point: Point, fate: str, number: int) -> bool:
        """Whether the end comes at this passage; others may be under way at the same time."""
        plan = self.plan
        return (plan.point, plan.fate) == (point, fate) and number == plan.at > 0

    async def around(self, point: Point, what: str, act: Callable[[], Awaitable[Any]]) -> object:
        """One passage."""
        self.speak(point == "slack")
        try:
            return await self.pass_through(point, what, act)
        finally:
            self.speak(-(point == "slack"))

    def speak(self, more: int) -> None:
        """Leave word of what is under way, for whoever stops the process and must know."""
        self.speaking += more
        os.pwrite(self.mark, bytes([self.speaking]), 0)

    async def pass_through(self, point: Point, what: str, act: Callable[[], Awaitable[Any]]) -> object:
        """Count it, do it, or end there."""
        self.passed[point] += 1
        self.counted += point == self.plan.point and self.plan.only in {"", what}
        number = self.counted
        append(self.record, f"{point} {self.passed[point]} {what}")
        if self.is_due(point, "freezes before", number):
            os.kill(os.getpid(), signal.SIGSTOP)
        if self.is_due(point, "dies before", number):
            self.end(point, what)
        try:
            return await act()
        finally:
            # Also after one that failed or was given up: otherwise the enumeration would end there.
            if self.is_due(point, "dies after", number):
                self.end(point, what)

    def end(self, point: Point, what: str) -> None:
        """Leave a word for the test, and be gone."""
        append(self.record, f"ended {point} {what}")
        os._exit(9)


def install(plan: Plan) -> None:
    """Wrap what the plan needs, and take pauses out that only politeness to Slack needs."""
    toll = Toll(plan)

    def counted(
        point: Point, named_by: Callable[..., str], applies: Callable[..., bool] = lambda *_: True
    ) -> Callable[[Function], Function]:
        def wrap(function: Function) -> Function:
            async def passing(*args: Any, **named: Any) -> object:
                if not applies(*args):
                    return await function(*args, **named)
                return await toll.around(point, named_by(*args, **named), lambda: function(*args, **named))

            return passing

        return wrap

    rewrap(SessionStore, "commit", counted("commit", kinds_in))
    rewrap(SessionStore, "push", counted("push", lambda *args, **named: str(named.get("kind") or args[3])))
    rewrap(runtime.agent.calling, "execute", counted("tool", lambda *args, **_: str(args[1].tool.name)))
    rewrap(AsyncWebClient, "api_call", counted("slack", lambda *args, **_: str(args[1]), writes))
    if plan.version:
        runtime.session.writer.READER_VERSION = plan.version
        bot.assembly.READER_VERSION = plan.version
    without_pauses()
    furnish(Path(plan.folder) / "ledger")


def kinds_in(*_: object, events: Sequence[str], **__: object) -> str:
    """What a commit holds."""
    return " ".join(json.loads(event)["kind"] for event in events)


def writes(_: AsyncWebClient, method: str, *__: object) -> bool:
    """Whether a method of Slack changes something."""
    return method.startswith(WRITES)


def without_pauses() -> None:
    """Nobody reads along."""
    rewrap(SharedPace, "take", lambda _: at_once)
    rewrap(SharedPace, "room", lambda _: no_wait)
    bot.delivery.poster.UPDATE_EVERY = 0.05
    bot.delivery.conversation.RETRY_AFTER = 0.1


async def at_once(*_: object, **__: object) -> bool:
    """A turn without a queue."""
    await asyncio.sleep(0)
    return True


async def no_wait(*_: object, **__: object) -> float:
    """Room for everything."""
    await asyncio.sleep(0)
    return 0.0


def furnish(ledger: Path) -> None:
    """A tool that pays, and no search for a sandbox."""

    def with_pay(builtin: Callable[..., Sequence[AnyTool]]) -> Callable[..., Sequence[AnyTool]]:
        def furnished(mounts: Sequence[Mount]) -> Sequence[AnyTool]:
            return (*builtin(mounts), Pay(ledger))

        return furnished

    async def no_probe(*_: object, **__: object) -> Contained:
        await asyncio.sleep(0)
        return Contained(reasons=(), fix="")

    rewrap(bot.assembly, "builtin_tools", with_pay)
    rewrap(bot.assembly, "choose", lambda _: no_probe)
