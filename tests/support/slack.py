"""The local Slack for tests: started as a process of its own, and acted on as people and as an observer.

async with local_slack(tmp_path) as slack:
    ana = slack.person("U0ANA")
    sent = await ana.send("C0DATA", "<@U0HANDRAIL> hello")
    card = await slack.wait_message("C0DATA", sent.ts, lambda m: m.has_button("Approve"), "the approval card")
    await ana.click(card, "Approve")
"""

import asyncio
import json
import sys
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

from tests.support.ports import free_port
from tests.support.recording import keep_calls, keep_deliveries
from tests.support.slack_people import Person, SlackMessage, SlackRefused, View, as_dicts
from tests.waiting import BOUND, wait_until

__all__ = ["LocalSlack", "Person", "SlackMessage", "SlackRefused", "View", "local_slack"]

STARTUP_SECONDS = 120.0
PATIENT = {"ack_seconds": 10.0, "trigger_seconds": 60.0}
"""A busy machine is no failure; what Slack's own 3 seconds do is shown by tests that set them."""


class LocalSlack:
    """One local Slack process and what tests do with it. Make it with `local_slack` or `LocalSlack.start`."""

    bot_token = "xoxb-local-bot"
    app_token = "xapp-local-app"
    bot_user = "U0HANDRAIL"

    def __init__(self, directory: Path, scene: Mapping[str, Any] | None) -> None:
        self.directory = directory
        self.scene = scene
        self.process: asyncio.subprocess.Process | None = None
        self.http = aiohttp.ClientSession()
        self.url = ""
        self.changes = 0
        """How many there had been when the page was last asked."""

    @classmethod
    async def start(cls, directory: Path, scene: Mapping[str, Any] | None = None, *, port: int = 0) -> "LocalSlack":
        """Start a process that keeps its state in the directory; `scene` is the content of a scene file."""
        slack = cls(directory, scene)
        await slack.launch(port)
        return slack

    async def launch(self, port: int = 0) -> None:
        """Start the process and wait until it has said where it listens."""
        self.directory.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "bot.localslack", "--port", str(port), "--state", str(self.directory)]
        if self.scene is not None:
            file = self.directory / "scene.json"
            file.write_text(json.dumps(self.scene), encoding="utf-8")
            command += ["--scene", str(file)]
        with (self.directory / "stderr.log").open("ab") as log:
            self.process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE, stderr=log)
        assert self.process.stdout is not None
        async with asyncio.timeout(STARTUP_SECONDS):
            line = (await self.process.stdout.readline()).decode()
        assert line.startswith("localslack http"), f"no address: {(self.directory / 'stderr.log').read_text()}"
        self.url = line.split()[1]

    @property
    def api_url(self) -> str:
        """The value of SLACK_API_URL."""
        return f"{self.url}/api/"

    @property
    def environment(self) -> dict[str, str]:
        """What a bot's process needs to reach this Slack."""
        return {
            "SLACK_API_URL": self.api_url,
            "SLACK_BOT_TOKEN": self.bot_token,
            "SLACK_APP_TOKEN": self.app_token,
            "SLACK_SIGNING_SECRET": "local-signing-secret",
        }

    async def halt(self, *, kill: bool = False) -> None:
        """End the process and keep its state; `kill` without a chance to tidy up."""
        if self.process is not None and self.process.returncode is None:
            (self.process.kill if kill else self.process.terminate)()
        if self.process is not None:
            # The pipe is read to its end, so that its transport is closed with the process.
            await self.process.communicate()

    async def restart(self, *, kill: bool = False) -> None:
        """End the process and start it again at the same address with the same state."""
        port = int(self.url.rpartition(":")[2])
        await self.halt(kill=kill)
        await self.launch(port)

    async def stop(self) -> None:
        """End everything."""
        await self.halt()
        await self.http.close()

    def person(self, user: str) -> Person:
        """Somebody of the scene, by user id."""
        return Person(slack=self, user=user)

    async def page(self, verb: str, path: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """One request to the page's API. Raises SlackRefused when it says `ok: false`."""
        if verb == "GET":
            request = self.http.get(f"{self.url}/_local/api/{path}", params=dict(arguments))
        else:
            request = self.http.post(f"{self.url}/_local/api/{path}", json=arguments)
        async with request as response:
            body: dict[str, Any] = await response.json()
        if not body.get("ok"):
            raise SlackRefused(str(body.get("error")))
        self.changes = int(body["changes"])
        return body

    async def control(self, verb: str, path: str, arguments: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """One request to the test API."""
        address = f"{self.url}/_local/test/{path}"
        async with self.http.request(verb, address, json=dict(arguments or {})) as response:
            body: dict[str, Any] = await response.json()
            assert response.status == 200, body
            return body

    async def messages(
        self, channel: str, thread_ts: str | None = None, *, user: str | None = None, after: int | None = None
    ) -> list[SlackMessage]:
        """What a person (the first member by default) sees: roots of a channel, or root and replies of a thread.

        With `after`, a number of changes, the answer comes as soon as there are more, and soon in any case.
        """
        viewer = user or await self.some_member(channel)
        arguments: dict[str, str | int] = {"user": viewer, "channel": channel}
        arguments |= {"thread_ts": thread_ts} if thread_ts else {}
        arguments |= {} if after is None else {"after": after}
        body = await self.page("GET", "messages", arguments)
        return [SlackMessage(channel=channel, raw=raw) for raw in as_dicts(body["messages"])]

    async def some_member(self, channel: str) -> str:
        """A person who is in the channel."""
        if channel.startswith("D"):
            return "U" + channel[1:]
        users = as_dicts((self.scene or {}).get("users")) or [{"id": "U0ANA"}]
        channels = as_dicts((self.scene or {}).get("channels"))
        named = next((entry.get("members") for entry in channels if entry["id"] == channel), None)
        return str(named[0] if named else users[0]["id"])

    async def wait_message(
        self,
        channel: str,
        thread_ts: str | None,
        predicate: Callable[[SlackMessage], bool],
        description: str,
        *,
        user: str | None = None,
        within: float = BOUND,
    ) -> SlackMessage:
        """The first message that fits, once there is one. The failure lists what was there instead."""
        known: int | None = None

        async def look() -> SlackMessage | None:
            nonlocal known
            seen = await self.messages(channel, thread_ts, user=user, after=known)
            known = self.changes
            return next((message for message in seen if predicate(message)), None)

        try:
            return await wait_until(description, look, within=within)
        except AssertionError as error:
            seen = [(message.user, message.text) for message in await self.messages(channel, thread_ts, user=user)]
            msg = f"{error}; seen: {seen}"
            raise AssertionError(msg) from None

    async def calls(self, method: str | None = None, *, since: int = 0) -> list[dict[str, Any]]:
        """Recorded Web API calls: n, method, args, ok, error, at, response."""
        body = await self.control("GET", f"calls?since={since}" + (f"&method={method}" if method else ""))
        return as_dicts(body["calls"])

    async def deliveries(self, *, since: int = 0) -> list[dict[str, Any]]:
        """Every payload for the bot: n, kind, type, event_type, event_id, attempt, reason, state, acked, payload."""
        return as_dicts((await self.control("GET", f"deliveries?since={since}"))["deliveries"])

    async def wait_idle(self, *, within: float = BOUND) -> None:
        """Wait until the bot has acknowledged everything."""
        body = await self.control("GET", f"wait_idle?ms={int(within * 1_000)}")
        assert body["idle"], f"not acknowledged: {[item for item in await self.deliveries() if not item['acked']]}"

    async def wait_connected(self, *, within: float = BOUND) -> None:
        """Wait until a bot is connected."""

        async def online() -> bool:
            state = await self.page("GET", "state", {"user": await self.some_member("")})
            return bool(state["bot"]["online"])

        await wait_until("a bot is connected", online, within=within)

    async def fault(self, method: str, kind: str, *, times: int = 1, **more: object) -> None:
        """Let the next calls of a method (`*`: any) go wrong.

        Kinds: ratelimited (retry_after), http_500, error (error), reset, html, slow (delay_ms), and reset_after and
        http_500_after, which do the work and hide the answer.
        """
        await self.control("POST", "faults", {"method": method, "kind": kind, "times": times, **more})

    async def clear_faults(self) -> None:
        """Let everything go well again."""
        await self.control("DELETE", "faults")

    async def deliver(self, body: Mapping[str, Any], *, payload_type: str = "event", **more: object) -> dict[str, Any]:
        """Deliver an event or interactive payload as it is; more: times, delay_ms, fresh_event_id."""
        return await self.control("POST", "deliver", {"payload_type": payload_type, "body": dict(body), **more})

    async def drop_sockets(self) -> None:
        """Close every socket without a word."""
        await self.control("POST", "socket", {"command": "drop"})

    async def hush_sockets(self) -> None:
        """Leave every socket open and say nothing more on it."""
        await self.control("POST", "socket", {"command": "hush"})

    async def warn_sockets(self) -> None:
        """Announce that every socket will be closed, as Slack does when it refreshes them."""
        await self.control("POST", "socket", {"command": "disconnect_warning"})

    async def configure(self, **settings: object) -> None:
        """Change settings of the scene at run time, for example `rate_limits="slack"`."""
        await self.control("POST", "settings", settings)

    async def seal_streams(self) -> None:
        """Seal every open stream now, as if its time had passed."""
        await self.control("POST", "stream")

    async def set_member(self, channel: str, user: str, *, member: bool) -> None:
        """Let a person or the bot join or leave a channel."""
        await self.control("POST", "member", {"channel": channel, "user": user, "member": member})

    async def change_person(self, user: str, **facts: object) -> None:
        """Let somebody be another kind of person from now on: `is_restricted=True` is a guest."""
        await self.control("POST", "person", {"user": user, **facts})

    async def metadata(self, message: SlackMessage) -> dict[str, Any] | None:
        """The metadata the bot put on a message."""
        return (await self.control("GET", f"metadata?channel={message.channel}&ts={message.ts}"))["metadata"]


@asynccontextmanager
async def local_slack(directory: Path, scene: Mapping[str, Any] | None = None) -> AsyncGenerator[LocalSlack]:
    """A local Slack of its own for the time of a test; needed where the test restarts it."""
    # While it is away nobody may get its port.
    slack = await LocalSlack.start(directory / "slack", scene, port=free_port())
    try:
        yield slack
    finally:
        await slack.stop()


@asynccontextmanager
async def emptied_slack(url: str, directory: Path, scene: Mapping[str, Any] | None) -> AsyncGenerator[LocalSlack]:
    """A local Slack that runs already, emptied for one test and given a scene."""
    slack = LocalSlack(directory, scene)
    slack.url = url
    try:
        given = dict(scene or {})
        await slack.control("POST", "reset", {"scene": {**given, "settings": PATIENT | given.get("settings", {})}})
        yield slack
        keep_calls(await slack.calls())
        keep_deliveries(await slack.deliveries())
        await slack.control("POST", "reset")
    finally:
        await slack.stop()
