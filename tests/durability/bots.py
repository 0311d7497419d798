"""Bot processes as a test holds them: started by the zygote, watched for their end, dead when the test is over."""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.durability.plan import SPEAKING, Plan
from tests.waiting import wait_until

ROOT = Path(__file__).parents[2]
STARTUP_SECONDS = 120.0


@dataclass(slots=True, kw_only=True)
class Bot:
    """One bot process."""

    pid: int
    plan: Plan
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    code: int = 0

    @property
    def log(self) -> str:
        """What it printed and logged."""
        log = Path(self.plan.folder) / "log"
        return log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""

    def passed(self, point: str) -> int:
        """How many points of a kind it reached."""
        toll = Path(self.plan.folder) / "toll"
        lines = toll.read_text(encoding="utf-8").splitlines() if toll.exists() else []
        return sum(line.startswith(f"{point} ") for line in lines)

    @property
    def died_at(self) -> tuple[str, frozenset[str]]:
        """The kind of the point that was its end, and what that was."""
        lines = (Path(self.plan.folder) / "toll").read_text(encoding="utf-8").splitlines()
        ended = next(line for line in lines if line.startswith("ended "))
        _, point, *what = ended.split()
        return point, frozenset(what)

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal, unless it has ended."""
        if not self.ended.is_set():
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    async def kill(self) -> None:
        """End it at once, and wait until it is gone."""
        self.signal(signal.SIGKILL)
        await self.ended.wait()

    async def is_frozen(self) -> bool:
        """Whether it has stopped itself."""
        assert not self.ended.is_set(), self.log
        stat = Path(f"/proc/{self.pid}/stat")
        return stat.exists() and stat.read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "T"

    @property
    def is_speaking(self) -> bool:
        """Whether it has a call of Slack under way; certain of a process that is stopped."""
        mark = Path(self.plan.folder) / SPEAKING
        return mark.exists() and mark.read_bytes() not in {b"", b"\0"}

    async def freeze(self) -> None:
        """Stop it where it says nothing to Slack.

        One that has looked at its lease and not yet written to its socket will write when it wakes, whatever happened
        meanwhile; docs/reliability.md says so.
        """
        while not self.ended.is_set():
            self.signal(signal.SIGSTOP)
            await wait_until(f"bot {self.pid} stops", self.has_stopped, within=60)
            if self.ended.is_set() or not self.is_speaking:
                return
            self.signal(signal.SIGCONT)
            await asyncio.sleep(0.002)

    async def has_stopped(self) -> bool:
        """Whether it is frozen, or gone."""
        return self.ended.is_set() or await self.is_frozen()

    async def is_serving(self) -> bool:
        """Whether it has announced itself."""
        assert not self.ended.is_set(), self.log
        return any(word in self.log for word in ("serving ", "working for "))


class Zygote:
    """The process that forks bots. Make it with `zygote`."""

    def __init__(self, requests: int, said: asyncio.StreamReader) -> None:
        self.requests = requests
        self.said = said
        self.bots: dict[int, Bot] = {}
        self.early: dict[int, int] = {}
        self.started: asyncio.Queue[int] = asyncio.Queue()

    async def start(self, plan: Plan) -> Bot:
        """A bot with this fate."""
        Path(plan.folder).mkdir(parents=True, exist_ok=True)
        os.write(self.requests, plan.model_dump_json().encode() + b"\n")
        pid = await self.started.get()
        bot = self.bots[pid] = Bot(pid=pid, plan=plan)
        if pid in self.early:
            bot.code = self.early.pop(pid)
            bot.ended.set()
        return bot

    async def start_serving(self, plan: Plan) -> Bot:
        """The same, once it is at work."""
        bot = await self.start(plan)
        await wait_until(f"bot {bot.pid} serves; its log is in {plan.folder}", bot.is_serving, within=STARTUP_SECONDS)
        return bot

    async def listen(self) -> None:
        """Take note of what the zygote says."""
        async for line in self.said:
            said = json.loads(line)
            if "started" in said:
                self.started.put_nowait(said["started"])
            elif "ended" in said:
                bot = self.bots.get(said["ended"])
                if bot is None:
                    self.early[said["ended"]] = said["code"]
                else:
                    bot.code = said["code"]
                    bot.ended.set()

    async def kill_all(self) -> None:
        """End every bot that still lives."""
        for bot in self.bots.values():
            bot.signal(signal.SIGKILL)
        for bot in self.bots.values():
            await bot.ended.wait()
        self.bots.clear()


def spawned() -> subprocess.Popen[bytes]:
    """A zygote's process, ready to fork; whoever starts it ends it with `put_down`."""
    command = [sys.executable, "-m", "tests.durability.zygote"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, cwd=ROOT)
    assert process.stdout is not None
    line = process.stdout.readline()
    assert b"ready" in line, line
    return process


def put_down(process: subprocess.Popen[bytes]) -> None:
    """End a zygote whose bots are dead."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.close()
    process.wait()
    process.stdout.close()


@asynccontextmanager
async def attached(process: subprocess.Popen[bytes]) -> AsyncGenerator[Zygote]:
    """A zygote's process in the hands of one event loop; its bots are dead afterwards."""
    assert process.stdin is not None
    assert process.stdout is not None
    said = asyncio.StreamReader()
    # A copy, since the transport closes what it reads from.
    copy = os.fdopen(os.dup(process.stdout.fileno()), "rb", buffering=0)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(said), copy)
    made = Zygote(process.stdin.fileno(), said)
    listening = asyncio.create_task(made.listen(), name="zygote")
    try:
        yield made
    finally:
        await made.kill_all()
        transport.close()
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)


@asynccontextmanager
async def zygote() -> AsyncGenerator[Zygote]:
    """A zygote of its own."""
    process = await asyncio.to_thread(spawned)
    try:
        async with attached(process) as made:
            yield made
    finally:
        await asyncio.to_thread(put_down, process)
