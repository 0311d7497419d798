"""Commands of the bot as processes of their own: run to their end, or serving until they are killed."""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import AsyncGenerator, Generator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.waiting import wait_until

ROOT = Path(__file__).parents[2]
STARTUP_SECONDS = 120.0
SETTINGS = (
    "SLACK_BOT_TOKEN SLACK_APP_TOKEN SLACK_SIGNING_SECRET SLACK_API_URL OPENAI_API_KEY OPENAI_BASE_URL OPENAI_MODEL "
    "REDIS_URL HANDRAIL_CONFIG HANDRAIL_DATA"
).split()


@pytest.fixture(scope="session")
def command_server() -> Generator["Launcher"]:
    """Starts commands, for the whole run."""
    with tempfile.TemporaryDirectory(prefix="handrail-commands-") as folder:
        path = Path(folder) / "socket"
        arguments = [sys.executable, "-m", "tests.support.command_server", str(path)]
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield Launcher(path)
            process.kill()


def clean_environment(**variables: str) -> dict[str, str]:
    """This process's environment with nothing in it that configures a bot, and these variables."""
    inherited = {name: value for name, value in os.environ.items() if name not in SETTINGS}
    return {**inherited, "PYTHONPATH": str(ROOT), **variables}


@dataclass(slots=True)
class Running:
    """One command while it lives."""

    pid: int
    wire: asyncio.StreamReader
    writer: asyncio.StreamWriter
    code: int | None = None

    def send(self, number: signal.Signals) -> None:
        """Send it a signal, unless it has ended."""
        with contextlib.suppress(ProcessLookupError):
            if self.code is None:
                os.kill(self.pid, number)

    async def end(self) -> int:
        """Its exit code, once it has ended."""
        if self.code is None:
            self.code = int(await self.wire.readline())
            self.writer.close()
            await self.writer.wait_closed()
        return self.code


@dataclass(frozen=True, slots=True)
class Launcher:
    """The way to the server that starts commands."""

    path: Path

    async def start(
        self, folder: Path, arguments: Sequence[str], environment: Mapping[str, str], *, err: Path, typed: str = ""
    ) -> Running:
        """Start a command; it prints to `out` in the folder, and reads what is typed."""
        (folder / "in").write_text(typed, encoding="utf-8")
        reader, writer = await asyncio.open_unix_connection(self.path)
        request = {
            "folder": str(folder),
            "arguments": list(arguments),
            "environment": dict(environment),
            "in": str(folder / "in"),
            "out": str(folder / "out"),
            "err": str(err),
        }
        writer.write(json.dumps(request).encode() + b"\n")
        await writer.drain()
        return Running(int(await reader.readline()), reader, writer)


@dataclass(slots=True, kw_only=True)
class Bot:
    """A bot that serves, over several lives."""

    launcher: Launcher
    folder: Path
    environment: Mapping[str, str]
    running: Running | None = field(default=None, repr=False)

    @property
    def log(self) -> str:
        """What it printed and logged so far, all lives together."""
        return (self.folder / "out").read_text(encoding="utf-8", errors="replace")

    async def start(self) -> None:
        """Start it and wait until it serves."""
        (self.folder / "out").touch()
        lives = self.log.count("\nserving ")
        arguments = ("serve", "--port", "0")
        self.running = await self.launcher.start(self.folder, arguments, self.environment, err=self.folder / "out")
        ending = asyncio.create_task(self.running.end(), name="end of a bot")

        def serves() -> bool:
            assert not ending.done(), self.log
            return self.log.count("\nserving ") > lives

        try:
            await wait_until("the bot serves", serves, within=STARTUP_SECONDS)
        finally:
            ending.cancel()
            await asyncio.wait({ending})

    async def kill(self) -> None:
        """End it as a power cut would."""
        if self.running is not None:
            self.running.send(signal.SIGKILL)
            await self.running.end()

    async def terminate(self) -> int:
        """Ask it to end; its exit code."""
        assert self.running is not None
        self.running.send(signal.SIGTERM)
        return await self.running.end()


@asynccontextmanager
async def serving(
    launcher: Launcher, folder: Path, environment: Mapping[str, str], settings: str = ""
) -> AsyncGenerator[Bot]:
    """A bot that serves; dead at the end, whatever happened."""
    (folder / "handrail.toml").write_text(settings, encoding="utf-8")
    bot = Bot(
        launcher=launcher,
        folder=folder,
        environment=clean_environment(**environment, HANDRAIL_DATA=str(folder / "data")),
    )
    try:
        await bot.start()
        yield bot
    finally:
        await bot.kill()


@dataclass(frozen=True, slots=True)
class Ended:
    """What a command left when it ended by itself."""

    code: int
    out: str
    err: str


@dataclass(frozen=True, slots=True)
class Shell:
    """Runs commands in a folder."""

    launcher: Launcher
    folder: Path

    async def run(
        self, *arguments: str, environment: Mapping[str, str] | None = None, typed: str = "", within: float = 120.0
    ) -> Ended:
        """Run a command to its end."""
        variables = clean_environment(**(environment or {}))
        err = self.folder / "err"
        running = await self.launcher.start(self.folder, arguments, variables, err=err, typed=typed)
        try:
            async with asyncio.timeout(within):
                code = await running.end()
        finally:
            running.send(signal.SIGKILL)
        return Ended(code, *((self.folder / name).read_text(encoding="utf-8") for name in ("out", "err")))
