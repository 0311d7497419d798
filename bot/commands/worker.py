"""`python -m bot worker`: a further worker on the same Redis, with no connection for events of its own."""

import argparse
import contextlib
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from functools import partial

from bot.assembly import Core, facts_of, open_core, ticking
from bot.commands.draining import work
from bot.commands.serve_http import conversation_of, open_tenants
from bot.commands.start import Start, StartProblem, run_command
from bot.commands.store_warnings import say_warnings
from bot.jobs import SlackPlaces, slack_jobs
from bot.oauth.schedules import TenantPlaces
from bot.slack_side import open_slack
from bot.web.health import health_server
from runtime.ports import Conversation


def main(arguments: Sequence[str]) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m bot worker", description="Run a further worker.")
    parser.add_argument("--host", default="127.0.0.1", help="address of /healthz and /readyz")
    parser.add_argument("--port", type=int, default=None, help="their port; 0 takes a free one, absent serves none")
    options = parser.parse_args(arguments)
    return run_command(lambda start: run(start, options.host, options.port))


@dataclass(frozen=True, slots=True, kw_only=True)
class Workplace:
    """Whose threads are worked on."""

    name: str
    conversation: Conversation
    places: SlackPlaces


@contextlib.asynccontextmanager
async def open_workplace(core: Core) -> AsyncGenerator[Workplace]:
    """The workspace of SLACK_BOT_TOKEN; without it every workspace that installed the app.

    Raises:
        StartProblem: neither can be spoken to with what is set.
    """
    environment = core.start.environment
    if environment.slack_bot_token is None and environment.slack_client_id is not None:
        async with open_tenants(core.start, core) as (tenants, _):
            conversation = conversation_of(core.start, tenants)
            places = TenantPlaces(tenants=tenants)
            yield Workplace(name="every workspace that installed the app", conversation=conversation, places=places)
        return
    async with open_slack(core) as slack:
        name = slack.identity.team or slack.identity.team_id
        yield Workplace(name=name, conversation=slack.conversation, places=slack.places)


async def run(start: Start, host: str, port: int | None) -> int:
    """Work until a signal asks to stop."""
    if start.environment.redis_url is None:
        raise StartProblem("A further worker needs a Redis that it shares with `serve`: set REDIS_URL for both.")
    async with contextlib.AsyncExitStack() as stack:
        core = await stack.enter_async_context(open_core(start))
        work_at = await stack.enter_async_context(open_workplace(core))
        ticker = await stack.enter_async_context(ticking(core.store, slack_jobs(core, work_at.places)))
        worker, where = core.worker(work_at.conversation), ""
        if port is not None:
            ready = {"ticker": ticker.unwell, "store": lambda: worker.outage}
            pages = health_server(
                host, port, alive={"ticker": ticker.silence}, ready=ready, facts=partial(facts_of, core)
            )
            where = f"; {await stack.enter_async_context(pages)}/healthz"
        await say_warnings(core.store)
        print(f"working for {work_at.name}{where}", flush=True)
        await work(worker)
    return 0
