"""A whole Handrail in the test's own process: real Slack libraries, real Redis, real sandbox, a scripted model.

async with staged(slack, redis_url, [say("Hello.")]) as stage:
    sent = await stage.ana.send(DATA, f"{BOT} hello")
    answer = await stage.answer(sent)
"""

import asyncio
import shutil
import tempfile
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.assembly import Core, open_core, ticking
from bot.commands.serve import connected
from bot.commands.start import Start
from bot.environment import prepared_home
from bot.jobs import slack_jobs
from bot.sandbox import wanted_sandbox
from bot.slack_side import SlackSide, open_slack
from runtime.environment import load_environment
from runtime.settings_file import parse_settings
from tests.support.model import ModelDouble, Turn, scripted_model
from tests.support.slack import LocalSlack, Person, SlackMessage
from tools.sandbox.port import Sandbox
from tools.sandbox.probe import choose
from tools.sandbox.settings import SandboxSettings
from tools.workspace import Workspace

DATA = "C0DATA"
BOT = "<@U0HANDRAIL>"
FOOTER = " tokens · "
RUN_BOUND = 90.0
"""Seconds for a whole run to get where a test waits for it."""
SPEED = 20.0
"""How many times faster than Slack's limits the stage's Slack and its bot are: nobody reads along."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """The people, the places and the parts."""

    slack: LocalSlack
    model: ModelDouble
    core: Core
    side: SlackSide
    folder: Path

    @property
    def ana(self) -> Person:
        """Who usually asks."""
        return self.slack.person("U0ANA")

    @property
    def ben(self) -> Person:
        """Who usually decides."""
        return self.slack.person("U0BEN")

    async def answer(self, request: SlackMessage, *, within: float = RUN_BOUND) -> SlackMessage:
        """The last word in the request's thread: the message with the footer."""
        return await self.slack.wait_message(
            request.channel, request.thread_ts, lambda m: FOOTER in m.words, "the answer with its footer", within=within
        )

    async def button(self, request: SlackMessage, label: str, *, within: float = RUN_BOUND) -> SlackMessage:
        """The message in the request's thread that has a button."""
        return await self.slack.wait_message(
            request.channel, request.thread_ts, lambda m: m.has_button(label), f"a button {label}", within=within
        )

    async def thread(self, request: SlackMessage, *, user: str = "U0ANA") -> list[SlackMessage]:
        """Everything a person sees in the request's thread."""
        return await self.slack.messages(request.channel, request.thread_ts, user=user)

    async def workspace(self, request: SlackMessage) -> Workspace:
        """The files of the request's session."""
        return await self.core.house.workspace(f"T0LOCAL:{request.channel}:{request.thread_ts}")


@asynccontextmanager
async def passable_folder() -> AsyncGenerator[Path]:
    """A directory that the sandbox's unprivileged user can pass, also when the tests run as root."""
    folder = Path(tempfile.mkdtemp(prefix="handrail-test-"))
    folder.chmod(0o711)
    try:
        yield folder
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


CHOSEN: dict[tuple[SandboxSettings, Path], Sandbox] = {}
"""Chosen once for each way to ask: trying a sandbox out takes longer than most tests."""


async def sandbox_for(start: Start) -> Sandbox:
    """The sandbox that a bot started so would choose."""
    wanted, home = wanted_sandbox(start), prepared_home(start.variables)
    if (wanted, home) not in CHOSEN:
        CHOSEN[wanted, home] = await choose(wanted, data=home)
    return CHOSEN[wanted, home]


def start_with(environment: Mapping[str, str], settings: str) -> Start:
    """What a command would have read."""
    return Start(
        environment=load_environment(environment), settings=parse_settings(settings), variables=dict(environment)
    )


@asynccontextmanager
async def staged(
    slack: LocalSlack,
    redis_url: str,
    turns: Sequence[Turn] = (),
    *,
    settings: str = "",
    folder: Path | None = None,
    variables: Mapping[str, str] | None = None,
) -> AsyncGenerator[Stage]:
    """Start everything; the script's leftovers fail the test at the end.

    Args:
        slack: a running local Slack.
        redis_url: an empty database.
        turns: what the model will answer, in order.
        settings: the text of a `handrail.toml`.
        folder: keep the files here, to start a second time on them.
        variables: further variables of the environment.
    """
    async with AsyncExitStack() as stack:
        data = folder or await stack.enter_async_context(passable_folder())
        model = await stack.enter_async_context(scripted_model(turns))
        environment = {
            **slack.environment,
            "REDIS_URL": redis_url,
            "OPENAI_BASE_URL": model.base_url,
            "OPENAI_MODEL": "scripted",
            "HANDRAIL_DATA": str(data),
            **(variables or {}),
        }
        start = start_with(environment, settings)
        core = await stack.enter_async_context(open_core(start, await sandbox_for(start)))
        side = await stack.enter_async_context(open_slack(core))
        side.conversation.api.pace.speed = SPEED
        await slack.configure(rate_speed=SPEED)
        await stack.enter_async_context(ticking(core.store, slack_jobs(core, side.places)))
        worker = core.worker(side.conversation)
        working = asyncio.create_task(worker.run(), name="worker of the stage")
        stack.push_async_callback(asyncio.wait, [working])
        stack.callback(worker.stop)
        await stack.enter_async_context(connected(side, slack.app_token))
        await slack.wait_connected()
        yield Stage(slack=slack, model=model, core=core, side=side, folder=data)
