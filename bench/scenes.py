"""The same script played by Handrail, journal and policy included, and by a bare loop over the same client."""

import json
import tempfile
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import ClassVar

import aiohttp
from openai import AsyncOpenAI, DefaultAsyncHttpx2Client
from pydantic import JsonValue

from runtime.agent.context import AgentContext
from runtime.agent.manus import Manus
from runtime.budget.account import Account
from runtime.budget.ledger import Ledger
from runtime.engine.lease import Lease
from runtime.llm.careful import CarefulModel
from runtime.llm.openai_model import ModelOptions, OpenAIModel
from runtime.llm.prices import prices_of
from runtime.policy.engine import Policy
from runtime.session.events import MessageReceived, RunFinished, RunLimits, RunOutcome, RunStarted
from runtime.session.state import SessionState
from runtime.session.writer import SessionWriter
from runtime.settings import Settings
from runtime.settings_budget import BudgetSettings, PersonBudget, WorkspaceBudget
from runtime.store.redis_store import SessionStore
from tools.base import BaseTool, CallPreview, Effect, Params, PreparedCall, Risk, ToolResult
from tools.builtin.python_execute import PythonExecute, PythonExecuteParams
from tools.collection import ToolCollection, builtin_tools
from tools.context import ToolContext
from tools.sandbox.unavailable import Unavailable
from tools.workspace import Workspace

TASK = "Call the tool as often as it takes."
NO_DAY = Decimal(10**6)
SETTINGS = Settings(
    budget=BudgetSettings(person=PersonBudget(per_day_usd=NO_DAY), workspace=WorkspaceBudget(per_day_usd=NO_DAY))
)
"""The usual ones, but for limits of a day, which many runs in a row would reach."""
LIMITS = RunLimits(steps=1000, wall_ms=3_600_000, tokens=100_000_000, micros=10**9)
DIGITS = "\n".join(str(10_000 + number) for number in range(5_000))
"""30 kB of output."""


class Number(Params):
    """Which call it is."""

    n: int


class Noop(BaseTool[Number]):
    """Does nothing, so that what is measured is the framework."""

    name: ClassVar[str] = "noop"
    description: ClassVar[str] = "Do nothing."
    risk: ClassVar[Risk] = Risk.READ
    effect: ClassVar[Effect] = Effect.PURE
    params: ClassVar[type[Params]] = Number

    async def run(self, params: Number, context: ToolContext) -> ToolResult:
        """Answer at once."""
        return ToolResult(output=f"ok {params.n}")


