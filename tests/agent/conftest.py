"""The desk of each test, on the shared server."""

import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from datetime import timedelta
from pathlib import Path

import pytest

from runtime.agent.context import AgentContext
from runtime.engine.lease import Lease
from runtime.llm.openai_model import ModelOptions, OpenAIModel
from runtime.llm.prices import prices_of
from runtime.llm.retry import RetryPolicy
from runtime.policy.engine import Policy
from runtime.session.state import SessionState
from runtime.session.writer import SessionWriter
from runtime.settings import Settings
from runtime.store.redis_store import SessionStore
from tests.agent.desk import SECRET, SID, Desk
from tests.agent.sample_tools import Breaks, Echo, Hangs, Launches, Pays
from tests.support.model import scripted_model
from tests.support.redis import redis_server, redis_url, store
from tools.builtin.ask_human import AskHuman
from tools.builtin.planning import PlanningTool
from tools.builtin.terminate import Terminate
from tools.collection import ToolCollection
from tools.redact import Redactor
from tools.sandbox.unavailable import Unavailable
from tools.workspace import Workspace

__all__ = ["redis_server", "redis_url", "store"]


@pytest.fixture
async def desk(store: SessionStore, tmp_path: Path) -> AsyncIterator[Desk]:
    """A claimed session and an agent's context; at the end the model's script must be used up."""
    assert await store.push(SID, "first", "message", "{}", urgent=False) == "ok"
    sent_at = time.monotonic()
    claimed = await store.claim("w", 600_000, 1)
    assert claimed is not None
    session = SessionWriter(store, Lease.of(claimed, timedelta(seconds=600), sent_at), SessionState(session_id=SID))
    hangs, launches, pays = Hangs(), Launches(), Pays()
    settings = Settings()
    tools = ToolCollection([PlanningTool(), AskHuman(), Terminate(), Echo(), Breaks(), hangs, launches, pays])
    async with AsyncExitStack() as stack:
        double = await stack.enter_async_context(scripted_model())
        options = ModelOptions(
            model="m",
            base_url=double.base_url,
            retries=RetryPolicy(tries=2, first_pause=timedelta(milliseconds=1)),
        )
        model = OpenAIModel(options)
        stack.push_async_callback(model.aclose)
        context = AgentContext(
            session=session,
            model=model,
            prices=prices_of("m", settings.model),
            tools=tools,
            policy=Policy(rules=(), contains=True),
            settings=settings,
            workspace=Workspace(root=tmp_path),
            sandbox=Unavailable(reasons=("none is needed",), fix=""),
            redact=Redactor([SECRET]),
        )
        yield Desk(
            store=store,
            session=session,
            context=context,
            model=double,
            hangs=hangs,
            launches=launches,
            pays=pays,
            settings=settings,
        )
