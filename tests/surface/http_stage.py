"""A Handrail that is spoken to over HTTP, in the test's own process."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial

import pytest

from bot.assembly import Core, facts_of, open_core, ticking
from bot.commands.serve_http import open_http
from bot.jobs import slack_jobs
from bot.web.health import health_server
from tests.support.model import ModelDouble, Turn, scripted_model
from tests.support.stage import passable_folder, sandbox_for, start_with

SECRET = "local-signing-secret"


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpStage:
    """Where it listens, and its parts."""

    address: str
    model: ModelDouble
    core: Core

    @property
    def events(self) -> str:
        """Where Slack posts to."""
        return f"{self.address}/slack/events"


@asynccontextmanager
async def http_stage(
    environment: Mapping[str, str], redis_url: str, turns: Sequence[Turn] = (), *, settings: str = ""
) -> AsyncGenerator[HttpStage]:
    """Start everything, with the variables of Slack also in the process's own environment, as a command has them."""
    async with AsyncExitStack() as stack:
        process = stack.enter_context(pytest.MonkeyPatch.context())
        for name, value in environment.items():
            process.setenv(name, value)
        data = await stack.enter_async_context(passable_folder())
        model = await stack.enter_async_context(scripted_model(turns))
        more = {
            "REDIS_URL": redis_url,
            "OPENAI_BASE_URL": model.base_url,
            "OPENAI_MODEL": "scripted",
            "HANDRAIL_DATA": str(data),
        }
        start = start_with({**environment, **more}, settings)
        core = await stack.enter_async_context(open_core(start, await sandbox_for(start)))
        side = await stack.enter_async_context(open_http(start, core))
        await stack.enter_async_context(ticking(core.store, slack_jobs(core, side.places)))
        worker = core.worker(side.conversation)
        working = asyncio.create_task(worker.run(), name="worker of the stage")
        stack.push_async_callback(asyncio.wait, [working])
        stack.callback(worker.stop)
        opened = health_server("127.0.0.1", 0, alive={}, ready={}, more=side.routes, facts=partial(facts_of, core))
        address = await stack.enter_async_context(opened)
        yield HttpStage(address=address, model=model, core=core)
