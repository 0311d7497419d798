"""`python -m bot worker`: a further worker on the same Redis, with no connection for events of its own."""

import argparse
import contextlib
from collections.abc import Sequence

from bot.assembly import open_core, ticking
from bot.commands.draining import work
from bot.commands.start import Start, StartProblem, run_command
from bot.jobs import slack_jobs
from bot.slack_side import open_slack


def main(arguments: Sequence[str]) -> int:
    """Run the command."""
    argparse.ArgumentParser(prog="python -m bot worker", description="Run a further worker.").parse_args(arguments)
    return run_command(run)


async def run(start: Start) -> int:
    """Work until a signal asks to stop."""
    if start.environment.redis_url is None:
        raise StartProblem("A further worker needs a Redis that it shares with `serve`: set REDIS_URL for both.")
    async with contextlib.AsyncExitStack() as stack:
        core = await stack.enter_async_context(open_core(start))
        slack = await stack.enter_async_context(open_slack(start, core.store))
        await stack.enter_async_context(ticking(core.store, slack_jobs(core, slack.places)))
        print(f"working for {slack.identity.team or slack.identity.team_id}", flush=True)
        await work(core.worker(slack.conversation))
    return 0
