"""How soon people see that they were heard: `python -m bench.first_sign [COUNT]`, fifty mentions at once by default.

A whole bot against the local Slack with Slack's limits enforced. The sign is the reaction on each message, as the
local Slack has recorded it; a refusal because of a rate is counted. Figures, not a test: they are this machine's.
"""

import argparse
import asyncio
import contextlib
import json
import statistics
import time

from runtime.store.embedded import start_embedded
from tests.support.model import say
from tests.support.slack import local_slack
from tests.support.stage import BOT, DATA, passable_folder, staged

ROOM = """
[budget.person]
per_day_usd = 1000
[budget.workspace]
per_day_usd = 1000
[fair]
runs_per_person = 100
runs_per_channel = 100
requests_per_person = 1000
requests_per_channel = 1000
"""


async def measured(count: int) -> dict[str, object]:
    """Send so many mentions at once and look at when each was answered with a sign."""
    async with contextlib.AsyncExitStack() as stack:
        folder = await stack.enter_async_context(passable_folder())
        embedded = start_embedded(folder / "store")
        stack.callback(embedded.close)
        slack = await stack.enter_async_context(local_slack(folder, None))
        turns = [say(f"Answer {number}.") for number in range(count)]
        stage = await stack.enter_async_context(staged(slack, embedded.url, turns, settings=ROOM))
        await slack.configure(rate_limits="slack")
        begun = time.time()  # noqa: TID251 - compared with the local Slack's own record of the same clock
        sent = await asyncio.gather(*(stage.ana.send(DATA, f"{BOT} number {n}") for n in range(count)))
        signs: dict[str, float] = {}
        while len(signs) < count:
            made = await slack.calls("reactions.add")
            signs = {str(item["args"]["timestamp"]): float(item["at"]) for item in made if item["ok"]}
            await asyncio.sleep(0.2)
        calls = await slack.calls()
        waits = sorted(signs[message.ts] - max(begun, float(message.ts)) for message in sent)
        first_request = min((float(item["at"]) for item in calls if item["method"] == "chat.postMessage"), default=0.0)
        for message in sent:
            await stage.answer(message, within=600)
        refused = [item["method"] for item in await slack.calls() if item["error"] == "ratelimited"]
    return {
        "mentions": count,
        "median_s": round(statistics.median(waits), 3),
        "p95_s": round(waits[int(0.95 * (count - 1))], 3),
        "slowest_s": round(waits[-1], 3),
        "signs_before_first_post": sum(at < first_request for at in signs.values()),
        "rate_limit_errors": len(refused),
    }


def main() -> int:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", nargs="?", type=int, default=50)
    print(json.dumps(asyncio.run(measured(parser.parse_args().count)), indent=2))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
