"""Every promise of the sandbox, tried out on one back-end. `doctor` runs it; so do the tests, on every one present."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from dataclasses import dataclass
from pathlib import Path

from tools.sandbox.checks import bounds, files, network, privileges, running
from tools.sandbox.checks.bench import Bench, Check, bench_for
from tools.sandbox.interpreter import RECORD
from tools.sandbox.port import Sandbox, SandboxUnavailable

AT_ONCE = 6
"""So many checks run side by side: most of them wait for a limit to strike."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """How one check went."""

    name: str
    promise: str
    problem: str = ""
    """Empty when the promise is kept."""

    @property
    def kept(self) -> bool:
        """Whether the back-end does what it promises."""
        return not self.problem


def checks_for(sandbox: Sandbox, data: Path) -> tuple[Check, ...]:
    """All checks that concern this back-end; packages only where the prepared environment exists."""
    every = (*running.CHECKS, *privileges.CHECKS, *files.CHECKS, *network.CHECKS, *bounds.CHECKS)
    chosen = tuple(check for check in every if sandbox.level.contains or not check.contained_only)
    return (*chosen, bounds.PACKAGES) if (data / RECORD).exists() else chosen


async def self_check(sandbox: Sandbox, *, data: Path) -> AsyncIterator[Finding]:
    """Try every promise, each finding as it is known; some seconds in all. Workspaces are made below `data`."""
    async with contextlib.aclosing(findings(sandbox, checks_for(sandbox, data), data=data)) as found:
        async for one in found:
            yield one


async def findings(sandbox: Sandbox, checks: Iterable[Check], *, data: Path) -> AsyncGenerator[Finding]:
    """Try some promises, a few at a time and each in a workspace of its own; those that count processes at the end."""
    places = asyncio.Semaphore(AT_ONCE)

    async def tried(check: Check) -> Finding:
        async with places:
            with bench_for(sandbox, data) as bench:
                return await finding(check, bench)

    chosen = tuple(checks)
    tasks = [asyncio.create_task(tried(check), name=f"check {check.name}") for check in chosen if not check.alone]
    try:
        for task in tasks:
            yield await task
    finally:
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
    for check in chosen:
        if check.alone:
            yield await tried(check)


async def finding(check: Check, bench: Bench) -> Finding:
    """Run one check; one that cannot be carried out has not been passed."""
    try:
        problem = await check.run(bench)
    except (OSError, ValueError, SandboxUnavailable) as error:
        problem = f"not carried out: {error}"
    return Finding(name=check.name, promise=check.promise, problem=problem)
