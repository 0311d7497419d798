"""`python -m bot serve`: the bot in Socket Mode or over HTTP, worker included, until SIGTERM drains it."""

import argparse
import asyncio
import contextlib
import logging
import os
import socket
from collections.abc import AsyncGenerator, Sequence
from functools import partial

from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler

from bot.assembly import Core, facts_of, open_core, ticking
from bot.commands.draining import work
from bot.commands.serve_http import serve_http
from bot.commands.start import Start, StartProblem, run_command
from bot.commands.store_warnings import say_warnings
from bot.jobs import slack_jobs
from bot.slack_identity import check_app_token
from bot.slack_side import SlackSide, open_slack
from bot.slack_socket import silence, watched
from bot.web.health import health_server
from runtime.store.redis_store import SessionStore

log = logging.getLogger(__name__)
CLOSE_SECONDS = 5


def main(arguments: Sequence[str]) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m bot serve", description="Run the bot, worker included.")
    parser.add_argument("--host", default="127.0.0.1", help="address of /healthz, /readyz and /slack/events")
    parser.add_argument("--port", type=int, default=8080, help="its port; 0 takes a free one")
    options = parser.parse_args(arguments)
    return run_command(lambda start: serve(start, options.host, options.port))


async def serve(start: Start, host: str, port: int) -> int:
    """Serve until a signal asks to stop."""
    app_token = start.environment.slack_app_token
    if app_token is None and start.environment.slack_signing_secret is not None:
        return await serve_http(start, host, port)
    if app_token is None:
        raise StartProblem(
            "SLACK_APP_TOKEN is not set. `python -m bot init` prepares a workspace; `make demo` needs no Slack."
        )
    async with contextlib.AsyncExitStack() as stack:
        core = await stack.enter_async_context(open_core(start))
        slack = await stack.enter_async_context(open_slack(core))
        await check_app_token(slack.client, start.environment.slack_api_url, app_token.get_secret_value())
        ticker = await stack.enter_async_context(ticking(core.store, slack_jobs(core, slack.places)))
        worker = core.worker(slack.conversation)
        handler = await stack.enter_async_context(connected(slack, app_token.get_secret_value(), core.store))
        # An outage of Redis is no reason to begin anew; a ticker that died is.
        alive = {"ticker": ticker.silence}
        ready = {
            "ticker": ticker.unwell,
            "store": lambda: worker.outage,
            "socket": lambda: silence(handler),
        }
        address = await stack.enter_async_context(
            health_server(host, port, alive=alive, ready=ready, facts=partial(facts_of, core))
        )
        await say_warnings(core.store)
        announce(core, slack, address)
        await work(worker)
    return 0


@contextlib.asynccontextmanager
async def connected(
    slack: SlackSide, token: str, store: SessionStore | None = None
) -> AsyncGenerator[AsyncSocketModeHandler]:
    """The socket to Slack, watched over where a store is given.

    Closing is bounded: the client may wait for a connection that is gone.
    """
    handler = AsyncSocketModeHandler(slack.app, token)
    async with contextlib.AsyncExitStack() as stack:
        if store is not None:
            name = f"{socket.gethostname()}-{os.getpid()}"
            await stack.enter_async_context(watched(handler, store, token, name))
        await handler.connect_async()
        try:
            yield handler
        finally:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(CLOSE_SECONDS):
                    await handler.close_async()


def announce(core: Core, slack: SlackSide, address: str) -> None:
    """One line each for what is used, so that nobody has to guess."""
    print(f"sandbox: {core.sandbox.describe()}", flush=True)
    print(f"model: {core.model.name}", flush=True)
    print(f"store: {core.store.clients.shown_url}", flush=True)
    print(
        f"serving {slack.identity.team or slack.identity.team_id} as {slack.identity.user_id}; {address}/healthz",
        flush=True,
    )
