"""Slack over HTTP: signatures, replays, odd bodies, retries, several workspaces that come and go."""

import asyncio
import hashlib
import hmac
import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from pydantic import SecretStr

from bot.oauth.installations import Installations, Installed
from runtime.session.events import RunOutcome
from runtime.session.writer import load_state
from tests.support.model import Turn, call, calls, held, say
from tests.support.slack import LocalSlack, local_slack
from tests.support.stage import BOT, DATA, FOOTER
from tests.surface.front import SECOND, Front, front_of
from tests.surface.http_stage import SECRET, HttpStage, http_stage
from tests.waiting import wait_until

CLIENT_SECRET = "not for others"


def single(slack: LocalSlack) -> dict[str, str]:
    """The environment of one workspace over HTTP."""
    return {name: value for name, value in slack.environment.items() if name != "SLACK_APP_TOKEN"}


def signed(body: bytes, *, secret: str = SECRET, age: int = 0, stamp: str = "") -> dict[str, str]:
    """The headers of a request that Slack signed so many seconds ago."""
    stamp = stamp or str(int(datetime.now(UTC).timestamp()) - age)
    digest = hmac.new(secret.encode(), f"v0:{stamp}:".encode() + body, hashlib.sha256).hexdigest()
    return {"X-Slack-Request-Timestamp": stamp, "X-Slack-Signature": f"v0={digest}", "Content-Type": "application/json"}


async def posted(stage: HttpStage, body: bytes, headers: Mapping[str, str]) -> tuple[int, str]:
    """Status and text of one request."""
    async with aiohttp.ClientSession() as http, http.post(stage.events, data=BytesIO(body), headers=headers) as answer:
        return answer.status, await answer.text()


