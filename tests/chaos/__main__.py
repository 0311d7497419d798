"""`make chaos`: a storm of some minutes, then a table of what happened and whether every promise was kept."""

import argparse
import asyncio
import sys
import tempfile
from pathlib import Path

from tests.chaos.storm import Storm, storm


def table(counts: dict[str, int]) -> str:
    """Two columns."""
    width = max(map(len, counts))
    return "\n".join(f"{name:<{width}}  {number:>6}" for name, number in sorted(counts.items()))


async def main(seconds: float, replicas: int) -> int:
    """Blow, wait, judge; 1 when a promise was broken."""
    with tempfile.TemporaryDirectory(prefix="handrail-chaos-") as folder:
        async with storm(Path(folder), replicas=replicas) as raging:
            broken = await through(raging, seconds)
            print(table(raging.counts))
    for promise in broken:
        print(f"BROKEN {promise[:1000]}")
    return 1 if broken else 0


async def through(raging: Storm, seconds: float) -> list[str]:
    """The whole course of a storm; what was broken."""
    await raging.blow(seconds)
    await raging.calm()
    return await raging.judge()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="make chaos")
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--workers", type=int, default=3)
    options = parser.parse_args()
    sys.exit(asyncio.run(main(options.seconds, options.workers)))
