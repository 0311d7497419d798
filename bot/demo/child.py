"""A process of the demo: started, waited for, ended or killed; what it prints goes to a log file."""

import asyncio
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from bot.demo.places import CHECKOUT, DemoError

READY_SECONDS = 60.0
GRACE_SECONDS = 15.0
"""How long a process may take to end when asked."""


@dataclass(slots=True, kw_only=True)
class Child:
    """One program of this project and, while it runs, its process."""

    name: str
    arguments: Sequence[str]
    """What follows `python -m`."""
    environment: Mapping[str, str]
    log: Path
    lock: int = -1
    """A descriptor that the process keeps open while it lives; -1 for none."""
    process: asyncio.subprocess.Process | None = field(default=None, repr=False)

    @property
    def is_running(self) -> bool:
        """True while the process lives."""
        return self.process is not None and self.process.returncode is None

    async def start(self) -> None:
        """Start it, in a process group of its own so that Ctrl-C reaches it only through us.

        Raises:
            DemoError: the log cannot be written or the program not be started.
        """
        if self.is_running:
            return
        try:
            with self.log.open("ab") as log:
                self.process = await asyncio.create_subprocess_exec(
                    sys.executable,
                    "-m",
                    *self.arguments,
                    cwd=CHECKOUT,
                    env=self.environment,
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                    pass_fds=() if self.lock < 0 else (self.lock,),
                )
            self.log.with_suffix(".pid").write_text(f"{self.process.pid}\n", encoding="utf-8")
        except OSError as error:
            raise DemoError(f"{self.name} could not be started: {error.strerror or error}.") from error

    async def start_until(self, word: str) -> str:
        """Start it and return what it prints after `word`, the beginning of its line of readiness.

        Raises:
            DemoError: it ended or stayed silent instead.
        """
        before = self.log.stat().st_size if self.log.exists() else 0
        await self.start()
        try:
            async with asyncio.timeout(READY_SECONDS):
                while True:
                    for line in self.printed(before).splitlines(keepends=True):
                        if line.startswith(f"{word} ") and line.endswith("\n"):
                            return line.removeprefix(word).strip()
                    self.must_run()
                    await asyncio.sleep(0.02)
        except TimeoutError:
            raise DemoError(f"{self.name} was not ready within {READY_SECONDS:g} s; see {self.log}.") from None

    def printed(self, since: int = 0) -> str:
        """What it has printed so far, from an offset in the log."""
        with self.log.open("rb") as log:
            log.seek(since)
            return log.read().decode(errors="replace")

    def must_run(self) -> None:
        """Check that it lives.

        Raises:
            DemoError: it does not; the sentence holds its last words.
        """
        if not self.is_running:
            last = self.printed().strip().rpartition("\n")[2][:300] or "it said nothing"
            raise DemoError(f"{self.name} ended at once: {last} (log: {self.log})")

    async def kill(self) -> None:
        """End it without warning, as `kill -9` does, with everything in its group."""
        await self.end_by(signal.SIGKILL)

    async def stop(self) -> None:
        """Ask it to end; kill it when it does not."""
        try:
            async with asyncio.timeout(GRACE_SECONDS):
                await self.end_by(signal.SIGTERM)
        except TimeoutError:
            await self.kill()

    async def end_by(self, number: signal.Signals) -> None:
        """Send a signal and wait for the end."""
        process = self.process
        if process is None or process.returncode is not None:
            return
        with suppress(ProcessLookupError):
            if number is signal.SIGKILL:
                os.killpg(process.pid, number)
            else:
                process.send_signal(number)
        await process.wait()