async def test_a_mention_over_http_is_answered(
    slack: LocalSlack, redis_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Events, clicks and commands come as signed requests; Slack's retries start nothing twice.

    Slack's library says nothing of variables that it was given by other ways.
    """
    async with http_stage(single(slack), redis_url, [say("Hello.")]) as stage:
        await slack.control("POST", "reset", {"scene": {"events_url": stage.events}})
        sent = await slack.person("U0ANA").send(DATA, f"{BOT} hello")
        await slack.wait_message(DATA, sent.ts, lambda m: FOOTER in m.words, "the answer")
        event = next(item for item in await slack.deliveries() if item["event_type"] == "app_mention")
        body = json.dumps(event["payload"]).encode()
        retried = {**signed(body), "X-Slack-Retry-Num": "1", "X-Slack-Retry-Reason": "http_timeout"}
        assert (await posted(stage, body, retried))[0] == 200
        await slack.person("U0ANA").slash(DATA, "/handrail", "help")
        await slack.wait_message(DATA, None, lambda m: m.is_ephemeral, "the help", user="U0ANA")
        assert len(stage.model.bodies) == 1
    assert not [record for record in caplog.records if record.name.startswith("slack_bolt")]


async def test_only_slack_is_listened_to(slack: LocalSlack, redis_url: str) -> None:
    """A wrong signature, an old or odd time and a replay are refused with 401; odd bodies with 400, never 500."""
    async with http_stage(single(slack), redis_url) as stage:
        body = json.dumps({"type": "url_verification", "challenge": "c4"}).encode()
        assert await posted(stage, body, signed(body)) == (200, "c4")
        for headers in (
            signed(body, secret="another"),
            signed(body, age=301),
            signed(body, age=-360),
            signed(body, stamp="soon"),
            {"Content-Type": "application/json"},
        ):
            assert (await posted(stage, body, headers))[0] == 401
        for odd in (b"\xff\xfe", b"{", b"[]", b"[" * 100_000):
            assert (await posted(stage, odd, signed(odd)))[0] == 400
        large = b" " * (1024**2 + 1)
        assert (await posted(stage, large, signed(large)))[0] == 413


async def test_row_9_an_event_of_an_unknown_type_is_acknowledged(slack: LocalSlack, redis_url: str) -> None:
    """With 200 and no effect, so that Slack does not deliver it again."""
    async with http_stage(single(slack), redis_url) as stage:
        event = {"type": "moon_phase_changed", "event_ts": "1.2"}
        body = json.dumps({"type": "event_callback", "team_id": "T0LOCAL", "event_id": "Ev1", "event": event}).encode()
        assert (await posted(stage, body, signed(body)))[0] == 200
        assert not await stage.core.store.list_sessions()


async def test_health_and_events_are_one_application(slack: LocalSlack, redis_url: str) -> None:
    """One port for both; health says how well generated code is contained."""
    async with (
        http_stage(single(slack), redis_url) as stage,
        aiohttp.ClientSession() as http,
        http.get(f"{stage.address}/healthz") as answer,
    ):
        assert answer.status == 200
        assert (await answer.json())["sandbox"] == stage.core.sandbox.level.value


@asynccontextmanager
async def two_workspaces(
    tmp_path: Path, redis_url: str, turns: Sequence[Turn], settings: str = ""
) -> AsyncGenerator[tuple[Front, HttpStage]]:
    """Two workspaces that have installed one app by OAuth."""
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(local_slack(tmp_path / "first"))
        second = await stack.enter_async_context(local_slack(tmp_path / "second", SECOND))
        front = await stack.enter_async_context(front_of({"xoxb-local-bot": first, "xoxb-other-bot": second}))
        environment = {
            "SLACK_API_URL": front.url,
            "SLACK_SIGNING_SECRET": SECRET,
            "SLACK_CLIENT_ID": "1.2",
            "SLACK_CLIENT_SECRET": CLIENT_SECRET,
        }
        handrail = await stack.enter_async_context(http_stage(environment, redis_url, turns, settings=settings))
        for token, (team, slack) in {
            "xoxb-local-bot": ("T0LOCAL", first),
            "xoxb-other-bot": ("T0OTHER", second),
        }.items():
            await install(front, handrail, token, team)
            await slack.control("POST", "reset", {"scene": {**(slack.scene or {}), "events_url": handrail.events}})
        yield front, handrail


async def install(front: Front, stage: HttpStage, token: str, team: str) -> None:
    """Walk through the pages as a browser does."""
    jar = aiohttp.CookieJar(unsafe=True)
    async with aiohttp.ClientSession(cookie_jar=jar) as http:
        async with http.get(f"{stage.address}/slack/install", allow_redirects=False) as begun:
            assert begun.status == 302
            state = begun.headers["Location"].partition("state=")[2]
        front.codes["c1"] = {"access_token": token, "team": {"id": team, "name": team}, "authed_user": {"id": "U0ANA"}}
        query = {"state": state, "code": "c1"}
        async with http.get(f"{stage.address}/slack/oauth_redirect", params=query) as ended:
            assert ended.status == 200, await ended.text()
        async with http.get(f"{stage.address}/slack/oauth_redirect", params=query) as again:
            assert again.status == 400


async def answered(slack: LocalSlack, words: str) -> Any:
    """Ask in a workspace and wait for its own answer."""
    sent = await slack.person("U0ANA").send(DATA, f"{BOT} hello")
    return await slack.wait_message(DATA, sent.ts, lambda m: words in m.words and FOOTER in m.words, words)


async def test_row_77_one_revoked_workspace_never_stops_another(tmp_path: Path, redis_url: str) -> None:
    """Each workspace is answered with its own token; one that is revoked and uninstalls leaves the other alone."""
    turns = [say("From the first."), say("From the second."), say("Still here.")]
    async with two_workspaces(tmp_path, redis_url, turns) as (front, stage):
        first, second = front.slacks["xoxb-local-bot"], front.slacks["xoxb-other-bot"]
        await answered(first, "From the first.")
        await answered(second, "From the second.")
        commands = stage.core.store.clients.commands
        sealed = await commands.get("handrail:installed:T0LOCAL")
        assert sealed
        assert "xoxb" not in str(sealed)
        front.revoked.add("xoxb-local-bot")
        await first.deliver({"type": "app_uninstalled", "event_ts": "1.2"})

        async def forgotten() -> bool:
            rows = await stage.core.store.list_sessions()
            return all(row.sid.startswith("T0OTHER") for row in rows)

        await wait_until("the first workspace's data is gone", forgotten)
        assert not await commands.exists("handrail:installed:T0LOCAL")
        assert await commands.exists("handrail:installed:T0OTHER")
        await first.person("U0ANA").send(DATA, f"{BOT} hello")
        await answered(second, "Still here.")


async def test_a_revoked_token_ends_what_is_under_way_and_keeps_the_thread(tmp_path: Path, redis_url: str) -> None:
    """Nobody could see or stop the run; a user's token that is revoked means nothing here."""
    gate = asyncio.Event()
    async with two_workspaces(tmp_path, redis_url, [held(gate, say("Never seen."))]) as (front, stage):
        first, store = front.slacks["xoxb-local-bot"], stage.core.store
        sent = await first.person("U0ANA").send(DATA, f"{BOT} hello")
        await stage.model.wait_for_requests(1)
        await first.deliver({"type": "tokens_revoked", "tokens": {"oauth": ["U0ANA"]}, "event_ts": "1.2"})
        await first.wait_idle()
        assert await store.clients.commands.exists("handrail:installed:T0LOCAL")
        front.revoked.add("xoxb-local-bot")
        await first.deliver({"type": "tokens_revoked", "tokens": {"bot": ["U0HANDRAIL"]}, "event_ts": "1.3"})

        async def stopped() -> bool:
            run = (await load_state(store, f"T0LOCAL:{DATA}:{sent.ts}")).run
            return run is not None and run.outcome is RunOutcome.STOPPED

        await wait_until("the run is stopped", stopped)
        assert not await store.clients.commands.exists("handrail:installed:T0LOCAL")
        gate.set()


async def test_a_workspace_that_installs_anew_is_served_with_the_new_token(tmp_path: Path, redis_url: str) -> None:
    """Also where another process took the installation; until then the revoked one only fails."""
    turns = [say("With the old token."), say("With the new one.")]
    async with two_workspaces(tmp_path, redis_url, turns) as (front, stage):
        first = front.slacks["xoxb-local-bot"]
        await answered(first, "With the old token.")
        front.revoked.add("xoxb-local-bot")
        front.renamed["xoxb-local-new"] = "xoxb-local-bot"
        installed = Installed(team="T0LOCAL", name="Local", token=SecretStr("xoxb-local-new"))
        await Installations(stage.core.store, CLIENT_SECRET).save(installed)
        await answered(first, "With the new one.")


async def test_every_installed_workspace_has_groups_reading_and_operators(tmp_path: Path, redis_url: str) -> None:
    """A card names the workspace's own user group, another conversation is read with its own token, and operators are
    told in the channel of the workspace that is named in the settings.
    """
    rules = "".join(
        f'[[policy.rules]]\ntool = "{tool}"\nverdict = "{verdict}"\n{more}'
        for tool, verdict, more in (("bash", "ask", 'approvers = ["@oncall"]\n'), ("slack_read", "allow", ""))
    )
    settings = f'{rules}[slack]\noperators_channel = "T0OTHER:{DATA}"\n'
    turns = [
        calls(call("slack_read", where="")),
        calls(call("bash", command="echo 42")),
        say("Done there."),
    ]
    async with two_workspaces(tmp_path, redis_url, turns, settings) as (front, stage):
        first, second = front.slacks["xoxb-local-bot"], front.slacks["xoxb-other-bot"]
        sent = await first.person("U0ANA").send(DATA, f"{BOT} read, then run")
        card = await first.wait_message(DATA, sent.ts, lambda m: m.has_button("Approve"), "the card")
        assert "<!subteam^S0ONCALL>" in str(card.blocks)
        assert "read, then run" in stage.model.requests[1].messages[-1].text
        told = await second.wait_message(DATA, None, lambda m: "The price of the model" in m.words, "the alert")
        assert told.channel == DATA
        assert not [m for m in await first.messages(DATA) if "The price of the model" in m.words]
        await first.person("U0BEN").click(card, "Approve")
        await first.wait_message(DATA, sent.ts, lambda m: "Done there." in m.words, "the answer")
