"""`python -m bot init`: from nothing to a workspace that answers: manifest, two tokens, `.env`, a test message."""

import argparse
import asyncio
import contextlib
import getpass
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import aiohttp
import yaml
from slack_sdk.web.async_client import AsyncWebClient

from bot.commands.start import StartProblem
from bot.delivery.calls import call
from bot.delivery.errors import DeliveryError
from bot.environment import variables
from bot.slack_identity import SlackIdentity, check_app_token, who_am_i
from runtime.environment import load_environment
from runtime.settings import SettingsError

MANIFEST = Path(__file__).resolve().parents[2] / "manifest.yml"
NEW_APP = "https://api.slack.com/apps?new_app=1&manifest_json="
Manifest = dict[str, Any]
HELLO = "Handrail is connected. Mention me in a channel, or write to me here."


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What was given on the command line; what was not is asked for."""

    bot_token: str
    app_token: str
    test_channel: str
    env_file: Path
    http: str
    """The bot's own public address, where Slack shall reach it over HTTP; empty: Socket Mode."""


def main(arguments: Sequence[str]) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m bot init", description="Prepare a real Slack workspace.")
    parser.add_argument("--bot-token", default="", help="xoxb-…; asked for when absent")
    parser.add_argument("--app-token", default="", help="xapp-…; asked for when absent")
    parser.add_argument("--test-channel", default="", help="channel or user id for the test message; - for none")
    parser.add_argument("--env-file", type=Path, default=Path(".env"), help="where the tokens are written")
    parser.add_argument("--http", default="", metavar="URL", help="the bot's public address: Slack reaches it there")
    given = parser.parse_args(arguments)
    options = Options(
        bot_token=given.bot_token,
        app_token=given.app_token,
        test_channel=given.test_channel,
        env_file=given.env_file,
        http=given.http,
    )
    if options.http:
        return tell_http(options.http)
    try:
        return asyncio.run(init(options))
    except SettingsError as error:
        for problem in error.problems:
            print(f"handrail: {problem}", file=sys.stderr)
    except (StartProblem, EOFError) as error:
        print(
            f"handrail: {error or 'the input ended before both tokens were given; nothing was written'}",
            file=sys.stderr,
        )
    return 1


def manifest_link(address: str = "") -> str:
    """A link that opens Slack's "create app" page with our manifest filled in.

    Args:
        address: the bot's public address, for events over HTTP; empty: Socket Mode.
    """
    manifest: Manifest = yaml.safe_load(MANIFEST.read_text(encoding="utf-8"))
    if address:
        manifest = over_http(manifest, address)
    return NEW_APP + quote(json.dumps(manifest, separators=(",", ":")))


def over_http(manifest: Manifest, address: str) -> Manifest:
    """The manifest with everything that Slack sends going to one address, and the way back from an installation."""
    events = f"{address.rstrip('/')}/slack/events"
    settings, features, oauth = manifest["settings"], manifest["features"], manifest["oauth_config"]
    return {
        **manifest,
        "features": {**features, "slash_commands": [{**one, "url": events} for one in features["slash_commands"]]},
        "oauth_config": {**oauth, "redirect_urls": [f"{address.rstrip('/')}/slack/oauth_redirect"]},
        "settings": {
            **settings,
            "socket_mode_enabled": False,
            "event_subscriptions": {**settings["event_subscriptions"], "request_url": events},
            "interactivity": {**settings["interactivity"], "request_url": events},
        },
    }


def tell_http(address: str) -> int:
    """What to do for HTTP: nothing is asked, since the signing secret is shown only after the app exists."""
    if not address.startswith("https://"):
        print("handrail: --http needs an address that begins with https://; Slack takes no other.", file=sys.stderr)
        return 1
    print("1. Start the bot behind that address first: Slack asks it for an answer when the app is created.")
    print("   For one workspace it needs SLACK_BOT_TOKEN and SLACK_SIGNING_SECRET; for several SLACK_SIGNING_SECRET,")
    print("   SLACK_CLIENT_ID and SLACK_CLIENT_SECRET (all under Basic Information). No SLACK_APP_TOKEN.\n")
    print("2. Create the app from our manifest; the link has the addresses filled in:\n")
    print(f"   {manifest_link(address)}\n")
    print(f"3. Install it, in several workspaces from {address.rstrip('/')}/slack/install.")
    return 0


def answer(given: str, question: str, ask: Callable[[str], str]) -> str:
    """What was given, else what is typed."""
    return given or ask(question).strip()


async def init(options: Options) -> int:
    """The steps in order; nothing is written before both tokens were accepted."""
    if not options.bot_token:
        print("1. Create the app from our manifest; the link has it filled in:\n")
        print(f"   {manifest_link()}\n")
        print("2. Install it to your workspace (OAuth & Permissions), and create an app-level token with the scope")
        print("   connections:write (Basic Information).\n")
    bot_token = answer(options.bot_token, "Bot token (xoxb-…): ", getpass.getpass)
    app_token = answer(options.app_token, "App-level token (xapp-…): ", getpass.getpass)
    wanted = {**variables(Path.cwd()), "SLACK_BOT_TOKEN": bot_token, "SLACK_APP_TOKEN": app_token}
    environment = load_environment(wanted)
    url = environment.slack_api_url
    async with aiohttp.ClientSession() as http:
        client = AsyncWebClient(token=bot_token, base_url=url, session=http, retry_handlers=[])
        identity = await who_am_i(client, url)
        print(f"The bot token works: {identity.user_id} in {identity.team}.")
        await check_app_token(client, url, app_token)
        print("The app-level token works.")
        write_env(options.env_file, {"SLACK_BOT_TOKEN": bot_token, "SLACK_APP_TOKEN": app_token})
        print(f"Both are in {options.env_file}, readable by you alone.")
        await greet(client, options.test_channel, identity)
    if not environment.has_model:
        print(f"Next: add OPENAI_API_KEY (or OPENAI_BASE_URL) to {options.env_file}; until then the model is scripted.")
    print("Then: python -m bot doctor && python -m bot serve")
    return 0


async def greet(client: AsyncWebClient, given: str, identity: SlackIdentity) -> None:
    """A test message, where one is wanted."""
    channel = given
    if not channel:
        with contextlib.suppress(EOFError):
            channel = (
                await asyncio.to_thread(input, "Channel or user id for a test message (empty for none): ")
            ).strip()
    if not channel or channel == "-":
        return
    try:
        await call(client, "chat_postMessage", channel=channel, text=HELLO)
    except DeliveryError as error:
        print(f"The test message to {channel} was refused ({error}); invite {identity.user_id} there and mention it.")
        return
    print(f"A test message is in {channel}.")


def write_env(path: Path, values: dict[str, str]) -> None:
    """Set variables in an env file, keep its other lines, readable by the owner alone from the first byte on."""
    kept = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    kept = [line for line in kept if line.split("=", 1)[0].strip() not in values]
    lines = [*kept, *(f"{name}={value}" for name, value in values.items())]
    draft = path.with_name(path.name + ".new")
    with contextlib.suppress(FileNotFoundError):
        draft.unlink()
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    draft.replace(path)
