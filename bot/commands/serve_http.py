"""`python -m bot serve` without an app token: Slack over HTTP, for one workspace or all that install it by OAuth."""

import contextlib
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urljoin

import aiohttp
from aiohttp import web
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.assembly import Core, facts_of, open_core, ticking
from bot.commands.draining import work
from bot.commands.start import Start, StartProblem
from bot.commands.store_warnings import say_warnings
from bot.home.forgetting import forget_team, stop_team
from bot.jobs import SlackPlaces, slack_jobs
from bot.oauth import pages as oauth_pages
from bot.oauth.conversation import TenantConversation
from bot.oauth.installations import Installations
from bot.oauth.pages import OAuthPages
from bot.oauth.schedules import TenantPlaces
from bot.oauth.surroundings import TenantOperators
from bot.oauth.tenants import Tenants
from bot.slack_side import open_slack
from bot.web import slack_http
from bot.web.health import health_server
from bot.web.slack_http import SlackHttp
from runtime.ports import Conversation


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpSide:
    """What serves Slack over HTTP."""

    conversation: Conversation
    routes: Sequence[web.RouteDef]
    places: SlackPlaces


@contextlib.asynccontextmanager
async def open_http(start: Start, core: Core) -> AsyncGenerator[HttpSide]:
    """One workspace where SLACK_BOT_TOKEN is set, else every workspace that installs the app.

    Raises:
        StartProblem: neither can be served with what is set.
    """
    environment = start.environment
    secret = environment.slack_signing_secret
    if secret is None:
        raise StartProblem("SLACK_SIGNING_SECRET is not set; it is under Basic Information of your Slack app.")
    if environment.slack_bot_token is None:
        async with open_tenants(start, core) as (tenants, pages):
            http = SlackHttp(secret=secret.get_secret_value(), app_of=tenants.app_of, observe=tenants.observe)
            routes = [*slack_http.routes(http), *oauth_pages.routes(pages)]
            yield HttpSide(
                conversation=conversation_of(start, tenants), routes=routes, places=TenantPlaces(tenants=tenants)
            )
        return
    async with open_slack(core) as side:

        async def only(team: str) -> AsyncApp | None:
            return side.app if team in side.identity.teams else None

        async def observe(_payload: Mapping[str, Any]) -> None:
            return

        http = SlackHttp(secret=secret.get_secret_value(), app_of=only, observe=observe)
        yield HttpSide(conversation=side.conversation, routes=slack_http.routes(http), places=side.places)


def conversation_of(start: Start, tenants: Tenants) -> TenantConversation:
    """All workspaces as one conversation."""
    operators = TenantOperators(tenants=tenants, place=start.settings.slack.operators_channel)
    return TenantConversation(tenants=tenants, operators=operators)


@contextlib.asynccontextmanager
async def open_tenants(start: Start, core: Core) -> AsyncGenerator[tuple[Tenants, OAuthPages]]:
    """The workspaces and the pages of their installation."""
    environment = start.environment
    client_id, secret = environment.slack_client_id, environment.slack_client_secret
    if client_id is None or secret is None:
        raise StartProblem(
            "Over HTTP set SLACK_BOT_TOKEN for one workspace, or SLACK_CLIENT_ID and SLACK_CLIENT_SECRET for "
            "installations by OAuth."
        )
    installations = Installations(core.store, secret.get_secret_value())
    workspaces = start.data / "workspaces"

    async def forget(team: str) -> int:
        return await forget_team(core.store, workspaces, team)

    async def stop(team: str, why: str) -> int:
        return await stop_team(core.store, team, why)

    tenants = Tenants(
        installations=installations,
        open_side=lambda token: open_slack(core, token),
        forget=forget,
        stop=stop,
    )
    async with contextlib.AsyncExitStack() as stack:
        session = await stack.enter_async_context(aiohttp.ClientSession())
        stack.push_async_callback(tenants.aclose)
        client = AsyncWebClient(base_url=urljoin(environment.slack_api_url, "./"), session=session, retry_handlers=[])
        yield (
            tenants,
            OAuthPages(
                store=core.store,
                installations=installations,
                tenants=tenants,
                client=client,
                client_id=client_id,
                client_secret=secret.get_secret_value(),
                api_url=environment.slack_api_url,
            ),
        )


async def serve_http(start: Start, host: str, port: int) -> int:
    """Serve until a signal asks to stop."""
    async with contextlib.AsyncExitStack() as stack:
        core = await stack.enter_async_context(open_core(start))
        side = await stack.enter_async_context(open_http(start, core))
        ticker = await stack.enter_async_context(ticking(core.store, slack_jobs(core, side.places)))
        worker = core.worker(side.conversation)
        alive = {"ticker": ticker.silence}
        ready = {"store": lambda: worker.outage}
        opened = health_server(host, port, alive=alive, ready=ready, more=side.routes, facts=partial(facts_of, core))
        address = await stack.enter_async_context(opened)
        await say_warnings(core.store)
        print(f"serving Slack at {address}/slack/events; {address}/healthz", flush=True)
        await work(worker)
    return 0
