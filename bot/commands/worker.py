"""`python -m bot worker`: a further worker on the same Redis, with no connection for events of its own."""

import argparse
import contextlib
from collections.abc import Sequence
from functools import partial

from bot.assembly import facts_of, open_core, ticking
from bot.commands.draining import work
from bot.commands.start import Start, StartProblem, run_command
from bot.commands.store_warnings import say_warnings
from bot.jobs import slack_jobs
from bot.slack_side import open_slack
from bot.web.health import health_server


def main(arguments: Sequence[str]) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m bot worker", description="Run a further worker.")
    parser.add_argument("--host", default="127.0.0.1", help="address of /healthz and /readyz")
    parser.add_argument("--port", type=int, default=None, help="their port; 0 takes a free one, absent serves none")
    options = parser.parse_args(arguments)
    return run_command(lambda start: run(start, options.host, options.port))


async def run(start: Start, host: str, port: int | None) -> int:
    """Work until a signal asks to stop."""
    if start.environment.redis_url is None:
        raise StartProblem("A further worker needs a Redis that it shares with `serve`: set REDIS_URL for both.")
    async with contextlib.AsyncExitStack() as stack:
        core = await stack.enter_async_context(open_core(start))
        slack = await stack.enter_async_context(open_slack(core))
        ticker = await stack.enter_async_context(ticking(core.store, slack_jobs(core, slack.places)))
        worker, where = core.worker(slack.conversation), ""
        if port is not None:
            ready = {"ticker": ticker.unwell, "store": lambda: worker.outage}
            pages = health_server(
                host, port, alive={"ticker": ticker.silence}, ready=ready, facts=partial(facts_of, core)
            )
            where = f"; {await stack.enter_async_context(pages)}/healthz"
        await say_warnings(core.store)
        print(f"working for {slack.identity.team or slack.identity.team_id}{where}", flush=True)
        await work(worker)
    return 0
