"""`make bench`: a table for people and JSON for machines (`--json FILE`)."""

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import aiohttp

from bench.scenes import Bench, Played
from bench.tokens import counter, prompt_tokens
from runtime.agent.offering import described
from runtime.schedule.desk import Desk
from runtime.schedule.store import Schedules
from runtime.store.connection import connect
from runtime.store.embedded import start_embedded
from runtime.store.keys import Keys
from runtime.store.redis_store import SessionStore
from tools.builtin.schedule import ScheduleTool
from tools.builtin.slack_read import SlackRead
from tools.builtin.web_fetch import WebFetch
from tools.builtin.web_search import WebSearch
from tools.collection import ToolCollection
from tools.web.addresses import Guard

OPENMANUS = {"noop20": 26_796 + 34_629, "bigout20": 1_072_596 + 33_537}
"""Prompt tokens, messages and tool schemas, of OpenManus (2026-01) on the same scripts, by its own count."""
GOALS = {"noop20": 0.45, "bigout20": 0.12}
SECONDS_FOR_200 = 1.0
TIMES_BARE = 2.5
STEP_200_TO_10 = 1.5
IDENTICAL = 0.98


@asynccontextmanager
async def opened() -> AsyncGenerator[Bench]:
    """A model server of its own, an embedded store of its own."""
    command = [sys.executable, "-m", "bench.model_server"]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # noqa: ASYNC220 - before anything runs
    assert server.stdin is not None
    assert server.stdout is not None
    port = int(server.stdout.readline())
    with tempfile.TemporaryDirectory() as folder:
        embedded = start_embedded(Path(folder) / "store")
        store = await SessionStore.open(embedded.url)
        try:
            async with aiohttp.ClientSession() as http:
                yield Bench(model_url=f"http://127.0.0.1:{port}", store=store, http=http)
        finally:
            await store.aclose()
            embedded.close()
            server.stdin.close()
            server.wait()
            server.stdout.close()


def median(runs: Sequence[Played]) -> Played:
    """The middle one."""
    return sorted(runs, key=lambda run: run.seconds)[(len(runs) - 1) // 2]


async def measured(rounds: int) -> dict[str, object]:
    """Every figure. Each run stands beside one of the bare loop, so that what else the machine does falls on both."""
    count, by = counter()
    async with opened() as bench:
        await bench.bare(5)
        await bench.handrail(5)
        short = [(await bench.handrail(20), await bench.bare(20)) for _ in range(rounds)]
        long = [(await bench.handrail(200), await bench.bare(200)) for _ in range(rounds)]
        booked = [await bench.handrail(200, ledger=True) for _ in range(rounds)]
        big = await bench.handrail(20, "python_execute")
    tokens = {
        "noop20": prompt_tokens(short[0][0].bodies, count),
        "bigout20": prompt_tokens(big.bodies, count),
    }
    middle = median([ours for ours, _ in long])
    return {
        "tokens_by": by,
        "runs": {
            "20 calls": row(median([ours for ours, _ in short])),
            "20 calls, bare loop": row(median([bare for _, bare in short])),
            "200 calls": row(middle),
            "200 calls with ledger": row(median(booked)),
            "200 calls, bare loop": row(median([bare for _, bare in long])),
            "20 calls of 30 kB": row(big),
        },
        "prompt_tokens": tokens,
        "further_tools_per_request": further_tools(count),
        "of_openmanus": {name: round(value / OPENMANUS[name], 3) for name, value in tokens.items()},
        "times_bare": round(statistics.median(ours.seconds / bare.seconds for ours, bare in long), 2),
        "times_bare_busy": round(statistics.median(ours.busy_seconds / bare.busy_seconds for ours, bare in long), 2),
        "step_200_to_10": round(
            statistics.median(ours.milliseconds(195) / ours.milliseconds(10) for ours, _ in long), 2
        ),
        "least_identical": round(min(run.least_identical for run in (short[0][0], middle, big)), 4),
    }


def further_tools(count: Callable[[str], int]) -> dict[str, int]:
    """What the tools cost in each request that the scripts do without: OpenManus has none for these either."""
    # Nothing is asked of the desk, so its store is never connected to.
    store = SessionStore(connect("redis://127.0.0.1"), Keys(namespace="bench", partitions=1))
    desk = Desk(sessions=store, schedules=Schedules.beside(store), zone="UTC")
    tools = ToolCollection([WebSearch(()), WebFetch(Guard(frozenset())), SlackRead(), ScheduleTool(desk)])
    described_tools = cast("list[object]", json.loads(described(tools)))
    return {name: count(str(tool)) for name, tool in zip(tools.names, described_tools, strict=True)}


def row(run: Played) -> Mapping[str, float]:
    """One line of the table."""
    return {
        "seconds": round(run.seconds, 3),
        "computing": round(run.busy_seconds, 3),
        "requests": run.requests,
        "ms at step 10": round(run.milliseconds(10), 2),
        "ms at the end": round(run.milliseconds(len(run.stamps) - 5), 2),
        "least identical": round(run.least_identical, 4),
    }


def table(figures: Mapping[str, Any]) -> str:
    """For people."""
    runs: Mapping[str, Mapping[str, Any]] = figures["runs"]
    columns = list(next(iter(runs.values())))
    lines = [f"{'run':24}" + "".join(f"{column:>16}" for column in columns)]
    lines += [f"{name:24}" + "".join(f"{line[column]:>16}" for column in columns) for name, line in runs.items()]
    return "\n".join(lines)


def verdicts(figures: Mapping[str, Any]) -> list[tuple[str, float, float, bool]]:
    """Each goal: its name, what was measured, what is wanted, whether it is met."""
    runs: Mapping[str, Mapping[str, Any]] = figures["runs"]
    tokens: Mapping[str, Any] = figures["of_openmanus"]
    upper: list[tuple[str, Any, float]] = [
        ("200 calls, seconds", runs["200 calls"]["seconds"], SECONDS_FOR_200),
        ("200 calls, times the bare loop", figures["times_bare"], TIMES_BARE),
        ("step 200, times step 10", figures["step_200_to_10"], STEP_200_TO_10),
        ("prompt tokens of noop20, share of OpenManus", tokens["noop20"], GOALS["noop20"]),
        ("prompt tokens of bigout20, share of OpenManus", tokens["bigout20"], GOALS["bigout20"]),
    ]
    identical = float(str(figures["least_identical"]))
    met = [(name, float(str(value)), goal, float(str(value)) <= goal) for name, value, goal in upper]
    return [*met, ("leading bytes identical, at least", identical, IDENTICAL, identical >= IDENTICAL)]


def main() -> None:
    """Measure and tell."""
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--rounds", type=int, default=9, help="runs of each kind; the median counts")
    arguments = parser.parse_args()
    figures = asyncio.run(measured(arguments.rounds))
    print(table(figures))
    print()
    for name, value, goal, met in verdicts(figures):
        print(f"{'met    ' if met else 'not met'}  {name}: {value:g} (goal {goal:g})")
    further = ", ".join(f"{name} {tokens}" for name, tokens in further_tools(counter()[0]).items())
    print(f"\nComputing alone, 200 calls took {figures['times_bare_busy']} times the bare loop.")
    print(f"Tokens by {figures['tokens_by']}. Each request of the usual set-up also tells of: {further}.")
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
