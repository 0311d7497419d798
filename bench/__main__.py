"""`make bench`: a table for people and JSON for machines (`--json FILE`)."""

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

from bench.scenes import Bench, Played
from bench.tokens import counter, prompt_tokens
from runtime.store.embedded import start_embedded
from runtime.store.redis_store import SessionStore

OPENMANUS = {"noop20": 26_796 + 34_629, "bigout20": 1_072_596 + 33_537}
"""Prompt tokens, messages and tool schemas, of OpenManus (2026-01) on the same scripts, by cl100k."""
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


async def best(play: Callable[[], Awaitable[Played]], times: int) -> Played:
    """The median run."""
    played = [await play() for _ in range(times)]
    middle = statistics.median_low([run.seconds for run in played])
    return next(run for run in played if run.seconds == middle)


async def measured(rounds: int) -> dict[str, object]:
    """Every figure."""
    count, by = counter()
    async with opened() as bench:
        await bench.bare(5)
        await bench.handrail(5)
        short, short_bare = await best(lambda: bench.handrail(20), rounds), await best(lambda: bench.bare(20), rounds)
        long, bare = await best(lambda: bench.handrail(200), rounds), await best(lambda: bench.bare(200), rounds)
        booked = await best(lambda: bench.handrail(200, ledger=True), rounds)
        big = await bench.handrail(20, "bigout")
    tokens = {"noop20": prompt_tokens(short.bodies, count), "bigout20": prompt_tokens(big.bodies, count)}
    return {
        "tokens_by": by,
        "runs": {
            "20 calls": row(short),
            "20 calls, bare loop": row(short_bare),
            "200 calls": row(long),
            "200 calls with ledger": row(booked),
            "200 calls, bare loop": row(bare),
            "20 calls of 30 kB": row(big),
        },
        "prompt_tokens": tokens,
        "of_openmanus": {name: round(value / OPENMANUS[name], 3) for name, value in tokens.items()},
        "times_bare": round(long.seconds / bare.seconds, 2),
        "step_200_to_10": round(long.milliseconds(195) / long.milliseconds(10), 2),
        "least_identical": round(min(short.least_identical, long.least_identical, big.least_identical), 4),
    }


def row(run: Played) -> Mapping[str, float]:
    """One line of the table."""
    return {
        "seconds": round(run.seconds, 3),
        "requests": run.requests,
        "ms at step 10": round(run.milliseconds(10), 2),
        "ms at the end": round(run.milliseconds(len(run.stamps) - 5), 2),
        "least identical": round(run.least_identical, 4),
    }


def table(figures: Mapping[str, Any]) -> str:
    """For people."""
    runs: Mapping[str, Mapping[str, Any]] = figures["runs"]
    lines = [f"{'run':26}{'seconds':>9}{'requests':>10}{'ms step 10':>12}{'ms at end':>11}{'identical':>11}"]
    lines += [
        f"{name:26}{line['seconds']:>9}{line['requests']:>10}{line['ms at step 10']:>12}{line['ms at the end']:>11}"
        f"{line['least identical']:>11}"
        for name, line in runs.items()
    ]
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
    parser.add_argument("--rounds", type=int, default=3, help="runs of each kind; the median counts")
    arguments = parser.parse_args()
    figures = asyncio.run(measured(arguments.rounds))
    print(table(figures))
    print()
    for name, value, goal, met in verdicts(figures):
        print(f"{'met    ' if met else 'not met'}  {name}: {value:g} (goal {goal:g})")
    print(f"\nTokens by {figures['tokens_by']}.")
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
