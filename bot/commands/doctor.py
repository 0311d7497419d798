"""`python -m bot doctor`: checks every part that serving needs, and says how to fix what is wrong."""

import argparse
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient

from bot.assembly import check_default_agent, open_store, reachable
from bot.commands.explain import add_options, explain
from bot.commands.mcp_health import mcp_findings
from bot.commands.model_health import model_findings
from bot.commands.start import Start, StartProblem, run_command
from bot.delivery.calls import call
from bot.delivery.errors import DeliveryError
from bot.sandbox import wanted_sandbox
from bot.scopes import optional_scopes, required_scopes
from bot.slack_identity import check_app_token, who_am_i
from runtime.settings_base import SettingsError
from runtime.store.checks import warnings
from runtime.store.errors import StoreError
from tools.mounts import Mount, MountUnusable, prepare_workspace
from tools.sandbox.interpreter import reachable as reachable_for
from tools.sandbox.port import Level
from tools.sandbox.probe import choose, owner_for
from tools.sandbox.self_check import self_check


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One line of the report."""

    part: str
    ok: bool
    text: str
    """What was found and, where it is wrong, what to do."""


def main(arguments: Sequence[str]) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m bot doctor", description="Check everything that serving needs.")
    add_options(parser)
    options = parser.parse_args(arguments)
    if options.explain:
        return run_command(lambda start: explain(start, options))
    return run_command(doctor)


async def doctor(start: Start) -> int:
    """Print a line per finding; 1 when anything is wrong."""
    healthy = True
    for examine in (settings, slack, redis, models, sandbox, mounts, mcp_servers):
        async for finding in examine(start):
            healthy &= finding.ok
            print(f"{'ok ' if finding.ok else 'FIX'}  {finding.part}: {finding.text}", flush=True)
    return 0 if healthy else 1


async def settings(start: Start) -> AsyncIterator[Finding]:
    """Reading them has already succeeded; whether there is the agent that they name is seen here."""
    try:
        check_default_agent(start)
    except SettingsError as error:
        yield Finding(part="settings", ok=False, text=str(error))
        return
    where = start.environment.config or "handrail.toml where there is one, else defaults"
    yield Finding(part="settings", ok=True, text=f"read from {where}; data in {start.data}")


async def slack(start: Start) -> AsyncIterator[Finding]:
    """Both tokens and the granted scopes."""
    bot_token, app_token = start.environment.slack_bot_token, start.environment.slack_app_token
    if bot_token is None or app_token is None:
        missing = "SLACK_BOT_TOKEN" if bot_token is None else "SLACK_APP_TOKEN"
        yield Finding(part="slack", ok=False, text=f"{missing} is not set. Run `python -m bot init`.")
        return
    url = start.environment.slack_api_url
    async with aiohttp.ClientSession() as http:
        client = AsyncWebClient(token=bot_token.get_secret_value(), base_url=url, session=http, retry_handlers=[])
        try:
            identity = await who_am_i(client, url)
            yield Finding(part="slack bot token", ok=True, text=f"{identity.user_id} in {identity.team}")
            yield scopes(await granted(client))
            await check_app_token(client, url, app_token.get_secret_value())
            yield Finding(part="slack app token", ok=True, text="Socket Mode connections can be opened")
        except StartProblem as error:
            yield Finding(part="slack", ok=False, text=str(error))


async def granted(client: AsyncWebClient) -> frozenset[str] | None:
    """The scopes of the token as Slack's answer headers name them; None where it does not."""
    try:
        reply: Any = await call(client, "auth_test")
    except DeliveryError:
        return None
    headers: Mapping[str, str] = {str(key).lower(): str(value) for key, value in reply.headers.items()}
    named = headers.get("x-oauth-scopes")
    return frozenset(part.strip() for part in named.split(",")) if named else None


def scopes(found: frozenset[str] | None) -> Finding:
    """Granted against needed."""
    if found is None:
        return Finding(part="slack scopes", ok=True, text="Slack's answer does not name them; not compared")
    missing = sorted(required_scopes() - found)
    if missing:
        text = f"missing {', '.join(missing)}. Apply manifest.yml to the app and install it again."
        return Finding(part="slack scopes", ok=False, text=text)
    declined, more = sorted(optional_scopes() - found), sorted(found - required_scopes() - optional_scopes())
    parts = [f"declined: {', '.join(declined)} (docs/scopes.md says what is lost)"] if declined else []
    parts += [f"more than manifest.yml asks for: {', '.join(more)}"] if more else []
    text = f"all {len(required_scopes())} needed are granted; {'; '.join(parts) or 'exactly those of manifest.yml'}"
    return Finding(part="slack scopes", ok=True, text=text)


async def redis(start: Start) -> AsyncIterator[Finding]:
    """The store, and what about its server would lose data."""
    try:
        async with open_store(start) as store:
            yield Finding(part="redis", ok=True, text=f"answers at {store.clients.shown_url}")
            for warning in await warnings(store):
                yield Finding(part="redis", ok=False, text=warning)
    except StoreError as error:
        yield Finding(part="redis", ok=False, text=str(error))


async def models(start: Start) -> AsyncIterator[Finding]:
    """Each profile is asked by itself."""
    async for part, ok, text in model_findings(start):
        yield Finding(part=part, ok=ok, text=text)


async def sandbox(start: Start) -> AsyncIterator[Finding]:
    """The level, then every check that a back-end must pass."""
    data = start.data / "workspaces"
    reachable(data)
    chosen = await choose(wanted_sandbox(start), data=data)
    contained = chosen.level not in {Level.NONE, Level.UNSAFE_LOCAL}
    yield Finding(part="sandbox", ok=contained, text=chosen.describe())
    if not contained:
        return
    kept = 0
    async for found in self_check(chosen, data=data):
        kept += found.kept
        if not found.kept:
            yield Finding(part=f"sandbox {found.name}", ok=False, text=found.problem)
    yield Finding(part="sandbox self-check", ok=True, text=f"{kept} checks passed")


async def mounts(start: Start) -> AsyncIterator[Finding]:
    """Each mount can be copied."""
    for mount in start.settings.workspace.mounts:
        with tempfile.TemporaryDirectory() as scratch:
            try:
                prepare_workspace(Path(scratch) / "try", [Mount(name=mount.name, path=mount.path)], owner_for("try"))
            except MountUnusable as error:
                yield Finding(part=f"mount {mount.name}", ok=False, text=str(error))
                continue
            text = f"{mount.path} can be copied"
            if not reachable_for(mount.path.resolve(), owner_for("try")):
                text += (
                    "; code in the sandbox sees the copy only, as its user may not pass every directory up "
                    "to the original. To show it too, let others enter these and read it (chmod o+rx)"
                )
            yield Finding(part=f"mount {mount.name}", ok=True, text=text)


async def mcp_servers(start: Start) -> AsyncIterator[Finding]:
    """Each server is started once, and what it lists is held against what was accepted."""
    async for server, ok, text in mcp_findings(start):
        yield Finding(part=f"mcp {server}", ok=ok, text=text)
