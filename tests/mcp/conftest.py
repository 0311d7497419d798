"""A workspace for each test's calls, and one way to make a call as the runtime does."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Protocol

import pytest
from pydantic import JsonValue

from tools.base import ToolResult
from tools.collection import ToolCollection
from tools.context import Ask, ToolContext, unheard
from tools.mcp.clients import MCPClients
from tools.sandbox.unavailable import Unavailable
from tools.workspace import Workspace


class Calling(Protocol):
    """Calls a tool by the name the model knows."""

    async def __call__(
        self,
        clients: MCPClients,
        name: str,
        arguments: dict[str, JsonValue] | None = None,
        *,
        seconds: float = 60,
        ask: Ask | None = None,
        progress: Callable[[str], None] = unheard,
    ) -> ToolResult:
        """Parse, prepare and run; what the model would read."""
        ...


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """An empty workspace."""
    root = tmp_path / "workspace"
    root.mkdir()
    return Workspace(root=root)


@pytest.fixture
def calling(workspace: Workspace) -> Calling:
    """Makes calls in the workspace."""

    async def call(
        clients: MCPClients,
        name: str,
        arguments: dict[str, JsonValue] | None = None,
        *,
        seconds: float = 60,
        ask: Ask | None = None,
        progress: Callable[[str], None] = unheard,
    ) -> ToolResult:
        parsed = ToolCollection(clients.tools()).parse(name, arguments or {})
        context = ToolContext(
            session_id="s",
            run_id="r",
            call_id="r1.1.0",
            workspace=workspace,
            sandbox=Unavailable(reasons=("none is needed",), fix=""),
            timeout=timedelta(seconds=seconds),
            ask=ask,
            progress=progress,
        )
        await parsed.tool.prepare(parsed.params, context)
        outcome = await parsed.tool.run(parsed.params, context)
        assert isinstance(outcome, ToolResult)
        return outcome

    return call
