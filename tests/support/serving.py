"""`python -m bot serve` as a process of its own, to be killed and started again."""

import asyncio
import os
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.waiting import wait_until

ROOT = Path(__file__).parents[2]
STARTUP_SECONDS = 60.0
SETTINGS = (
    "SLACK_BOT_TOKEN SLACK_APP_TOKEN SLACK_SIGNING_SECRET SLACK_API_URL OPENAI_API_KEY OPENAI_BASE_URL OPENAI_MODEL "
    "REDIS_URL HANDRAIL_CONFIG HANDRAIL_DATA"
).split()


def clean_environment(**variables: str) -> dict[str, str]:
    """This process's environment with nothing in it that configures a bot, and these variables."""
    inherited = {name: value for name, value in os.environ.items() if name not in SETTINGS}
    return {**inherited, "PYTHONPATH": str(ROOT), **variables}


@dataclass(slots=True, kw_only=True)
class Bot:
    """One command of the bot in a directory of its own."""

    folder: Path
    environment: Mapping[str, str]
    arguments: Sequence[str] = ("serve", "--port", "0")
    process: asyncio.subprocess.Process | None = field(default=None, repr=False)

    @property
    def log(self) -> str:
        """What it printed and logged so far, all lives together."""
        file = self.folder / "bot.log"
        return file.read_text(encoding="utf-8", errors="replace") if file.exists() else ""

    async def start(self) -> None:
        """Start it and wait until it serves."""
        lives = self.log.count("\nserving ")
        with (self.folder / "bot.log").open("ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "bot", *self.arguments, cwd=self.folder, env=dict(self.environment),
                stdin=asyncio.subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip
        process = self.process

        def serves() -> bool:
            assert process.returncode is None, self.log
            return self.log.count("\nserving ") > lives

        await wait_until("the bot serves", serves, within=STARTUP_SECONDS)

    async def kill(self) -> None:
        """End it as a power cut would."""
        if self.process is not None and self.process.returncode is None:
            self.process.kill()
            await self.process.wait()

    async def terminate(self) -> int:
        """Ask it to end; its exit code."""
        assert self.process is not None
        self.process.terminate()
        return await self.process.wait()


@asynccontextmanager
async def serving(folder: Path, environment: Mapping[str, str], settings: str = "") -> AsyncGenerator[Bot]:
    """A bot that serves; dead at the end, whatever happened."""
    (folder / "handrail.toml").write_text(settings, encoding="utf-8")
    bot = Bot(folder=folder, environment=clean_environment(**environment, HANDRAIL_DATA=str(folder / "data")))
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


async def ran(
    folder: Path, *arguments: str, environment: Mapping[str, str] | None = None, typed: str = "", within: float = 30.0
) -> Ended:
    """Run a command of the bot to its end."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bot", *arguments, cwd=folder, env=clean_environment(**(environment or {})),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        async with asyncio.timeout(within):
            out, err = await process.communicate(typed.encode())
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()
    assert process.returncode is not None
    return Ended(process.returncode, out.decode(), err.decode())