class BigOut(PythonExecute):
    """Stands in for the interpreter, and says what the script's code would print."""

    async def prepare(self, params: PythonExecuteParams, context: ToolContext) -> PreparedCall:
        """Show the code."""
        return PreparedCall(preview=CallPreview(title="Run Python", body=params.code, language="python"))

    async def run(self, params: PythonExecuteParams, context: ToolContext) -> ToolResult:
        """Answer with 30 kB."""
        return ToolResult(output=f"{params.code.removeprefix('print(').partition(')')[0]}\n{DIGITS}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """One run of a script."""

    seconds: float
    busy_seconds: float
    """How long this process computed, which a busy machine changes far less than how long the run took."""
    stamps: tuple[float, ...]
    """When each step ended, in seconds that this process had computed by then."""
    requests: int
    least_identical: float
    bodies: tuple[str, ...]

    def milliseconds(self, step: int, around: int = 5) -> float:
        """The median time of the steps around one, so that one hiccup of the machine decides nothing."""
        times = [(after - before) * 1000 for before, after in zip((0.0, *self.stamps), self.stamps, strict=False)]
        near = sorted(times[max(0, step - around) : step + around])
        return near[len(near) // 2] if near else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Began:
    """When a run began, by the clock and by what this process had computed."""

    at: float = field(default_factory=time.perf_counter)
    busy: float = field(default_factory=time.process_time)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """What every scene needs."""

    model_url: str
    store: SessionStore
    http: aiohttp.ClientSession

    async def begin(self, calls: int, tool: str) -> None:
        """Load the script."""
        async with self.http.post(f"{self.model_url}/reset", json={"calls": calls, "tool": tool}) as response:
            await response.read()

    async def end(self, stamps: list[float], began: Began) -> Played:
        """What came of it."""
        seconds, busy = time.perf_counter() - began.at, time.process_time() - began.busy
        async with self.http.get(f"{self.model_url}/stats") as response:
            stats = json.loads(await response.read())
        return Played(
            seconds=seconds,
            busy_seconds=busy,
            stamps=tuple(stamp - began.busy for stamp in stamps),
            requests=stats["requests"],
            least_identical=stats["least_identical"],
            bodies=tuple(stats["bodies"]),
        )

    async def bare(self, calls: int, tool: str = "noop") -> Played:
        """The least that a loop over the same client can do: post a history that is kept serialised."""
        client = AsyncOpenAI(
            api_key="none",
            base_url=self.model_url,
            max_retries=0,
            http_client=DefaultAsyncHttpx2Client(trust_env=False),
        )
        tools = json.dumps(list(collection(tool).schemas()))
        head = f'{{"model":"bench","tools":{tools},"messages":['
        messages = [json.dumps({"role": "user", "content": TASK})]
        await self.begin(calls, tool)
        began, stamps = Began(), list[float]()
        async with client:
            while True:
                body = f"{head}{','.join(messages)}]}}".encode()
                text = await client.post("/chat/completions", cast_to=str, content=body)
                message: dict[str, JsonValue] = json.loads(text)["choices"][0]["message"]
                messages.append(json.dumps(message))
                call = json.loads(text)["choices"][0]["message"]["tool_calls"][0]
                if call["function"]["name"] == "terminate":
                    return await self.end(stamps, began)
                messages.append(json.dumps({"role": "tool", "tool_call_id": call["id"], "content": "ok"}))
                stamps.append(time.process_time())

    async def handrail(self, calls: int, tool: str = "noop", *, ledger: bool = False) -> Played:
        """The agent with its journal, its policy and, where asked for, the shared ledger."""
        name = f"TB:CB:{time.perf_counter_ns()}"
        async with self.at_work(name, tool, ledger=ledger) as context:
            await self.begin(calls, tool)
            began, stamps = Began(), list[float]()

            async def pause() -> bool:
                stamps.append(time.process_time())
                return False

            await Manus(context).run(pause)
            played = await self.end(stamps[1:], began)
            ended = context.session.state.run
            assert ended is not None
            assert ended.outcome is RunOutcome.ANSWERED, f"the run ended as {ended.outcome}: {ended.detail}"
            return played

    @asynccontextmanager
    async def at_work(self, name: str, tool: str, *, ledger: bool) -> AsyncGenerator[AgentContext]:
        """A session with a run that has just begun."""
        assert await self.store.push(name, "first", "message", "{}", urgent=False) == "ok"
        sent_at = time.monotonic()
        claimed = await self.store.claim("bench", 600_000, 1)
        assert claimed is not None
        lease = Lease.of(claimed, timedelta(minutes=10), sent_at)
        session = SessionWriter(self.store, lease, SessionState(session_id=name))
        await session.commit(
            MessageReceived(ts="1.0", user="U1", speaker="Ana (U1)", text=TASK, mentions_bot=True),
            RunStarted(run_id="r1", requester="U1", request_ts="1.0", agent="manus", model="bench", limits=LIMITS),
        )
        prices, policy = prices_of("bench", SETTINGS.model), Policy(rules=(), contains=True)
        account = Account(
            ledger=Ledger.beside(self.store), settings=SETTINGS, policy=policy, prices=prices, lease=lease
        )
        model = CarefulModel(OpenAIModel(ModelOptions(model="bench", base_url=self.model_url)))
        with tempfile.TemporaryDirectory() as folder:
            yield AgentContext(
                session=session,
                model=model,
                prices=prices,
                tools=collection(tool),
                policy=policy,
                settings=SETTINGS,
                workspace=Workspace(root=Path(folder)),
                sandbox=Unavailable(reasons=("none is needed",), fix=""),
                redact=str,
                account=account if ledger else None,
            )
        await model.aclose()
        run = session.state.active_run
        if run is not None:
            await session.commit(RunFinished(run_id=run.run_id, outcome=RunOutcome.STOPPED))
        await self.store.forget(name)


def collection(tool: str = "noop") -> ToolCollection:
    """What the product offers a model, and the tool of the script."""
    tools = ToolCollection(BigOut() if made.name == BigOut.name else made for made in builtin_tools())
    return tools if tool in tools else tools.with_tools([Noop()])
